/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Out of memory at any place of a call: each is made with the first, the second, .. allocation of
 * the server failing, until none does. What is refused has changed nothing, and what has changed is
 * made actual; what is answered is the whole answer. That nothing is lost or freed twice is for the
 * allocator, or a sanitizer, to see.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/control/fixture.h"
#include "tests/unit/model/make.h"
#include "tests/unit/model/scarce.h"

#define MOST 500 /* allocations */

#define BOTH "\"address\":\"239.0.0.1\",\"from\":[\"eth0\",\"eth1\"]"

static const struct trial {
	const char *method, *parameters;
	bool detached; /* all ingresses are before */
} trials[] = {
    {"AddGroup",
     "{\"address\":\"239.0.0.2\",\"from\":[\"eth0\",\"eth2\"],\"to\":[\"veth0\","
     "\"veth4\"],\"exclude\":[\"veth3\"]}",
     false},
    {"DelGroup", "{" BOTH "}", false},
    {"AddEgress", "{" BOTH ",\"interfaces\":[\"veth5\",\"veth9\"]}", false},
    {"DelEgress", "{" BOTH ",\"interfaces\":[\"veth1\"]}", false},
    {"AddExclude", "{" BOTH ",\"interfaces\":[\"veth1\"]}", false},
    {"DelExclude", "{" BOTH ",\"interfaces\":[\"veth2\"]}", false},
    {"Detach", "{}", false},
    {"Attach", "{}", true},
    {"Attach", "{\"interface\":\"eth1\"}", true},
    {"ListGroups", "{\"from\":\"eth1\",\"state\":\"active\"}", false},
    {"ListGroups", "{\"to\":\"veth8\",\"origin\":\"runtime\"}", false},
    {"ListInterfaces", "{}", false},
    {"ListWishes", "{}", true},
    {"Status", "{}", false},
};

static void begin(const struct trial *trial)
{
	set_up(NULL);
	line_done(&line, "AddGroup",
		  "{" BOTH ",\"to\":[\"veth0\",\"veth1\"],\"exclude\":[\"veth2\"]}");
	if (trial->detached)
		line_done(&line, "Detach", "{}");
}

/* Makes the call with `n` allocations, then one fails. False: none failed any more. */
static bool call(const struct trial *trial, long n, const json_t *whole)
{
	unsigned int changes = talk.fake.changes;
	char *before = dump(talk.fake.model), *after;
	struct reply reply;
	bool failed, answered;

	line_start(&line, trial->method, trial->parameters, false);
	allocations_left = n;
	talk_run(&talk);
	failed = allocations_left < 0;
	allocations_left = -1;
	answered = line_reply(&line, &reply);
	after = dump(talk.fake.model);
	if (strcmp(before, after) && changes == talk.fake.changes)
		fail_msg("%s: after %ld allocations a change is not made actual", trial->method, n);
	if (answered && reply.error)
		assert_string_equal(before, after);
	if (!failed)
		assert_true(answered && !reply.error);
	if (answered && !reply.error && !json_equal(reply.parameters, whole))
		fail_msg("%s: after %ld allocations the answer is not whole", trial->method, n);
	if (answered)
		reply_free(&reply);
	free(before);
	free(after);
	return failed;
}

static void test_every_failure(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(trials) / sizeof(*trials); i++) {
		struct reply whole;
		bool failed = true;

		begin(&trials[i]);
		line_call(&line, trials[i].method, trials[i].parameters, &whole);
		tear_down(NULL);
		for (long n = 0; failed; n++) {
			begin(&trials[i]);
			failed = call(&trials[i], n, whole.parameters);
			tear_down(NULL);
			assert_in_range(n, 0, MOST);
		}
		reply_free(&whole);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
