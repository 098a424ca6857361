/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <assert.h>
#include <stddef.h>

#include "daemon/model/reasons.h"

struct words {
	const char *name, *text;
	enum reason_level level;
};

static const struct words reasons[] = {
#define WORDS(id, name, level, text) [XM_REASON_##id] = {name, text, REASON_##level},
    XM_COUNTED_REASONS(WORDS) XM_MEMBER_REASONS(WORDS)
#undef WORDS
};
static_assert(sizeof(reasons) / sizeof(*reasons) == XM_REASONS, "a reason without words");

static const struct words protocols[] = {
#define WORDS(id, name, text) [XM_PROTOCOL_##id] = {name, text, REASON_FRAME},
    XM_PROTOCOLS_LIST(WORDS)
#undef WORDS
};
static_assert(sizeof(protocols) / sizeof(*protocols) == XM_PROTOCOLS, "a protocol without words");

const char *reason_name(enum xm_reason reason)
{
	return (size_t)reason < XM_REASONS ? reasons[reason].name : "none";
}

const char *reason_text(enum xm_reason reason)
{
	return (size_t)reason < XM_REASONS ? reasons[reason].text : "";
}

enum reason_level reason_level(enum xm_reason reason)
{
	return (size_t)reason < XM_REASONS ? reasons[reason].level : REASON_MEMBER;
}

const char *protocol_name(enum xm_protocol protocol)
{
	return (size_t)protocol < XM_PROTOCOLS ? protocols[protocol].name : "none";
}

const char *protocol_text(enum xm_protocol protocol)
{
	return (size_t)protocol < XM_PROTOCOLS ? protocols[protocol].text : "";
}
