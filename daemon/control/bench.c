// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bench and BenchStop: starts xmcast-bench and passes on its lines as replies.
 *
 *   idle     pid 0, out -1
 *   running  lines are read from `out` and passed on to `session`
 *   ending   the session got its last reply or is gone; waits for a child to be reaped
 */
#include "daemon/control/bench.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/control/bench_words.h"
#include "daemon/control/bench_worker.h"
#include "daemon/control/method.h"

#define LINE_MAX_BYTES (32u << 20) /* a result with raw samples has some 100 KiB */
#define READ_AT_ONCE   (64u << 10)
#define OUT_HIGH       (256u << 10) /* with more unsent, the worker has to wait */
#define ARGUMENTS_MAX  64

struct bench {
	sd_event *event;	 /* a reference */
	struct session *session; /* who asked; NULL: nobody waits for an answer any more */
	struct bench_worker worker;
	int pidfd; /* of a child; -1: none */
	sd_event_source *reaper, *reader;
	struct buffer line;
};

int bench_new(struct bench **out, sd_event *event)
{
	struct bench *bench = calloc(1, sizeof(*bench));

	if (!bench)
		return -ENOMEM;
	bench->event = sd_event_ref(event);
	bench->pidfd = bench->worker.out = -1;
	*out = bench;
	return 0;
}

static void stop_reading(struct bench *bench)
{
	bench->reader = sd_event_source_disable_unref(bench->reader);
	if (bench->worker.out >= 0)
		close(bench->worker.out);
	bench->worker.out = -1;
	buffer_free(&bench->line);
}

static void reaped(struct bench *bench)
{
	bench->reaper = sd_event_source_disable_unref(bench->reaper);
	if (bench->pidfd >= 0)
		close(bench->pidfd);
	bench->pidfd = -1;
	bench->worker.pid = 0;
}

void bench_free(struct bench *bench)
{
	if (!bench)
		return;
	if (bench->worker.pid) {
		kill(bench->worker.pid, SIGKILL); /* init reaps it, should it take its time */
		waitpid(bench->worker.pid, NULL, WNOHANG);
	}
	stop_reading(bench);
	reaped(bench);
	sd_event_unref(bench->event);
	free(bench);
}

static bool is_busy(const struct bench *bench)
{
	return bench->worker.pid || bench->worker.out >= 0;
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
	if (bench->worker.pid)
		kill(bench->worker.pid, SIGKILL);
	stop_reading(bench); /* which ends the unit */
}

/* One line of the worker: {"progress"}, or the last one, {"result"} or {"error"}. */
static void pass_on(struct bench *bench, const char *text, size_t len)
{
	struct session *session = bench->session;
	json_t *line = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);
	const char *error = json_string_value(json_object_get(line, "error"));

	if (error) {
		if (json_is_true(json_object_get(line, "usage")))
			session_invalid(session, "arguments", error);
		else
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
	ssize_t n = read(bench->worker.out, bytes, sizeof(bytes));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n > 0 && buffer_len(&bench->line) < LINE_MAX_BYTES &&
	    buffer_append(&bench->line, bytes, n) == 0) {
		pass_on_lines(bench);
		if (bench->session)
			return true;
	}
	stop_reading(bench); /* the end, or nobody listens; on_exit_of_worker() says the rest */
	if (!bench->worker.pid && bench->session) {
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
	if (waitid(P_PID, bench->worker.pid, &info, WEXITED | WNOHANG) < 0 || !info.si_pid)
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

static int watch(struct bench *bench)
{
	int r = 0;

	if (bench->worker.pid) {
		bench->pidfd = (int)syscall(SYS_pidfd_open, bench->worker.pid, 0);
		r = bench->pidfd < 0 ? -errno
				     : sd_event_add_io(bench->event, &bench->reaper, bench->pidfd,
						       EPOLLIN, on_exit_of_worker, bench);
	}
	if (r >= 0)
		r = sd_event_add_io(bench->event, &bench->reader, bench->worker.out, EPOLLIN,
				    on_output, bench);
	return r < 0 ? r : 0;
}

static int start_worker(struct bench *bench, const json_t *arguments, const char **argv,
			struct fault *fault)
{
	int r = bench_worker_start(arguments, argv, &bench->worker, fault);

	if (r)
		return r;
	r = watch(bench);
	if (!r)
		return 0;
	if (bench->worker.pid) {
		kill(bench->worker.pid, SIGKILL);
		waitpid(bench->worker.pid, NULL, 0);
	}
	stop_reading(bench);
	reaped(bench);
	return fault_set(fault, r, "xmcast-bench cannot be watched: %s", strerror(-r));
}

/* The words behind argv[0], which stays as it is. False: refused, and answered. */
static bool take_words(struct session *session, const json_t *arguments,
		       const char *argv[static ARGUMENTS_MAX + 2])
{
	json_t *word;
	size_t i;

	json_array_foreach((json_t *)arguments, i, word)
	{
		argv[i + 1] = json_string_value(word);
		if (!session->is_root && bench_word_needs_root(argv[i + 1])) {
			session_error(session, SERVICE_INTERFACE ".PermissionDenied",
				      "real interfaces and programs from files need root");
			return false;
		}
	}
	return true;
}

void method_bench(struct session *session, const struct call *call)
{
	struct bench *bench = session->service->bench;
	const json_t *arguments = json_object_get(call->parameters, "arguments");
	const char *argv[ARGUMENTS_MAX + 2] = {0};
	struct fault fault = {""};
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
	if (!take_words(session, arguments, argv))
		return;
	r = bench_words_check(session->service->backend->model, argv + 1, &fault);
	if (r < 0) {
		session_error(session, "Refused", fault.text);
		return;
	}
	r = start_worker(bench, arguments, argv, &fault);
	if (r < 0) {
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
	bench_worker_stop(&bench->worker);
	session_reply(session, json_object());
}
