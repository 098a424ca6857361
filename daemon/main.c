// SPDX-License-Identifier: GPL-2.0-or-later
/* xmcastd: parse, build, adopt, READY, loop, exit code. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "daemon/capability.h"
#include "daemon/config/config.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/place.h"

static int on_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *data)
{
	struct daemon *d = data;

	if (info->ssi_signo == SIGHUP)
		daemon_reload(d, NULL, NULL);
	else
		sd_event_exit(sd_event_source_get_event(source), 0);
	return 0;
}

static int open_loop(struct daemon *d, struct fault *fault)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGHUP);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGPIPE, SIG_IGN);
	int error = sd_event_new(&d->event);
	if (error >= 0)
		error = sd_event_add_signal(d->event, NULL, SIGTERM, on_signal, d);
	if (error >= 0)
		error = sd_event_add_signal(d->event, NULL, SIGINT, on_signal, d);
	if (error >= 0)
		error = sd_event_add_signal(d->event, NULL, SIGHUP, on_signal, d);
	return error < 0 ? fault_set(fault, error, "event loop: %s", strerror(-error)) : 0;
}

/* The wanted state: configuration, then what was added at run time before. */
static int build_model(struct daemon *d, struct fault *fault)
{
	struct fault state_fault;

	d->model = model_new();
	if (!d->model)
		return fault_set(fault, -ENOMEM, "out of memory");
	int error = daemon_read_config(d, d->model, fault);
	if (error)
		return error;
	error = state_read(d->state_path, d->model, &state_fault);
	if (error != -ENOENT && state_fault.text[0]) /* also what was left out of a good file */
		log_line(error ? LOG_ERR : LOG_WARNING, "%s", state_fault.text);
	model_settle(d->model);
	d->saved_version = d->model->version;
	return error == -ENOMEM ? error : 0;
}

static int open_place(struct daemon *d, struct fault *fault)
{
	const char *dir = d->options.runtime_dir;

	if (strlen(dir) > 80) /* a UNIX socket's path holds 108 bytes */
		return fault_set(fault, -ENAMETOOLONG, "--runtime-dir %s is too long for a socket",
				 dir);
	snprintf(d->state_path, sizeof(d->state_path), "%s/state", dir);
	snprintf(d->socket_path, sizeof(d->socket_path), "%s/io.xmcast.Control", dir);
	int error = d->options.netns ? place_enter_netns(d->options.netns, fault) : 0;
	if (!error)
		error = place_make_dir(dir, fault);
	if (error)
		return error;
	d->lock_fd = place_lock(dir, fault);
	if (d->lock_fd < 0)
		return d->lock_fd;
	fault->text[0] = 0;
	d->netns_lock_fd = place_lock_netns(fault);
	if (d->netns_lock_fd < 0)
		return d->netns_lock_fd;
	if (fault->text[0])
		log_line(LOG_WARNING, "%s", fault->text);
	return 0;
}

static int open_reconcile(struct daemon *d, struct fault *fault)
{
	const struct reconcile_options options = {
	    .bpffs = strcmp(d->options.bpffs, "none") ? d->options.bpffs : NULL,
	    .event = daemon_event,
	    .data = d,
	};

	if (!options.bpffs)
		log_line(LOG_WARNING,
			 "nothing is pinned: a restart will lose traffic and counters");
	return reconcile_open(&d->reconcile, d->event, d->model, &options, fault);
}

static int open_control(struct daemon *d, struct fault *fault)
{
	struct control_options options = {.socket_path = d->socket_path, .listen_fd = -1};
	struct control_backend backend;

	if (sd_listen_fds(0) == 1)
		options.listen_fd = SD_LISTEN_FDS_START;
	daemon_backend(d, &backend);
	return control_open(&d->control, d->event, &options, &backend, fault);
}

static void on_first_settled(int error, const struct fault *fault, void *token)
{
	struct daemon *d = token;

	if (error)
		log_line(LOG_WARNING, "%s", fault->text);
	d->ready = true;
	sd_notify(0, "READY=1");
	watch_changed(d->watch);
	log_line(LOG_INFO, "ready: groups: %zu, control socket %s", d->model->group_count,
		 d->socket_path);
}

static int run(struct daemon *d, struct fault *fault)
{
	int error = capability_check(fault);
	if (!error)
		error = open_place(d, fault);
	if (!error)
		error = capability_reduce(fault);
	if (!error)
		error = build_model(d, fault);
	if (!error)
		error = open_loop(d, fault);
	if (!error)
		error = open_reconcile(d, fault);
	if (!error)
		error = open_control(d, fault);
	if (!error)
		error = watch_open(&d->watch, d->event, d->model, d->reconcile, d->control, fault);
	if (error)
		return error;
	reconcile_run(d->reconcile, on_first_settled, d);
	error = sd_event_loop(d->event);
	if (error < 0)
		return fault_set(fault, error, "event loop: %s", strerror(-error));
	sd_notify(0, "STOPPING=1");
	log_line(LOG_INFO, "stopping: %s",
		 strcmp(d->options.bpffs, "none") ? "what is attached forwards on"
						  : "nothing is pinned, so that forwarding ends");
	return 0;
}

static int check(struct daemon *d, struct fault *fault)
{
	struct model *model = model_new();

	if (!model)
		return fault_set(fault, -ENOMEM, "out of memory");
	int error = daemon_read_config(d, model, fault);
	if (!error)
		printf("%s%s, files of conf.d: %u, groups: %zu, no errors\n", d->options.config,
		       d->config_found.file ? "" : " (is not there)", d->config_found.more,
		       model->group_count);
	model_free(model);
	if (error == -EINVAL)
		fault->text[0] = 0; /* every error has been printed */
	return error;
}

/* How many groups the state file holds; a bad one has nothing that anybody could miss. */
static size_t count_runtime(struct daemon *d)
{
	struct model *model = model_new();

	if (model)
		limits_raise(&model->limits);
	size_t count = model && !state_read(d->state_path, model, NULL) ? model->group_count : 0;
	model_free(model);
	return count;
}

static int purge(struct daemon *d, struct fault *fault)
{
	size_t groups = 0;
	int error = capability_check(fault);
	if (!error)
		error = open_place(d, fault);

	if (!error && strcmp(d->options.bpffs, "none"))
		error = reconcile_purge(d->options.bpffs, fault);
	if (!error) {
		groups = count_runtime(d);
		error = state_remove(d->state_path, fault);
	}
	if (error)
		return error;
	place_remove(d->options.runtime_dir);
	printf("removed: programs and pins of %s, runtime groups: %zu\n", d->options.bpffs, groups);
	return 0;
}

static void close_all(struct daemon *d)
{
	watch_close(d->watch);
	control_close(d->control);
	reconcile_close(d->reconcile);
	model_free(d->model);
	sd_event_unref(d->event);
	if (d->netns_lock_fd >= 0)
		close(d->netns_lock_fd);
	if (d->lock_fd >= 0)
		close(d->lock_fd);
	options_free(&d->options);
}

int main(int argc, char **argv)
{
	struct daemon d = {.lock_fd = -1, .netns_lock_fd = -1};
	struct fault fault = {0};
	struct timespec now;

	int parsed = options_parse(argc, (const char **)argv, &d.options);
	if (parsed)
		return parsed > 0 ? 0 : 2;
	clock_gettime(CLOCK_MONOTONIC, &now);
	d.started = now.tv_sec;
	log_open(d.options.verbose);
	int error = d.options.check   ? check(&d, &fault)
		    : d.options.purge ? purge(&d, &fault)
				      : run(&d, &fault);
	if (error && fault.text[0])
		log_line(LOG_ERR, "%s", fault.text);
	close_all(&d);
	return error ? 1 : 0;
}
