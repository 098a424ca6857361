// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/config/config.h"
#include "daemon/daemon.h"
#include "daemon/log.h"
#include "daemon/often.h"

/* Somebody waits for a change to be actual and saved. */
struct change {
	struct daemon *daemon;
	control_done done;
	void *token;
};

static int save_state(struct daemon *d)
{
	if (d->saved_version == d->model->version)
		return 0;
	struct fault why;
	int error = state_write(d->state_path, d->model, &why);
	if (error)
		return fault_set(&d->unsaved, error,
				 "the change is active, but a restart would lose it: %.400s",
				 why.text);
	d->saved_version = d->model->version;
	d->unsaved.text[0] = 0;
	return 0;
}

static void on_actual(int error, const struct fault *fault, void *token)
{
	struct change *change = token;
	const struct fault *unsaved = &change->daemon->unsaved;

	int save_error = save_state(change->daemon);
	if (save_error)
		log_line(LOG_ERR, "%s", unsaved->text);
	if (error)
		log_line(LOG_WARNING, "%s", fault->text);
	if (!error && save_error) {
		error = -save_error; /* in force all the same */
		fault = unsaved;
	}
	watch_changed(change->daemon->watch);
	if (change->done)
		change->done(error, fault, change->token);
	free(change);
}

static void make_actual(struct daemon *d, control_done done, void *token)
{
	struct change *change = malloc(sizeof(*change));

	if (!change) {
		struct fault fault;
		if (done)
			done(fault_set(&fault, -ENOMEM, "out of memory"), &fault, token);
		return;
	}
	*change = (struct change){.daemon = d, .done = done, .token = token};
	reconcile_run(d->reconcile, on_actual, change);
}

struct errors {
	struct fault *fault;
	unsigned int count, untold; /* that the fault has no room for */
};

#define ROOM_FOR_MORE 64 /* of a fault, for the last line when not all fit */

static void on_config_error(const char *file, unsigned int line, const char *text, void *data)
{
	struct errors *errors = data;
	char *told = errors->fault->text, place[16] = "", one[sizeof(errors->fault->text)];
	size_t used = strlen(told), room = sizeof(errors->fault->text) - ROOM_FOR_MORE - used;

	if (line)
		snprintf(place, sizeof(place), ":%u", line);
	log_line(LOG_ERR, "%s%s: %s", file, place, text);
	int length = snprintf(one, sizeof(one), "%s%s%s: %s", used ? "\n" : "", file, place, text);
	errors->count++;
	/* whole lines only, but the first is told as far as it fits */
	if (used && (errors->untold || (size_t)length >= room))
		errors->untold++;
	else
		snprintf(told + used, room, "%s", one);
}

static void tell_untold(struct errors *errors)
{
	char *told = errors->fault->text;
	size_t used = strlen(told);

	if (errors->untold)
		snprintf(told + used, sizeof(errors->fault->text) - used,
			 "\n%u more: xmcastd --check tells all", errors->untold);
}

int daemon_read_config(struct daemon *d, struct model *model, struct fault *fault)
{
	const struct options *options = &d->options;
	struct errors errors = {.fault = fault};

	fault->text[0] = 0;
	int result = config_read(options->config, !options->config_named, &d->config_found, model,
				 on_config_error, &errors);
	tell_untold(&errors);
	if (result < 0 && !errors.count)
		return fault_set(fault, result, "%s: %s", options->config,
				 config_unreadable(result));
	return result ? -EINVAL : 0;
}

static int replace_config(struct daemon *d, struct fault *fault)
{
	struct model *read = model_new();

	if (!read)
		return fault_set(fault, -ENOMEM, "out of memory");
	int error = daemon_read_config(d, read, fault);
	if (!error && memcmp(&read->limits, &d->model->limits, sizeof(read->limits)))
		error =
		    fault_set(fault, -EINVAL,
			      "%s changes a limit, which sizes the kernel maps: restart xmcastd",
			      d->options.config);
	if (!error)
		error = reconcile_permits(d->reconcile, read, fault);
	if (!error)
		error = model_replace(d->model, read, true, fault);
	model_free(read);
	return error;
}

void daemon_reload(struct daemon *d, control_done done, void *token)
{
	struct fault fault = {0};
	int error = replace_config(d, &fault);

	if (error) {
		log_line(LOG_ERR, "reload refused, nothing changed: %s", fault.text);
		if (done)
			done(error, &fault, token);
		return;
	}
	size_t count = 0; /* without those of run time, which it left alone */
	for (size_t i = 0; i < d->model->group_count; i++)
		count += d->model->groups[i]->file != NULL;
	log_line(LOG_INFO, "configuration reloaded: groups of it: %zu", count);
	make_actual(d, done, token);
}

/* The priority of an interface's event, of which the log has enough for now or not. */
static int unless_often(const char *interface, int priority)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	switch (often(interface, now.tv_sec)) {
	case OFTEN_BEGINS:
		log_event(LOG_NOTICE, &(struct log_about){.interface = interface},
			  "%s changes often: the log leaves out what follows within a minute, "
			  "`xmcastctl monitor` shows all",
			  interface);
		return priority;
	case OFTEN:
		return LOG_DEBUG;
	default:
		return priority;
	}
}

void daemon_event(const char *event, const char *key, const char *value, const char *detail,
		  void *data)
{
	struct daemon *d = data;

	bool loud = !strcmp(event, "replaced") || !strcmp(event, "attach-failed") ||
		    !strcmp(event, "taken-off");
	bool is_group = !strcmp(key, "group");
	bool is_reason = !strcmp(event, "not-ready");
	/* one that is ready from the start is no news */
	bool quiet = !is_group && !strcmp(event, "ready") && !detail[0];
	const struct log_about about = {
	    .group = is_group ? value : NULL,
	    .interface = strcmp(key, "interface") ? NULL : value,
	    .reason = is_reason ? detail : NULL,
	};

	int priority = loud ? LOG_WARNING : quiet ? LOG_DEBUG : LOG_INFO;
	if (about.interface && !quiet)
		priority = unless_often(value, priority);
	log_event(priority, &about, "%s %s %s%s%s", event, key, value, detail[0] ? ": " : "",
		  detail);
	watch_changed(d->watch);
	if (d->control)
		control_event(d->control, event, key, value, detail);
}

static int backend_check_group(const struct group *group, enum group_check how,
			       void (*warn)(const char *text, void *token), void *token,
			       struct fault *fault, void *data)
{
	struct daemon *d = data;
	return reconcile_check_group(d->reconcile, group, how, warn, token, fault);
}

static void backend_changed(control_done done, void *token, void *data)
{
	make_actual(data, done, token);
}

static void backend_reload(control_done done, void *token, void *data)
{
	daemon_reload(data, done, token);
}

static void backend_reattach(const char *interface, control_done done, void *token, void *data)
{
	struct daemon *d = data;
	struct fault fault;

	int error = reconcile_reattach(d->reconcile, interface, &fault);
	if (error)
		done(error, &fault, token);
	else
		make_actual(d, done, token);
}

static int backend_group_report(const struct group *group, struct group_report *out, void *data)
{
	struct daemon *d = data;
	return reconcile_group_report(d->reconcile, group, out);
}

static int backend_each_interface(int (*f)(const struct interface_report *report, void *token),
				  void *token, void *data)
{
	struct daemon *d = data;
	return reconcile_each_interface(d->reconcile, f, token);
}

static int backend_stats(struct stats_report *out, void *data)
{
	struct daemon *d = data;
	return reconcile_stats(d->reconcile, out);
}

static int backend_explain(const struct frame_wish *wish, struct frame_report *out,
			   struct fault *fault, void *data)
{
	struct daemon *d = data;
	return reconcile_explain(d->reconcile, wish, out, fault);
}

static int backend_trace(const struct trace_wish *wish, struct fault *fault, void *data)
{
	struct daemon *d = data;
	return reconcile_trace(d->reconcile, wish, fault);
}

static void backend_trace_stop(void *data)
{
	struct daemon *d = data;
	reconcile_trace_stop(d->reconcile);
}

static int backend_doctor(const struct doctor_wish *wish, void *data)
{
	struct daemon *d = data;
	struct doctor_wish with_file = *wish;

	with_file.config_file = d->options.config;
	return reconcile_doctor(d->reconcile, &with_file);
}

static int backend_status(struct status_report *out, void *data)
{
	struct daemon *d = data;

	reconcile_status(d->reconcile, out);
	if (!out->problem[0])
		snprintf(out->problem, sizeof(out->problem), "%.255s", d->unsaved.text);
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	out->uptime_seconds = now.tv_sec - d->started;
	snprintf(out->config_file, sizeof(out->config_file), "%s", d->options.config);
	out->config_there = d->config_found.file;
	out->config_more = d->config_found.more;
	return 0;
}

void daemon_backend(struct daemon *d, struct control_backend *out)
{
	*out = (struct control_backend){
	    .data = d,
	    .model = d->model,
	    .check_group = backend_check_group,
	    .changed = backend_changed,
	    .reload = backend_reload,
	    .reattach = backend_reattach,
	    .group_report = backend_group_report,
	    .each_interface = backend_each_interface,
	    .stats = backend_stats,
	    .explain = backend_explain,
	    .doctor = backend_doctor,
	    .trace = backend_trace,
	    .trace_stop = backend_trace_stop,
	    .status = backend_status,
	    .event = daemon_event,
	};
}
