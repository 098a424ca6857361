/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All other methods over a real socket: lists, attach, monitor, the socket itself. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/control/fixture.h"

#define G "{\"address\":\"239.1.1.1\",\"from\":[\"eth0\"],\"to\":[\"veth1\",\"veth2\"]"

static size_t list(const char *filter, const char *first)
{
	struct reply reply;
	const json_t *groups;
	size_t count;

	line_call(&line, "ListGroups", filter, &reply);
	if (reply.error)
		fail_msg("%s: %s", reply.error, text_of(&reply, "message"));
	groups = json_object_get(reply.parameters, "groups");
	count = json_array_size(groups);
	if (first)
		assert_string_equal(
		    json_string_value(json_object_get(json_array_get(groups, 0), "address")),
		    first);
	reply_free(&reply);
	return count;
}

static void test_list_groups(void **state)
{
	(void)state;
	assert_int_equal(list("{}", NULL), 0);
	fake_fill(&talk.fake, 5);
	fake_config_group(&talk.fake, "239.0.0.7");
	line_done(&line, "AddGroup",
		  "{\"address\":\"239.11.0.0/16\",\"from\":[\"later0\"],"
		  "\"to\":[\"veth*\"],\"pending\":true,\"vlan\":\"5\","
		  "\"source\":\"10.0.0.1\"}");
	assert_int_equal(list("{}", "239.0.0.7"), 7);
	assert_int_equal(list("{\"address\":\"239.10.0.3\"}", "239.10.0.3"), 1);
	assert_int_equal(list("{\"address\":\"239.10.0.0/24\"}", NULL), 5);
	assert_int_equal(list("{\"address\":\"239.11.5.5\"}", "239.11.0.0/16"), 1);
	assert_int_equal(list("{\"from\":\"later0\"}", "239.11.0.0/16"), 1);
	assert_int_equal(list("{\"to\":\"veth5\"}", "239.11.0.0/16"), 1);
	assert_int_equal(list("{\"to\":\"veth1\"}", NULL), 7);
	assert_int_equal(list("{\"origin\":\"config\"}", "239.0.0.7"), 1);
	assert_int_equal(list("{\"state\":\"pending\"}", "239.11.0.0/16"), 1);
	assert_int_equal(list("{\"vlan\":\"5\"}", "239.11.0.0/16"), 1);
	assert_int_equal(list("{\"vlan\":\"0\"}", NULL), 6);
	assert_int_equal(list("{\"source\":\"10.0.0.1\"}", "239.11.0.0/16"), 1);
	assert_int_equal(list("{\"source\":\"0.0.0.0/0\"}", NULL), 6);
	assert_int_equal(list("{\"state\":\"active\",\"origin\":\"runtime\"}", NULL), 5);
	line_refused(&line, "ListGroups", "{\"address\":\"x\"}", "InvalidParameter", "address");
}

/* The names of issue and manual, literally. */
static void test_list_groups_json(void **state)
{
	struct reply reply;
	json_t *expected = json_loads(
	    "{\"address\":\"239.10.0.0\",\"source\":null,\"vlan\":null,\"from\":\"eth0\","
	    "\"to\":[\"veth1\",\"veth9\"],\"exclude\":[],\"origin\":\"runtime\","
	    "\"state\":\"active\",\"frames\":10,\"bytes\":600,\"copies\":20,\"egress\":["
	    "{\"interface\":\"veth1\",\"ready\":true,\"reason\":null},"
	    "{\"interface\":\"veth9\",\"ready\":false,\"reason\":\"down\","
	    "\"detail\":\"ip link set veth9 up\"}]}",
	    0, NULL);

	(void)state;
	fake_fill(&talk.fake, 1);
	line_call(&line, "ListGroups", "{}", &reply);
	assert_true(
	    json_equal(json_array_get(json_object_get(reply.parameters, "groups"), 0), expected));
	reply_free(&reply);
	json_decref(expected);
}

/* Every group once and in order, at most 1000 a reply, while groups come and go. */
static void test_list_many_groups(void **state)
{
	enum { GROUPS = 20000 };
	size_t seen = 0, replies = 0;
	struct reply reply = {};
	char last[64] = "";

	(void)state;
	limits_raise(&talk.fake.model->limits);
	fake_fill(&talk.fake, GROUPS);
	line_refused(&line, "ListGroups", "{}", "ExpectedMore", "more");
	line_start(&line, "ListGroups", "{}", true);
	do {
		const json_t *groups, *group;
		size_t i;

		reply_free(&reply);
		assert_true(line_reply(&line, &reply));
		groups = json_object_get(reply.parameters, "groups");
		assert_in_range(json_array_size(groups), 0, 1000);
		json_array_foreach((json_t *)groups, i, group)
		{
			snprintf(last, sizeof(last), "%s",
				 json_string_value(json_object_get(group, "address")));
			seen++;
		}
		if (replies++ == 2) { /* behind the place where the list has got to */
			struct group_key key = talk.fake.model->groups[GROUPS - 1]->key;

			assert_int_equal(model_del_group(talk.fake.model, &key, NULL), 0);
		}
	} while (reply.continues);
	reply_free(&reply);
	assert_int_equal(seen, GROUPS - 1);
	assert_true(replies >= GROUPS / 1000);
	assert_string_equal(last, "239.10.78.30"); /* 19998 = 78 * 256 + 30 */
}

static void test_reports(void **state)
{
	struct reply reply;
	json_t *odd;

	(void)state;
	line_call(&line, "Stats", "{}", &reply);
	assert_int_equal(json_integer_value(json_object_get(reply.parameters, "copies")), 1800);
	assert_int_equal(json_integer_value(json_object_get(
			     json_object_get(reply.parameters, "dropped"), "too-big")),
			 9);
	reply_free(&reply);
	line_call(&line, "Status", "{}", &reply);
	assert_int_equal(json_integer_value(json_object_get(reply.parameters, "pid")), 4711);
	reply_free(&reply);
	line_call(&line, "ListInterfaces", "{}", &reply);
	odd = json_array_get(json_object_get(reply.parameters, "interfaces"), 1);
	assert_string_equal(json_string_value(json_object_get(odd, "interface")), "od?d");
	assert_string_equal(json_string_value(json_object_get(odd, "reason")), "absent");
	assert_true(json_is_null(json_object_get(odd, "xdp_features")));
	odd = json_array_get(json_object_get(reply.parameters, "interfaces"), 0);
	assert_int_equal(json_array_size(json_object_get(odd, "xdp_features")), 3);
	reply_free(&reply);
	line_refused(&line, "Stats", "{\"x\":1}", "InvalidParameter", "'x'");
}

static void test_attach(void **state)
{
	struct reply reply;

	(void)state;
	line_done(&line, "AddGroup",
		  "{\"address\":\"239.1.1.1\",\"from\":[\"eth0\",\"eth1\"],"
		  "\"to\":[\"veth1\"]}");
	line_refused(&line, "Detach", "{\"interface\":\"veth1\"}", "NotFound", "veth1");
	line_done(&line, "Detach", "{\"interface\":\"eth0\"}");
	assert_true(model_find_interface(talk.fake.model, "eth0")->detached);
	assert_int_equal(talk.fake.changes, 2);
	line_call(&line, "Detach", "{}", &reply);
	assert_int_equal(json_array_size(json_object_get(reply.parameters, "interfaces")), 1);
	reply_free(&reply);
	line_call(&line, "Attach", "{}", &reply);
	assert_int_equal(json_array_size(json_object_get(reply.parameters, "interfaces")), 2);
	reply_free(&reply);
	line_call(&line, "Attach", "{\"interface\":\"eth0\"}", &reply);
	assert_int_equal(json_array_size(json_object_get(reply.parameters, "interfaces")), 0);
	reply_free(&reply);
	assert_int_equal(talk.fake.changes, 4);
	line_done(&line, "Reattach", "{\"interface\":\"eth1\"}");
	assert_string_equal(talk.fake.reattached, "eth1");
	line_refused(&line, "Reattach", "{}", "InvalidParameter", "interface");
	line_refused(&line, "Reattach", "{\"interface\":\"eth*\"}", "InvalidParameter", "name");
	line_refused(&line, "Reattach", "{\"interface\":\"a-name-that-is-too-long\"}",
		     "InvalidParameter", "name");
	line_done(&line, "Reload", "{}");
	assert_int_equal(talk.fake.reloads, 1);
}

/* The wish of the configuration (a mode) holds on while it is detached. */
static void test_detach_keeps_the_mode(void **state)
{
	struct interface_wish wish = {.name = "eth0", .mode = MODE_GENERIC, .file = "x", .line = 1};
	struct fault fault;

	(void)state;
	assert_int_equal(model_set_interface(talk.fake.model, &wish, &fault), 0);
	line_done(&line, "Detach", "{\"interface\":\"eth0\"}");
	assert_int_equal(model_find_interface(talk.fake.model, "eth0")->mode, MODE_GENERIC);
	assert_true(model_find_interface(talk.fake.model, "eth0")->detached);
}

static void test_backend_fails(void **state)
{
	(void)state;
	talk.fake.error = -EIO;
	line_refused(&line, "AddGroup", G "}", "Failed",
		     "wanted from now on, but not in force: the kernel refused: test");
	assert_int_equal(talk.fake.model->group_count, 1);
	line_refused(&line, "Reload", "{}", "Failed", "the kernel refused: test");
	talk.fake.error = ENOSPC; /* in force, but not saved */
	line_refused(&line, "DelGroup", "{\"address\":\"239.1.1.1\"}", "Failed",
		     "the kernel refused: test");
}

/* The reply waits for the kernel; the next call waits for the reply. */
static void test_reply_is_deferred(void **state)
{
	struct reply reply;

	(void)state;
	talk.fake.hold = true;
	line_start(&line, "AddGroup", G "}", false);
	line_start(&line, "Stats", "{}", false);
	talk_run(&talk);
	assert_int_equal(recv(line.fd, &(char){0}, 1, MSG_PEEK), -1);
	fake_release(&talk.fake);
	assert_true(line_reply(&line, &reply));
	assert_string_equal(text_of(&reply, "result"), "added");
	reply_free(&reply);
	assert_true(line_reply(&line, &reply));
	assert_non_null(json_object_get(reply.parameters, "received"));
	reply_free(&reply);
}

static void test_peer_vanishes_before_the_reply(void **state)
{
	(void)state;
	talk.fake.hold = true;
	line_start(&line, "AddGroup", G "}", false);
	talk_run(&talk);
	line_close(&line);
	talk_run(&talk);
	fake_release(&talk.fake); /* nobody hears it, nothing is touched that is gone */
	talk_run(&talk);
	line_open(&line, &talk);
	assert_int_equal(list("{}", "239.1.1.1"), 1);
}

static void test_monitor(void **state)
{
	struct line deaf;
	struct reply reply;

	(void)state;
	line_refused(&line, "Monitor", "{}", "ExpectedMore", "more");
	line_start(&line, "Monitor", "{}", true);
	assert_true(line_reply(&line, &reply));
	assert_string_equal(text_of(&reply, "event"), "monitoring");
	assert_true(reply.continues);
	reply_free(&reply);
	line_open(&deaf, &talk);
	line_start(&deaf, "Monitor", "{}", true);
	talk_run(&talk);
	line_close(&deaf);
	control_event(talk.control, "not-ready", "interface", "veth1", "no-carrier");
	assert_true(line_reply(&line, &reply));
	assert_string_equal(text_of(&reply, "event"), "not-ready");
	assert_string_equal(text_of(&reply, "interface"), "veth1");
	assert_string_equal(text_of(&reply, "reason"), "no-carrier");
	idl_check(talk.idl, &idl_find(talk.idl, IDL_METHOD, "Monitor")->out, reply.parameters,
		  "event");
	reply_free(&reply);
}

static void test_service(void **state)
{
	struct reply reply;

	(void)state;
	line_call(&line, "org.varlink.service.GetInfo", "{}", &reply);
	assert_null(reply.error);
	assert_string_equal(text_of(&reply, "product"), "xmcastd");
	assert_int_equal(json_array_size(json_object_get(reply.parameters, "interfaces")), 2);
	reply_free(&reply);
	line_call(&line, "org.varlink.service.GetInterfaceDescription",
		  "{\"interface\":\"io.xmcast.Control\"}", &reply);
	idl_free(idl_parse(text_of(&reply, "description")));
	reply_free(&reply);
	line_refused(&line, "org.varlink.service.GetInterfaceDescription",
		     "{\"interface\":\"a.b.c\"}", "InterfaceNotFound", "");
	line_refused(&line, "org.varlink.service.Nothing", "{}", "MethodNotFound", "");
	line_refused(&line, "io.xmcast.Control.Nothing", "{}", "MethodNotFound", "");
	line_refused(&line, "io.xmcast.Control.Stats.x", "{}", "InterfaceNotFound", "");
	line_refused(&line, "io.xmcast.Other.Stats", "{}", "InterfaceNotFound", "");
}

static void test_oneway(void **state)
{
	static const char call[] = "{\"method\":\"io.xmcast.Control.AddGroup\",\"oneway\":true,"
				   "\"parameters\":" G "}}";
	static const char wrong[] = "{\"method\":\"io.xmcast.Control.X\",\"oneway\":true}";

	(void)state;
	line_send(&line, call, sizeof(call));
	line_send(&line, wrong, sizeof(wrong));
	assert_int_equal(list("{}", "239.1.1.1"), 1); /* the first bytes that come back */
}

static int open_again(const char *path, struct fault *fault)
{
	struct control_options options = {.socket_path = path, .listen_fd = -1};
	struct control *control;
	int r = control_open(&control, talk.event, &options, &talk.fake.backend, fault);

	if (r == 0)
		control_close(control);
	return r;
}

static void test_socket(void **state)
{
	char other[128], text[32];
	struct fault fault;
	struct stat st;
	FILE *file;
	int fd;

	(void)state;
	assert_int_equal(stat(talk.path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0666);
	assert_int_equal(open_again(talk.path, &fault), -EADDRINUSE);
	snprintf(text, sizeof(text), "process %d", getpid());
	assert_non_null(strstr(fault.text, text));
	line_done(&line, "Stats", "{}"); /* the first goes on */

	snprintf(other, sizeof(other), "%s/other", talk.directory);
	file = fopen(other, "w");
	fclose(file);
	assert_int_equal(open_again(other, &fault), -EADDRINUSE);
	assert_non_null(strstr(fault.text, "not a socket"));
	unlink(other);

	/* a leftover of one that was killed is taken over */
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	{
		struct {
			sa_family_t family;
			char path[108];
		} address = {AF_UNIX, ""};

		memcpy(address.path, other, strlen(other) + 1);
		assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	}
	close(fd);
	assert_int_equal(open_again(other, &fault), 0);
	assert_int_equal(access(other, F_OK), -1);
	memset(other, 'x', sizeof(other) - 1);
	other[sizeof(other) - 1] = 0;
	assert_int_equal(open_again(other, &fault), -ENAMETOOLONG);
}

#define T(name) cmocka_unit_test_setup_teardown(test_##name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    T(list_groups),
	    T(list_groups_json),
	    T(list_many_groups),
	    T(reports),
	    T(attach),
	    T(detach_keeps_the_mode),
	    T(backend_fails),
	    T(reply_is_deferred),
	    T(peer_vanishes_before_the_reply),
	    T(monitor),
	    T(service),
	    T(oneway),
	    T(socket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
