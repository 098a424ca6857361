/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/netlink/request.h"

#include <errno.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

int request_init(struct request *request, int fd)
{
	const struct timeval timeout = {.tv_sec = REQUEST_TIMEOUT_MS / 1000,
					.tv_usec = REQUEST_TIMEOUT_MS % 1000 * 1000};
	int on = 1;

	*request = (struct request){.fd = fd};
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)))
		return -errno;
	/* Without these two we only lose the text of errors, so failure does not matter. */
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	return 0;
}

/* The extack text sits in attributes behind the (capped) request in an error message. */
static void keep_why(struct request *request, const struct nlmsghdr *message, int offset)
{
	struct nlattr *attribute;

	if (!(message->nlmsg_flags & NLM_F_ACK_TLVS) || offset < 0 ||
	    offset > nlmsg_datalen(message) - NLA_HDRLEN)
		return;
	attribute = nla_find((struct nlattr *)((char *)nlmsg_data(message) + NLMSG_ALIGN(offset)),
			     nlmsg_datalen(message) - NLMSG_ALIGN(offset), NLMSGERR_ATTR_MSG);
	if (attribute)
		nla_strlcpy(request->why, attribute, sizeof(request->why));
}

static int read_error(struct request *request, const struct nlmsghdr *message)
{
	const struct nlmsgerr *error = nlmsg_data(message);
	int offset = sizeof(*error);

	if (nlmsg_datalen(message) < (int)sizeof(*error))
		return -EBADMSG;
	if (!(message->nlmsg_flags & NLM_F_CAPPED))
		offset += (int)error->msg.nlmsg_len - NLMSG_HDRLEN;
	keep_why(request, message, offset);
	return error->error;
}

static int read_done(struct request *request, const struct nlmsghdr *message)
{
	int error = 0;

	if (nlmsg_datalen(message) < (int)sizeof(error))
		return 0;
	memcpy(&error, nlmsg_data(message), sizeof(error));
	keep_why(request, message, sizeof(error));
	return error;
}

/* 1: go on reading; 0 or negative: that is the answer's end. */
static int read_message(struct request *request, const struct nlmsghdr *sent,
			const struct nlmsghdr *message, request_each each, void *data)
{
	int r = 0;

	if (message->nlmsg_seq != sent->nlmsg_seq)
		return 1;
	if (message->nlmsg_flags & NLM_F_DUMP_INTR)
		request->interrupted = true;
	if (message->nlmsg_type == NLMSG_ERROR)
		return read_error(request, message);
	if (message->nlmsg_type == NLMSG_DONE)
		return read_done(request, message);
	if (each)
		r = each(message, data);
	if (r < 0)
		return r;
	/* Not NLM_F_MULTI: the netdev family (6.18) leaves it out in the messages of a dump. */
	return (sent->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP || sent->nlmsg_flags & NLM_F_ACK;
}

static int read_datagram(struct request *request, const struct nlmsghdr *sent, request_each each,
			 void *data)
{
	/* The kernel fills dumps up to 32 KiB a datagram (NETLINK: max_recvmsg_len). */
	char buffer[65536] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct nlmsghdr *message = (struct nlmsghdr *)buffer;
	ssize_t length;
	int left, r = 1;

	do {
		length = recv(request->fd, buffer, sizeof(buffer), MSG_TRUNC);
	} while (length < 0 && errno == EINTR);
	if (length < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	if ((size_t)length > sizeof(buffer))
		return -EMSGSIZE;
	for (left = length; r > 0 && nlmsg_ok(message, left); message = nlmsg_next(message, &left))
		r = read_message(request, sent, message, each, data);
	return r;
}

int request_run(struct request *request, struct nlmsghdr *message, request_each each, void *data)
{
	ssize_t sent;
	int r;

	request->interrupted = false;
	request->why[0] = 0;
	message->nlmsg_seq = ++request->sequence;
	do {
		sent = send(request->fd, message, message->nlmsg_len, 0);
	} while (sent < 0 && errno == EINTR);
	if (sent < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	do {
		r = read_datagram(request, message, each, data);
	} while (r > 0);
	return r;
}
