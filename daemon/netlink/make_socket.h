/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files behind make.h share. */
#ifndef XM_NETLINK_MAKE_SOCKET_H
#define XM_NETLINK_MAKE_SOCKET_H

struct nl_sock;

/* libnl's codes, of which the kernel's errors are a part, as an errno. */
int make_errno(int error);
/* A connected route socket in the caller's network namespace. */
int make_open_socket(struct nl_sock **out);

#endif
