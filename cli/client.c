/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/output.h"

#define REPLY_MAX    (256u << 20) /* bytes: the daemon is trusted, an endless message is not */
#define PATIENCE     (120 * 1000) /* ms without a byte from the daemon */
#define READ_AT_ONCE (64u << 10)

const char *client_start(const struct cli *cli, char *buf, size_t size)
{
	snprintf(buf, size, "systemctl start xmcastd%s%s", cli->netns ? "@" : "",
		 cli->netns ? cli->netns : "");
	return buf;
}

static int unreachable(const struct cli *cli, int error)
{
	const char *path = cli->socket;
	char start[320];

	if (error == EACCES || error == EPERM)
		return cli_fail(CLI_NOT_PERMITTED, "cannot connect to xmcastd at %s: %s", path,
				strerror(error));
	return cli_fail(CLI_UNREACHABLE,
			"cannot reach xmcastd at %s: %s: is it running (%s)? "
			"Elsewhere: --socket PATH or --netns NAME",
			path, strerror(error), client_start(cli, start, sizeof(start)));
}

int client_open(struct client *client, const struct cli *cli)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};

	*client = (struct client){.cli = cli, .fd = -1, .frames.limit = REPLY_MAX};
	if (strlen(cli->socket) >= sizeof(address.sun_path))
		return unreachable(cli, ENAMETOOLONG);
	strcpy(address.sun_path, cli->socket);
	client->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (client->fd < 0)
		return cli_fail(CLI_UNREACHABLE, "cannot create a socket: %s", strerror(errno));
	if (connect(client->fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		int error = errno;

		client_close(client);
		return unreachable(cli, error);
	}
	return CLI_DONE;
}

void client_close(struct client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	buffer_free(&client->frames.in);
	client->fd = -1;
}

/* A daemon that refuses closes before it has read all; its answer is still there to be read. */
static void send_all(const struct client *client, const struct buffer *out)
{
	size_t done = 0, len = buffer_len(out);

	while (done < len) {
		ssize_t n =
		    send(client->fd, out->data + out->start + done, len - done, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return;
		done += n > 0 ? n : 0;
	}
}

static int lost(const struct client *client, const char *why)
{
	return cli_fail(CLI_UNREACHABLE, "lost the connection to xmcastd at %s: %s",
			client->cli->socket, why);
}

static int receive(struct client *client, bool patient)
{
	struct pollfd poll_fd = {.fd = client->fd, .events = POLLIN};
	char bytes[READ_AT_ONCE];
	ssize_t n;
	int r;

	do
		r = poll(&poll_fd, 1, patient ? -1 : PATIENCE);
	while (r < 0 && errno == EINTR);
	if (r == 0)
		return lost(client, "it does not answer");
	n = recv(client->fd, bytes, sizeof(bytes), 0);
	if (n < 0 && errno != EINTR)
		return lost(client, strerror(errno));
	if (n == 0)
		return lost(client, "it closed it without an answer");
	if (n > 0 && buffer_append(&client->frames.in, bytes, n) < 0)
		return lost(client, "out of memory");
	return CLI_DONE;
}

static int next_reply(struct client *client, bool patient, struct reply *out)
{
	struct codec_error error;
	const char *text;
	size_t len;
	int r;

	while ((r = frames_next(&client->frames, &text, &len)) == 0) {
		r = receive(client, patient);
		if (r != CLI_DONE)
			return r;
	}
	if (r < 0)
		return lost(client, "its message is too long");
	r = reply_decode(text, len, out, &error);
	frames_drop(&client->frames, len);
	if (r < 0)
		return cli_fail(CLI_UNREACHABLE,
				"what answers at %s is not xmcastd: its message %s",
				client->cli->socket, error.text);
	return CLI_DONE;
}

/* Does any of them have this member? */
static bool any_has(const json_t *groups, const char *key)
{
	size_t i;
	json_t *group;

	json_array_foreach((json_t *)groups, i, group)
	{
		if (*output_string(group, key))
			return true;
	}
	return false;
}

/* Each as words that mean it alone: those that tell them apart. */
static void list_candidates(const json_t *groups)
{
	bool sources = any_has(groups, "source"), vlans = any_has(groups, "vlan");
	size_t i;
	json_t *group;

	json_array_foreach((json_t *)groups, i, group)
	{
		const char *address = output_string(group, "address");
		const char *any = strchr(address, ':') ? "::/0" : "0.0.0.0/0";

		fprintf(stderr, "  %s", address);
		if (sources)
			fprintf(stderr, " --source %s", output_string_or(group, "source", any));
		if (vlans)
			fprintf(stderr, " --vlan %s", output_string_or(group, "vlan", "0"));
		fprintf(stderr, " --from %s\n", output_string(group, "from"));
	}
}

/* A number in parameters comes from the option of its name, and is called so. */
static void print_message(const char *message, const char *parameter)
{
	static const char integer[] = "' must be an integer";
	size_t len = parameter ? strlen(parameter) : 0;

	if (len && message[0] == '\'' && !strncmp(message + 1, parameter, len) &&
	    !strncmp(message + 1 + len, integer, strlen(integer)))
		cli_fail(0, "--%s%s", parameter, message + 1 + len + 1);
	else
		cli_fail(0, "%s", message);
}

static int print_error(const struct reply *reply)
{
	const char *message = json_string_value(json_object_get(reply->parameters, "message"));
	const char *name = strrchr(reply->error, '.');
	int code = CLI_REFUSED;

	name = name ? name + 1 : reply->error;
	if (strcmp(name, "PermissionDenied") == 0)
		code = CLI_NOT_PERMITTED;
	else if (strcmp(name, "InvalidParameter") == 0)
		code = CLI_USAGE;
	if (message)
		print_message(message,
			      json_string_value(json_object_get(reply->parameters, "parameter")));
	else
		cli_fail(code, "the daemon says %s", reply->error);
	list_candidates(json_object_get(reply->parameters, "groups"));
	return code;
}

int client_send(struct client *client, const char *method, json_t *parameters, bool more)
{
	struct buffer out = {};
	char name[128];
	json_t *call;
	int r;

	snprintf(name, sizeof(name), CONTROL_INTERFACE ".%s", method);
	call = parameters ? call_encode(name, parameters, more) : NULL;
	r = message_encode(&out, call);
	json_decref(call);
	if (r == 0)
		send_all(client, &out);
	buffer_free(&out);
	return r < 0 ? cli_fail(CLI_REFUSED, "out of memory") : CLI_DONE;
}

int client_receive(struct client *client, bool more, client_reply handle, void *data)
{
	bool continues = true;
	int r = CLI_DONE;

	while (continues && r == CLI_DONE) {
		struct reply reply;

		r = next_reply(client, more, &reply);
		if (r != CLI_DONE)
			break;
		continues = reply.continues;
		if (reply.error)
			r = print_error(&reply);
		else if (handle)
			r = handle(reply.parameters, continues, data);
		reply_free(&reply);
	}
	return r;
}

int client_call(struct client *client, const char *method, json_t *parameters, bool more,
		client_reply handle, void *data)
{
	int r = client_send(client, method, parameters, more);

	return r == CLI_DONE ? client_receive(client, more, handle, data) : r;
}

void client_warn(const json_t *parameters)
{
	size_t i;
	json_t *text;

	json_array_foreach(json_object_get(parameters, "warnings"), i, text)
	    fprintf(stderr, "xmcastctl: warning: %s\n", json_string_value(text));
}

struct call_once {
	const struct cli *cli;
	client_reply reply;
	void *data;
};

static int once(const json_t *parameters, bool continues, void *data)
{
	const struct call_once *call = data;

	client_warn(parameters);
	if (call->cli->json)
		return output_json(parameters);
	return call->reply ? call->reply(parameters, continues, call->data) : CLI_DONE;
}

int client_do(const struct cli *cli, const char *method, json_t *parameters, client_reply reply,
	      void *data)
{
	struct call_once call = {cli, reply, data};
	struct client client;
	int r = client_open(&client, cli);

	if (r != CLI_DONE) {
		json_decref(parameters);
		return r;
	}
	r = client_call(&client, method, parameters, false, once, &call);
	client_close(&client);
	return r;
}
