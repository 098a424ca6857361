/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/bpf/table.h"

#include <stdio.h>
#include <string.h>

#include "tests/bpf/frames.h"

bool table_key(struct group_key *out, const char *address, const char *source, const char *vlan)
{
	const char *why;

	memset(out, 0, sizeof(*out));
	strcpy(out->from, FRAMES_INGRESS);
	return prefix_parse(address, &out->address, &why) == 0 &&
	       (!source || prefix_parse(source, &out->source, &why) == 0) &&
	       (!vlan || vlan_parse(vlan, &out->vlan, &why) == 0);
}

bool table_frames(struct group_key *out)
{
	for (size_t i = 0; i < frames_group_count; i++) {
		const struct frames_group *g = &frames_groups[i];
		if (!table_key(&out[i], g->address, g->source, g->vlan))
			return false;
	}
	return true;
}

const char *table_name(const struct group_key *key, char buf[static TABLE_NAME_MAX])
{
	char address[PREFIX_TEXT_MAX], source[PREFIX_TEXT_MAX], vlan[VLAN_TEXT_MAX];

	snprintf(buf, TABLE_NAME_MAX, "%s%s%s%s%s", prefix_format(&key->address, address),
		 key->source.len ? " " : "",
		 key->source.len ? prefix_format(&key->source, source) : "",
		 key->vlan ? " vlan " : "", key->vlan ? vlan_format(key->vlan, vlan) : "");
	return buf;
}

const char *table_protocol(enum xm_protocol protocol)
{
	static const char *const names[] = {
#define XM_NAME(id, name, text) [XM_PROTOCOL_##id] = name,
	    XM_PROTOCOLS_LIST(XM_NAME)
#undef XM_NAME
	};

	return protocol < XM_PROTOCOLS ? names[protocol] : "?";
}
