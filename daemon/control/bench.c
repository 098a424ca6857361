// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bench and BenchStop: starts xmcast-bench and passes on its lines as replies. Where systemd
 * listens for it, it gets a unit of its own, with capabilities that the daemon does not have; it
 * then reads its words from the connection, and stops when more comes or the connection ends.
 * Elsewhere it is forked and executed.
 *
 *   idle     pid 0, out -1
 *   running  lines are read from `out` and passed on to `session`
 *   ending   the session got its last reply or is gone; waits for a child to be reaped
 */
#include "daemon/control/bench.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/control/bench_words.h"
#include "daemon/control/method.h"

#define LINE_MAX_BYTES (32u << 20) /* a result with raw samples has some 100 KiB */
#define READ_AT_ONCE   (64u << 10)
#define OUT_HIGH       (256u << 10) /* with more unsent, the worker has to wait */
#define ARGUMENTS_MAX  64
#define BENCH_SOCKET   "/run/xmcast-bench.socket" /* of xmcast-bench.socket */

struct bench {
	sd_event *event;	 /* a reference */
	struct session *session; /* who asked; NULL: nobody waits for an answer any more */
	pid_t pid;		 /* of a child; 0: none */
	int pidfd, out;		 /* -1: none */
	sd_event_source *reaper, *reader;
	struct buffer line;
};

int bench_new(struct bench **out, sd_event *event)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	if (!bench)
		return -ENOMEM;
	bench->event = sd_event_ref(event);
	bench->pidfd = bench->out = -1;
	*out = bench;
	return 0;
}

static void stop_reading(struct bench *bench)
{
	bench->reader = sd_event_source_disable_unref(bench->reader);
	if (bench->out >= 0)
		close(bench->out);
	bench->out = -1;
	buffer_free(&bench->line);
}

static void reaped(struct bench *bench)
{
	bench->reaper = sd_event_source_disable_unref(bench->reaper);
	if (bench->pidfd >= 0)
		close(bench->pidfd);
	bench->pidfd = -1;
	bench->pid = 0;
}

void bench_free(struct bench *bench)
{
	if (!bench)
		return;
	if (bench->pid) {
		kill(bench->pid, SIGKILL); /* init reaps it, should it take its time */
		waitpid(bench->pid, NULL, WNOHANG);
	}
	stop_reading(bench);
	reaped(bench);
	sd_event_unref(bench->event);
	free(bench);
}

static bool is_busy(const struct bench *bench)
{
	return bench->pid || bench->out >= 0;
}

/* The session has its last reply: it takes other calls again. */
static void leave_session(struct bench *bench)
{
	struct session *session = bench->session;

	bench->session = NULL;
	session->state = SESSION_READY;
	session->wake(session->data);
}

void bench_session_gone(struct session *session)
{
	struct bench *bench = session->service->bench;

	if (!bench || bench->session != session)
		return;
	bench->session = NULL;
	if (bench->pid)
		kill(bench->pid, SIGKILL);
	stop_reading(bench); /* which ends the unit */
}

/* One line of the worker: {"progress"}, or the last one, {"result"} or {"error"}. */
static void pass_on(struct bench *bench, const char *text, size_t len)
{
	struct session *session = bench->session;
	json_t *line = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	const char *error = json_string_value(json_object_get(line, "error"));

	if (error) {
		session_error(session, "Refused", error);
		json_decref(line);
		leave_session(bench);
	} else if (json_object_get(line, "result")) {
		session_reply(session, line);
		leave_session(bench);
	} else if (json_object_get(line, "progress")) {
		session_reply_part(session, line);
		session->wake(session->data);
	} else {
		json_decref(line); /* not ours: a library's warning on stdout */
	}
}

static void pass_on_lines(struct bench *bench)
{
	char *end;

	while (
	    bench->session && buffer_len(&bench->line) &&
	    (end = memchr(bench->line.data + bench->line.start, '\n', buffer_len(&bench->line)))) {
		char *text = bench->line.data + bench->line.start;

		pass_on(bench, text, end - text);
		buffer_drop(&bench->line, end - text + 1);
	}
	if (bench->session && buffer_len(&bench->session->out) > OUT_HIGH)
		sd_event_source_set_enabled(bench->reader, SD_EVENT_OFF);
}

/* False when there is nothing more to read now, or at all. */
static bool read_some(struct bench *bench)
{
	static char bytes[READ_AT_ONCE]; /* the daemon has one thread */
	ssize_t n = read(bench->out, bytes, sizeof(bytes));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n > 0 && buffer_len(&bench->line) < LINE_MAX_BYTES &&
	    buffer_append(&bench->line, bytes, n) == 0) {
		pass_on_lines(bench);
		if (bench->session)
			return true;
	}
	stop_reading(bench); /* the end, or nobody listens; on_exit_of_worker() says the rest */
	if (!bench->pid && bench->session) {
		session_error(bench->session, "Failed",
			      "xmcast-bench ended without a result: see journalctl -u "
			      "'xmcast-bench@*'");
		leave_session(bench);
	}
	return false;
}

static int on_output(sd_event_source *source, int fd, uint32_t events, void *data)
{
	(void)source;
	(void)fd;
	(void)events;
	read_some(data);
	return 0;
}

void bench_resume(struct session *session)
{
	struct bench *bench = session->service->bench;

	if (bench && bench->session == session && bench->reader)
		sd_event_source_set_enabled(bench->reader, SD_EVENT_ON);
}

static int on_exit_of_worker(sd_event_source *source, int fd, uint32_t events, void *data)
{
	struct bench *bench = data;
	char why[128];
	siginfo_t info = {};

	(void)source;
	(void)fd;
	(void)events;
	if (waitid(P_PID, bench->pid, &info, WEXITED | WNOHANG) < 0 || !info.si_pid)
		return 0;
	/* What it wrote before it ended is still in the pipe. */
	while (bench->reader && read_some(bench)) {
	}
	stop_reading(bench);
	reaped(bench);
	if (!bench->session)
		return 0;
	snprintf(why, sizeof(why), "xmcast-bench ended without a result: %s %d",
		 info.si_code == CLD_EXITED ? "exit code" : "signal", info.si_status);
	session_error(bench->session, "Failed", why);
	leave_session(bench);
	return 0;
}

/* The worker's path: XMCAST_BENCH, beside a daemon that was just built, or where it is installed.
 */
static const char *find_program(char path[static PATH_MAX])
{
	const char *chosen = getenv("XMCAST_BENCH");
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 32);
	char *slash;

	if (chosen && *chosen)
		return chosen;
	if (n > 0) {
		path[n] = 0;
		slash = strrchr(path, '/');
		strcpy(slash ? slash : path, "/bench/xmcast-bench");
		if (access(path, X_OK) == 0)
			return path;
	}
	return XM_BENCH_PROGRAM;
}

/* In the child: only calls that are safe after a fork of a process with threads. */
static void execute(const char *program, const char **argv, int out, pid_t daemon)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == daemon && dup2(out, STDOUT_FILENO) >= 0)
		execv(program, (char *const *)argv);
	_exit(127);
}

static int watch(struct bench *bench)
{
	int r;

	bench->pidfd = (int)syscall(SYS_pidfd_open, bench->pid, 0);
	if (bench->pidfd < 0)
		return -errno;
	r = sd_event_add_io(bench->event, &bench->reaper, bench->pidfd, EPOLLIN, on_exit_of_worker,
			    bench);
	if (r >= 0)
		r = sd_event_add_io(bench->event, &bench->reader, bench->out, EPOLLIN, on_output,
				    bench);
	return r < 0 ? r : 0;
}

static int spawn(struct bench *bench, const char **argv)
{
	char path[PATH_MAX];
	const char *program = find_program(path);
	pid_t daemon = getpid();
	int pipes[2], r;

	argv[0] = program;
	if (access(program, X_OK) < 0)
		return -errno;
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return -errno;
	bench->pid = fork();
	if (bench->pid == 0)
		execute(program, argv, pipes[1], daemon);
	r = bench->pid < 0 ? -errno : 0;
	close(pipes[1]);
	bench->out = pipes[0];
	fcntl(bench->out, F_SETFL, O_NONBLOCK);
	if (r == 0)
		r = watch(bench);
	if (r < 0 && bench->pid > 0) {
		kill(bench->pid, SIGKILL);
		waitpid(bench->pid, NULL, 0);
	}
	if (r < 0) {
		stop_reading(bench);
		reaped(bench);
	}
	return r;
}

/* 0; -ENOENT or -ECONNREFUSED when systemd does not listen, or another negative errno. */
static int call_unit(struct bench *bench, const json_t *arguments)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *path = getenv("XMCAST_BENCH_SOCKET");
	char *words = json_dumps(arguments, JSON_COMPACT);
	int r = words ? 0 : -ENOMEM;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s",
		 path && *path ? path : BENCH_SOCKET);
	bench->out = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (!r && (bench->out < 0 ||
		   connect(bench->out, (struct sockaddr *)&address, sizeof(address)) < 0 ||
		   send(bench->out, words, strlen(words), MSG_NOSIGNAL) < 0 ||
		   send(bench->out, "\n", 1, MSG_NOSIGNAL) < 0))
		r = -errno;
	if (r == 0)
		r = sd_event_add_io(bench->event, &bench->reader, bench->out, EPOLLIN, on_output,
				    bench);
	free(words);
	if (r < 0)
		stop_reading(bench);
	return r < 0 ? r : 0;
}

static int start_worker(struct bench *bench, const json_t *arguments, const char **argv)
{
	const char *chosen = getenv("XMCAST_BENCH");
	int r = chosen && *chosen ? -ENOENT : call_unit(bench, arguments);

	return r == -ENOENT || r == -ECONNREFUSED ? spawn(bench, argv) : r;
}

void method_bench(struct session *session, const struct call *call)
{
	struct bench *bench = session->service->bench;
	json_t *arguments = json_object_get(call->parameters, "arguments"), *word;
	const char *argv[ARGUMENTS_MAX + 2] = {0};
	struct fault fault;
	char path[PATH_MAX];
	size_t i;
	int r;

	if (json_array_size(arguments) > ARGUMENTS_MAX) {
		session_invalid(session, "arguments", "has more than 64 words");
		return;
	}
	if (!bench) {
		session_error(session, "Failed", "nothing can be measured here");
		return;
	}
	if (is_busy(bench)) {
		session_error(session, "Conflict",
			      "a benchmark is running already, and two would measure each other: "
			      "wait for it, or stop it (Ctrl-C where it was started)");
		return;
	}
	json_array_foreach(arguments, i, word)
	{
		argv[i + 1] = json_string_value(word);
		if (!session->is_root && bench_word_needs_root(argv[i + 1])) {
			session_error(session, SERVICE_INTERFACE ".PermissionDenied",
				      "real interfaces and programs from files need root");
			return;
		}
	}
	r = bench_words_check(session->service->backend->model, argv + 1, &fault);
	if (r < 0) {
		session_error(session, "Refused", fault.text);
		return;
	}
	r = start_worker(bench, arguments, argv);
	if (r < 0) {
		fault_set(&fault, r, "%s cannot be started: %s: is it installed?",
			  find_program(path), strerror(-r));
		session_error(session, "Failed", fault.text);
		return;
	}
	bench->session = session;
	session->state = SESSION_BENCHING;
}

void method_bench_stop(struct session *session, const struct call *call)
{
	struct bench *bench = session->service->bench;

	(void)call;
	if (!bench || !bench->session) {
		session_error(session, "NotFound", "no benchmark is running");
		return;
	}
	if (bench->pid)
		kill(bench->pid, SIGTERM);
	else if (send(bench->out, "stop\n", 5, MSG_NOSIGNAL) < 0)
		stop_reading(bench);
	session_reply(session, json_object());
}
