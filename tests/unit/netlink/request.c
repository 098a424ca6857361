/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions and answers, with this test in the kernel's place at the other end of the socket. */
#include <errno.h>
#include <linux/netlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
/* cmocka.h wants some of the above first. */
#include <cmocka.h>

#include "daemon/netlink/request.h"

#define TYPE 1000 /* of answers; any that is not a control message */

struct ends {
	struct request request;
	int kernel;
};

static int setup(void **state)
{
	const struct timeval soon = {.tv_usec = 20000};
	static struct ends ends;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds))
		return -1;
	if (request_init(&ends.request, fds[0]))
		return -1;
	ends.kernel = fds[1];
	*state = &ends;
	return setsockopt(fds[0], SOL_SOCKET, SO_RCVTIMEO, &soon, sizeof(soon));
}

static int teardown(void **state)
{
	struct ends *ends = *state;

	close(ends->request.fd);
	close(ends->kernel);
	return 0;
}

static void answer(struct ends *ends, int type, int flags, __u32 sequence, const void *payload,
		   size_t length)
{
	char buffer[512] = {0};
	struct nlmsghdr *message = (struct nlmsghdr *)buffer;

	message->nlmsg_len = NLMSG_LENGTH(length);
	message->nlmsg_type = type;
	message->nlmsg_flags = flags;
	message->nlmsg_seq = sequence;
	if (length)
		memcpy(NLMSG_DATA(message), payload, length);
	assert_int_equal(send(ends->kernel, buffer, message->nlmsg_len, 0), message->nlmsg_len);
}

static int count(const struct nlmsghdr *message, void *data)
{
	assert_int_equal(message->nlmsg_type, TYPE);
	++*(int *)data;
	return 0;
}

static int ask(struct ends *ends, int flags, int *messages)
{
	struct nlmsghdr message = {
	    .nlmsg_len = sizeof(message), .nlmsg_type = TYPE, .nlmsg_flags = NLM_F_REQUEST | flags};

	*messages = 0;
	return request_run(&ends->request, &message, count, messages);
}

static void test_silence_ends(void **state)
{
	struct ends *ends = *state;
	int messages;

	assert_int_equal(ask(ends, 0, &messages), -ETIMEDOUT);
}

/* The answer to a question that was given up comes before the one to the next. */
static void test_late_answers_are_skipped(void **state)
{
	struct ends *ends = *state;
	int messages;

	assert_int_equal(ask(ends, 0, &messages), -ETIMEDOUT);
	answer(ends, TYPE, 0, 1, NULL, 0);
	answer(ends, TYPE, 0, 1, NULL, 0);
	answer(ends, TYPE, 0, 2, NULL, 0);
	assert_int_equal(ask(ends, 0, &messages), 0);
	assert_int_equal(messages, 1);
}

/* A dump is over with NLMSG_DONE, whether its messages say NLM_F_MULTI or not. */
static void test_dump_ends_with_done(void **state)
{
	static const int flags[] = {NLM_F_MULTI, 0};
	struct ends *ends = *state;
	int messages, zero = 0;

	for (__u32 i = 0; i < 2; i++) {
		for (int j = 0; j < 3; j++)
			answer(ends, TYPE, flags[i], i + 1, NULL, 0);
		answer(ends, NLMSG_DONE, NLM_F_MULTI, i + 1, &zero, sizeof(zero));
		assert_int_equal(ask(ends, NLM_F_DUMP, &messages), 0);
		assert_int_equal(messages, 3);
		assert_false(ends->request.interrupted);
	}
}

static void test_interrupted_dump_is_told(void **state)
{
	struct ends *ends = *state;
	int messages, failed = -EINTR;

	answer(ends, TYPE, NLM_F_MULTI | NLM_F_DUMP_INTR, 1, NULL, 0);
	answer(ends, NLMSG_DONE, NLM_F_MULTI, 1, &failed, sizeof(failed));
	assert_int_equal(ask(ends, NLM_F_DUMP, &messages), -EINTR);
	assert_true(ends->request.interrupted);
}

/* struct nlmsgerr, (capped) the header asked with, NLMSGERR_ATTR_MSG. */
static void test_text_of_error(void **state)
{
	static const char text[] = "Peer MTU is too large";
	struct {
		struct nlmsgerr error;
		struct nlattr attribute;
		char text[sizeof(text)];
	} payload = {
	    .error = {.error = -ERANGE, .msg = {.nlmsg_len = 100}},
	    .attribute = {.nla_len = NLA_HDRLEN + sizeof(text), .nla_type = NLMSGERR_ATTR_MSG}};
	struct ends *ends = *state;
	int messages, zero = 0;

	memcpy(payload.text, text, sizeof(text));
	answer(ends, NLMSG_ERROR, NLM_F_CAPPED | NLM_F_ACK_TLVS, 1, &payload, sizeof(payload));
	assert_int_equal(ask(ends, NLM_F_ACK, &messages), -ERANGE);
	assert_string_equal(ends->request.why, text);
	/* It goes with its request. */
	answer(ends, NLMSG_ERROR, NLM_F_CAPPED, 2, &(struct nlmsgerr){.error = zero},
	       sizeof(struct nlmsgerr));
	assert_int_equal(ask(ends, NLM_F_ACK, &messages), 0);
	assert_string_equal(ends->request.why, "");
}

/* Lengths that point behind the message do no harm. */
static void test_lying_error(void **state)
{
	struct nlmsgerr error = {.error = -EPERM, .msg = {.nlmsg_len = 0x7fffffff}};
	struct ends *ends = *state;
	int messages;

	answer(ends, NLMSG_ERROR, NLM_F_ACK_TLVS, 1, &error, sizeof(error));
	assert_int_equal(ask(ends, NLM_F_ACK, &messages), -EPERM);
	assert_string_equal(ends->request.why, "");
	answer(ends, NLMSG_ERROR, 0, 2, &error, sizeof(error.error));
	assert_int_equal(ask(ends, NLM_F_ACK, &messages), -EBADMSG);
}

static int refuse(const struct nlmsghdr *message, void *data)
{
	(void)message;
	(void)data;
	return -ENOMEM;
}

/* The rest of an answer that the reader refused does not disturb the next. */
static void test_reader_may_stop(void **state)
{
	struct nlmsghdr message = {.nlmsg_len = sizeof(message),
				   .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP};
	struct ends *ends = *state;
	int messages, zero = 0;

	answer(ends, TYPE, NLM_F_MULTI, 1, NULL, 0);
	answer(ends, TYPE, NLM_F_MULTI, 1, NULL, 0);
	answer(ends, NLMSG_DONE, NLM_F_MULTI, 1, &zero, sizeof(zero));
	assert_int_equal(request_run(&ends->request, &message, refuse, NULL), -ENOMEM);
	answer(ends, TYPE, 0, 2, NULL, 0);
	assert_int_equal(ask(ends, 0, &messages), 0);
	assert_int_equal(messages, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(test_silence_ends),	    TEST(test_late_answers_are_skipped),
	    TEST(test_dump_ends_with_done), TEST(test_interrupted_dump_is_told),
	    TEST(test_text_of_error),	    TEST(test_lying_error),
	    TEST(test_reader_may_stop),
	};

	return cmocka_run_group_tests_name("netlink-request", tests, NULL, NULL);
}
