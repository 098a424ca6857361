/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The closed lists of names: why a frame or a copy did not leave, what a frame was. */
#ifndef XMCAST_LISTS_H
#define XMCAST_LISTS_H

/*
 * Reasons, the one closed list: name, level, one line for people.
 * FRAME: the whole frame was dropped and no copy was due. COPY: one copy that was
 * due did not leave. MEMBER: why an egress receives no copies (never counted).
 */
#define XM_COUNTED_REASONS(X)                                                                      \
	X(NO_EGRESS, "no-egress", FRAME, "the group has no member that is ready")                  \
	X(NO_METADATA, "no-metadata", FRAME,                                                       \
	  "the driver or the dispatcher has no room for the exclude hand-over")                    \
	X(TOO_BIG, "too-big", COPY, "the frame is larger than the egress MTU")                     \
	X(EXCLUDED, "excluded", COPY, "the exclude map names this egress (--enforce lookup)")      \
	X(NO_RECEIVER, "no-receiver", COPY, "the driver refused redirected frames (ENXIO)")        \
	X(LINK_DOWN, "link-down", COPY, "the egress was down (ENETDOWN)")                          \
	X(QUEUE_FULL, "queue-full", COPY, "the driver's transmit queue was full")                  \
	X(NO_MEMORY, "no-memory", COPY, "no memory for the copy (ENOMEM)")                         \
	X(NOT_SUPPORTED, "not-supported", COPY, "the egress cannot redirect it (EOPNOTSUPP)")      \
	X(DRIVER_ERROR, "driver-error", COPY, "the driver failed with another error")

#define XM_MEMBER_REASONS(X)                                                                       \
	X(ABSENT, "absent", MEMBER, "no interface of this name exists")                            \
	X(DOWN, "down", MEMBER, "the interface is set down")                                       \
	X(NO_CARRIER, "no-carrier", MEMBER, "the link has no carrier")                             \
	X(PEER_NO_NAPI, "peer-no-napi", MEMBER, "the veth peer has neither native XDP nor GRO")    \
	X(NO_XDP_XMIT, "no-xdp-xmit", MEMBER, "the driver cannot receive redirected frames")       \
	X(REFUSED, "refused", MEMBER, "the driver refused redirected frames at run time")          \
	X(NEEDS_GENERIC, "needs-generic", MEMBER,                                                  \
	  "this kind of egress works in generic mode only")                                        \
	X(MTU_LEVELS, "mtu-levels", MEMBER, "the set has too many different MTUs")                 \
	X(MEMBERS_LIMIT, "members-limit", MEMBER, "the set is full: raise `limit members`")        \
	X(INTERFACES_LIMIT, "interfaces-limit", MEMBER,                                            \
	  "there are too many interfaces: raise `limit interfaces`")                               \
	X(NOT_ETHERNET, "not-ethernet", MEMBER, "the interface carries no Ethernet frames")        \
	X(DETACHED, "detached", MEMBER, "the ingress is detached until `attach`")                  \
	X(NOT_ATTACHED, "not-attached", MEMBER, "the ingress has no program: see its detail")

enum xm_reason {
#define XM_ENUM(id, name, level, text) XM_REASON_##id,
	XM_COUNTED_REASONS(XM_ENUM) XM_REASONS_COUNTED, /* how many are counted */
	XM_REASON_BEFORE_MEMBER = XM_REASONS_COUNTED - 1,
	XM_MEMBER_REASONS(XM_ENUM)
#undef XM_ENUM
	    XM_REASONS, /* how many there are */
	XM_REASON_NONE = 255,
};

/* What a frame that matched no group was. All of these are passed to the stack. */
#define XM_PROTOCOLS_LIST(X)                                                                       \
	X(IPV4, "ipv4", "IPv4 multicast without a group")                                          \
	X(IPV6, "ipv6", "IPv6 multicast without a group")                                          \
	X(MAC, "mac", "another multicast MAC without a group")                                     \
	X(IGMP, "igmp", "IGMP, always passed")                                                     \
	X(MLD, "mld", "MLD, always passed")                                                        \
	X(CONTROL, "control", "224.0.0.0/24, ff02::/16, 01:80:c2:00:00:00-0f: always passed")      \
	X(UNICAST, "unicast", "sent to a unicast MAC")                                             \
	X(BROADCAST, "broadcast", "sent to ff:ff:ff:ff:ff:ff")                                     \
	X(MALFORMED, "malformed", "a header was cut short or contradicts itself")

enum xm_protocol {
#define XM_ENUM(id, name, text) XM_PROTOCOL_##id,
	XM_PROTOCOLS_LIST(XM_ENUM)
#undef XM_ENUM
	    XM_PROTOCOLS,
};

#endif
