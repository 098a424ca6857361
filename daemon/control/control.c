/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The listening socket: who may connect, and how many. */
#include "daemon/control/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "daemon/control/bench.h"
#include "daemon/control/monitor.h"
#include "daemon/control/peer.h"
#include "daemon/control/privilege.h"

/* A connection of root can hold 1 MiB of input, of others 64 KiB: 64 MiB and 16 MiB at most. */
#define PEERS_MAX	  256
#define PEERS_PER_UID_MAX 64
#define PEERS_FOR_ROOT	  16 /* of PEERS_MAX: nobody else can take them */
#define BACKLOG		  128

struct control {
	struct control_backend backend;
	struct service service;
	sd_event *event; /* a reference */
	sd_event_source *source;
	int fd;		  /* listening; owned */
	int reserve;	  /* given up to accept and refuse when descriptors have run out */
	char *path;	  /* NULL: inherited, not ours to unlink */
	struct stat made; /* what we bound: another daemon's socket is left alone */
	gid_t group;
	struct peer *peers;
};

/* Answers before any call, then closes. */
static void turn_away(int fd, const char *text)
{
	struct buffer out = {};
	json_t *error = error_encode(CONTROL_INTERFACE ".TooManyConnections",
				     json_pack("{s:s}", "message", text));

	if (message_encode(&out, error) == 0 &&
	    send(fd, out.data, buffer_len(&out), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		/* it hears nothing, then; it is closed all the same */
	}
	json_decref(error);
	buffer_free(&out);
	close(fd);
}

static bool is_full(const struct control *control, uid_t uid, char text[static 128])
{
	unsigned int all = 0, mine = 0;
	unsigned int most = uid == 0 ? PEERS_MAX : PEERS_MAX - PEERS_FOR_ROOT;

	for (const struct peer *peer = control->peers; peer; peer = peer->next) {
		all++;
		mine += peer->uid == uid;
	}
	if (mine >= PEERS_PER_UID_MAX)
		snprintf(text, 128, "user %u has %u connections to xmcastd already: close some",
			 uid, mine);
	else if (all >= most)
		snprintf(text, 128, "xmcastd has %u connections already: try again later", all);
	return mine >= PEERS_PER_UID_MAX || all >= most;
}

static void welcome(struct control *control, int fd)
{
	char text[128];
	bool may_change;
	uid_t uid;

	if (privilege_of(fd, control->group, &uid, &may_change) < 0)
		close(fd);
	else if (is_full(control, uid, text))
		turn_away(fd, text);
	else
		peer_new(&control->peers, control->event, &control->service, fd, uid, may_change);
}

/* Out of descriptors: the one kept in reserve lets us take the connection and refuse it. */
static void refuse(struct control *control)
{
	int fd;

	close(control->reserve);
	fd = accept4(control->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0)
		turn_away(fd, "xmcastd has no file descriptor left: raise LimitNOFILE=");
	control->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static int on_connection(sd_event_source *source, int listening, uint32_t events, void *data)
{
	struct control *control = data;
	int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	(void)source;
	(void)events;
	if (fd >= 0)
		welcome(control, fd);
	else if (errno == EMFILE || errno == ENFILE)
		refuse(control);
	return 0; /* any other error is of that connection alone */
}

/* Is someone listening at `address`? -EADDRINUSE with fault; 0: the file is a leftover. */
static int check_leftover(const struct sockaddr_un *address, struct fault *fault)
{
	struct ucred owner = {};
	socklen_t len = sizeof(owner);
	struct stat st;
	int fd, r;

	if (lstat(address->sun_path, &st) == 0 && !S_ISSOCK(st.st_mode))
		return fault_set(fault, -EADDRINUSE, "%s is there and is not a socket: remove it",
				 address->sun_path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return fault_set(fault, -errno, "cannot create a socket: %m");
	r = connect(fd, (const struct sockaddr *)address, sizeof(*address));
	if (r < 0 && errno != EAGAIN) { /* EAGAIN: someone listens, the backlog is full */
		close(fd);
		return 0;
	}
	getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &owner, &len);
	close(fd);
	return fault_set(fault, -EADDRINUSE,
			 "%s is served by process %d already: stop that xmcastd, or give this one "
			 "another --runtime-dir",
			 address->sun_path, owner.pid);
}

static int bind_socket(struct control *control, const struct sockaddr_un *address,
		       struct fault *fault)
{
	const char *path = address->sun_path;
	int r = bind(control->fd, (const struct sockaddr *)address, sizeof(*address));

	if (r < 0 && errno == EADDRINUSE) {
		r = check_leftover(address, fault);
		if (r < 0)
			return r;
		unlink(path);
		r = bind(control->fd, (const struct sockaddr *)address, sizeof(*address));
	}
	if (r < 0)
		return fault_set(fault, -errno, "cannot create the control socket %s: %m", path);
	control->path = strdup(path);
	if (!control->path)
		return fault_set(fault, -ENOMEM, "out of memory");
	/* everybody may connect; each method asks who it is */
	if (lstat(path, &control->made) < 0 || chmod(path, 0666) < 0)
		return fault_set(fault, -errno, "cannot set the mode of %s: %m", path);
	return 0;
}

static int make_socket(struct control *control, const char *path, struct fault *fault)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int r;

	if (strlen(path) >= sizeof(address.sun_path))
		return fault_set(fault, -ENAMETOOLONG,
				 "the control socket's path %s has more than %zu bytes: use a "
				 "shorter --runtime-dir",
				 path, sizeof(address.sun_path) - 1);
	strcpy(address.sun_path, path);
	control->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (control->fd < 0)
		return fault_set(fault, -errno, "cannot create a socket: %m");
	r = bind_socket(control, &address, fault);
	if (r < 0)
		return r;
	if (listen(control->fd, BACKLOG) < 0)
		return fault_set(fault, -errno, "cannot listen at %s: %m", path);
	return 0;
}

static int listen_at(struct control *control, const struct control_options *options,
		     struct fault *fault)
{
	int r;

	if (options->listen_fd < 0)
		return make_socket(control, options->socket_path, fault);
	control->fd = options->listen_fd;
	r = fcntl(control->fd, F_GETFL);
	if (r < 0 || fcntl(control->fd, F_SETFL, r | O_NONBLOCK) < 0)
		return fault_set(fault, -errno, "cannot use the inherited socket: %m");
	return 0;
}

int control_open(struct control **out, sd_event *event, const struct control_options *options,
		 const struct control_backend *backend, struct fault *fault)
{
	struct control *control = calloc(1, sizeof(*control));
	int r;

	if (!control)
		return fault_set(fault, -ENOMEM, "out of memory");
	control->backend = *backend;
	control->service.backend = &control->backend;
	control->event = sd_event_ref(event);
	control->group = privilege_group();
	control->reserve = open("/dev/null", O_RDONLY | O_CLOEXEC);
	control->fd = -1;
	r = bench_new(&control->service.bench, event);
	if (r < 0)
		fault_set(fault, r, "out of memory");
	else
		r = listen_at(control, options, fault);
	if (r == 0) {
		r = sd_event_add_io(event, &control->source, control->fd, EPOLLIN, on_connection,
				    control);
		if (r < 0)
			fault_set(fault, r, "cannot watch the control socket: %s", strerror(-r));
	}
	if (r < 0) {
		control_close(control);
		return r;
	}
	*out = control;
	return 0;
}

int control_serve(struct control *control, int fd)
{
	/* (uid_t)-1 is nobody's: it takes no place that somebody else could want */
	return peer_new(&control->peers, control->event, &control->service, fd, (uid_t)-1, false);
}

void control_close(struct control *control)
{
	struct stat now;

	if (!control)
		return;
	while (control->peers)
		peer_free(control->peers);
	bench_free(control->service.bench);
	sd_event_source_disable_unref(control->source);
	sd_event_unref(control->event);
	if (control->path && lstat(control->path, &now) == 0 &&
	    now.st_dev == control->made.st_dev && now.st_ino == control->made.st_ino)
		unlink(control->path);
	if (control->fd >= 0)
		close(control->fd);
	if (control->reserve >= 0)
		close(control->reserve);
	free(control->path);
	free(control);
}

void control_event(struct control *control, const char *event, const char *key, const char *value,
		   const char *detail)
{
	monitor_event(&control->service, event, key, value, detail);
}
