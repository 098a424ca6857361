// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/control/bench_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define BENCH_SOCKET "/run/xmcast-bench.socket" /* of xmcast-bench.socket */

/* What the environment says, for tests; NULL: nothing. */
static const char *chosen(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* XMCAST_BENCH, or beside a daemon that was just built, or where it is installed. */
static const char *find_program(char path[static PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 32);
	char *slash;

	if (chosen("XMCAST_BENCH"))
		return chosen("XMCAST_BENCH");
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

static int spawn(const char **argv, struct bench_worker *out, struct fault *fault)
{
	char path[PATH_MAX];
	pid_t daemon = getpid();
	int pipes[2], r = 0;

	argv[0] = find_program(path);
	if (access(argv[0], X_OK) < 0)
		return fault_set(fault, -errno, "%s cannot be started: %s: is it installed?",
				 argv[0], strerror(errno));
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return fault_set(fault, -errno, "%s cannot be started: %s", argv[0],
				 strerror(errno));
	out->pid = fork();
	if (out->pid == 0)
		execute(argv[0], argv, pipes[1], daemon);
	if (out->pid < 0)
		r = fault_set(fault, -errno, "%s cannot be started: %s", argv[0], strerror(errno));
	close(pipes[1]);
	if (r)
		close(pipes[0]);
	else
		out->out = pipes[0];
	return r;
}

/* 0; -ENOENT or -ECONNREFUSED when systemd does not listen, or another negative errno. */
static int call_unit(const json_t *arguments, struct bench_worker *out)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *path = chosen("XMCAST_BENCH_SOCKET");
	char *words = json_dumps(arguments, JSON_COMPACT);
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), r = 0;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path ? path : BENCH_SOCKET);
	if (!words)
		r = -ENOMEM;
	else if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
		 send(fd, words, strlen(words), MSG_NOSIGNAL) < 0 ||
		 send(fd, "\n", 1, MSG_NOSIGNAL) < 0)
		r = -errno;
	free(words);
	if (!r)
		out->out = fd;
	else if (fd >= 0)
		close(fd);
	return r;
}

int bench_worker_start(const json_t *arguments, const char **argv, struct bench_worker *out,
		       struct fault *fault)
{
	int r = chosen("XMCAST_BENCH") ? -ENOENT : call_unit(arguments, out);

	if (r == -ENOENT || r == -ECONNREFUSED)
		r = spawn(argv, out, fault);
	else if (r)
		fault_set(fault, r, "the unit xmcast-bench.socket does not take the call: %s",
			  strerror(-r));
	if (!r)
		fcntl(out->out, F_SETFL, O_NONBLOCK);
	return r;
}

void bench_worker_stop(const struct bench_worker *worker)
{
	if (worker->pid)
		kill(worker->pid, SIGTERM);
	else if (send(worker->out, "stop\n", 5, MSG_NOSIGNAL) < 0)
		shutdown(worker->out, SHUT_RDWR);
}
