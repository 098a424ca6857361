/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When what failed is tried again: without a kernel, and without waiting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h wants some of the above first. */
#include <cmocka.h>

#include <systemd/sd-event.h>

#include "daemon/reconcile/internal.h"

/* When the next try is due, in microseconds of the monotonic clock; 0: none is planned. */
static uint64_t due(const struct reconcile *r)
{
	uint64_t usec = 0;
	int enabled = SD_EVENT_OFF;

	if (!r->retry_timer)
		return 0;
	assert_true(sd_event_source_get_enabled(r->retry_timer, &enabled) >= 0);
	assert_int_equal(enabled, SD_EVENT_ONESHOT);
	assert_true(sd_event_source_get_time(r->retry_timer, &usec) >= 0);
	return usec;
}

/* A round ends: one that looked at all, or one in between; and with an error that may pass? */
static void end_round(struct reconcile *r, bool looked, bool passing)
{
	r->retrying = looked;
	r->passing = passing;
	retry_plan(r);
}

static void test_rounds_in_between(void **state)
{
	struct reconcile r = {0};

	(void)state;
	assert_true(sd_event_new(&r.event) >= 0);
	end_round(&r, false, false);
	assert_int_equal(due(&r), 0);
	end_round(&r, false, true);
	uint64_t first = due(&r), usec = r.retry_usec;
	assert_true(first);
	for (int i = 0; i < 20; i++) {
		end_round(&r, false, i % 2);
		assert_int_equal(due(&r), first);
		assert_int_equal(r.retry_usec, usec);
	}
	end_round(&r, true, true);
	assert_true(due(&r) > first);
	assert_int_equal(r.retry_usec, 2 * usec);
	end_round(&r, true, false);
	assert_int_equal(due(&r), 0);
	assert_int_equal(r.retry_usec, 0);
	sd_event_unref(r.event);
}

static void test_ever_more_seldom(void **state)
{
	struct reconcile r = {0};
	uint64_t before = 0;

	(void)state;
	assert_true(sd_event_new(&r.event) >= 0);
	for (int i = 0; i < 20; i++) {
		end_round(&r, true, true);
		assert_true(r.retry_usec >= before);
		before = r.retry_usec;
	}
	assert_int_equal(before, 32000000);
	end_round(&r, true, false);
	sd_event_unref(r.event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rounds_in_between),
	    cmocka_unit_test(test_ever_more_seldom),
	};

	return cmocka_run_group_tests_name("reconcile-retry", tests, NULL, NULL);
}
