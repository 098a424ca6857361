/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage: fake-daemon SOCKET [GROUPS]: serves the fake backend until SIGTERM, or until its
 * standard input ends: whoever started it holds the other end, so it never outlives a test.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "tests/unit/control/fake.h"

static int on_input(sd_event_source *source, int fd, uint32_t events, void *data)
{
	char bytes[64];

	(void)events;
	(void)data;
	if (read(fd, bytes, sizeof(bytes)) <= 0)
		sd_event_exit(sd_event_source_get_event(source), 0);
	return 0;
}

int main(int argc, char **argv)
{
	struct control_options options = {.socket_path = argv[1], .listen_fd = -1};
	struct control *control = NULL;
	struct fault fault = {};
	struct fake fake;
	sd_event *event;
	sigset_t mask;
	int r;

	if (argc < 2 || sd_event_default(&event) < 0)
		return 2;
	sigemptyset(&mask);
	sigaddset(&mask, SIGTERM);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	fake_init(&fake);
	limits_raise(&fake.model->limits);
	fake_config_group(&fake, "239.0.0.7");
	fake_fill(&fake, argc > 2 ? atoi(argv[2]) : 0);
	r = control_open(&control, event, &options, &fake.backend, &fault);
	if (r < 0) {
		fprintf(stderr, "fake-daemon: %s\n", fault.text);
		return 1;
	}
	sd_event_add_signal(event, NULL, SIGTERM, NULL, NULL);
	sd_event_add_io(event, NULL, STDIN_FILENO, EPOLLIN, on_input, NULL);
	printf("ready\n");
	fflush(stdout);
	sd_event_loop(event);
	control_close(control);
	fake_finish(&fake);
	sd_event_unref(event);
	return 0;
}
