// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>

#include "daemon/log.h"

#define TEXT_MAX  1024
#define FIELD_MAX 160

static bool verbose, journal;

/* JOURNAL_STREAM may be inherited while stderr went elsewhere: it says which file it means. */
static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long device, inode;
	struct stat st;

	return stream && sscanf(stream, "%llu:%llu", &device, &inode) == 2 && fstat(2, &st) == 0 &&
	       st.st_dev == device && st.st_ino == inode;
}

void log_open(bool be_verbose)
{
	verbose = be_verbose;
	journal = stderr_is_journal();
}

struct fields {
	char text[5][FIELD_MAX];
	struct iovec all[6];
	int count;
};

static void add_field(struct fields *fields, const char *name, const char *value)
{
	char *text = fields->text[fields->count - 1];

	if (!value || !*value)
		return;
	snprintf(text, FIELD_MAX, "%s=%s", name, value);
	fields->all[fields->count++] = (struct iovec){text, strlen(text)};
}

/* False when the journal does not take it. */
static bool to_journal(int priority, const struct log_about *about, char *message)
{
	char number[4];
	struct fields fields = {.all = {{message, strlen(message)}}, .count = 1};

	snprintf(number, sizeof(number), "%d", priority);
	add_field(&fields, "PRIORITY", number);
	add_field(&fields, "SYSLOG_IDENTIFIER", "xmcastd");
	add_field(&fields, "XMCAST_GROUP", about->group);
	add_field(&fields, "XMCAST_INTERFACE", about->interface);
	add_field(&fields, "XMCAST_REASON", about->reason);
	return sd_journal_sendv(fields.all, fields.count) == 0;
}

__attribute__((format(printf, 3, 0))) static void
write_line(int priority, const struct log_about *about, const char *format, va_list args)
{
	static const char field[] = "MESSAGE=";
	char text[sizeof(field) + TEXT_MAX];

	if (priority == LOG_DEBUG && !verbose)
		return;
	memcpy(text, field, sizeof(field));
	vsnprintf(text + sizeof(field) - 1, TEXT_MAX, format, args);
	if (journal && to_journal(priority, about, text))
		return;
	if (journal)
		fprintf(stderr, "<%d>%s\n", priority, text + sizeof(field) - 1);
	else
		fprintf(stderr, "xmcastd: %s\n", text + sizeof(field) - 1);
}

void log_line(int priority, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(priority, &(struct log_about){0}, format, args);
	va_end(args);
}

void log_event(int priority, const struct log_about *about, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(priority, about, format, args);
	va_end(args);
}
