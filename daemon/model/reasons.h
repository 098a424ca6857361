/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names and words of the closed lists in bpf/lists.h. */
#ifndef XM_MODEL_REASONS_H
#define XM_MODEL_REASONS_H

#include "bpf/xmcast.h"

/* FRAME: counted at the ingress; COPY: counted per egress; MEMBER: never counted. */
enum reason_level { REASON_FRAME, REASON_COPY, REASON_MEMBER };

/* "no-egress"; XM_REASON_NONE and what is out of range: "none". Constant strings. */
const char *reason_name(enum xm_reason reason);
/* One line for people; "" for XM_REASON_NONE. */
const char *reason_text(enum xm_reason reason);
enum reason_level reason_level(enum xm_reason reason);

const char *protocol_name(enum xm_protocol protocol);
const char *protocol_text(enum xm_protocol protocol);

#endif
