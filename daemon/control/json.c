/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/control/json.h"

#include "daemon/control/codec.h"
#include "daemon/model/reasons.h"

static json_t *json_names(const struct names *names)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < names->count; i++) {
		if (json_array_append_new(array, json_text(names->name[i])) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *json_reason(enum xm_reason reason)
{
	return reason == XM_REASON_NONE ? json_null() : json_string(reason_name(reason));
}

json_t *json_group_key(const struct group_key *key)
{
	char address[PREFIX_TEXT_MAX], source[PREFIX_TEXT_MAX], vlan[VLAN_TEXT_MAX];
	const char *from_source = key->source.len ? prefix_format(&key->source, source) : NULL;
	const char *tag = key->vlan ? vlan_format(key->vlan, vlan) : NULL;

	return json_pack("{s:s, s:s?, s:s?, s:o}", "address", prefix_format(&key->address, address),
			 "source", from_source, "vlan", tag, "from", json_text(key->from));
}

static json_t *json_egress(const struct egress_report *egress)
{
	json_t *object = json_pack("{s:o, s:b, s:o}", "interface", json_text(egress->interface),
				   "ready", egress->ready, "reason", json_reason(egress->reason));

	if (object && *egress->detail)
		json_object_set_new(object, "detail", json_text(egress->detail));
	return object;
}

static json_t *json_egresses(const struct group_report *report)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < report->egress_count; i++) {
		if (json_array_append_new(array, json_egress(&report->egress[i])) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

json_t *json_group(const struct group_report *report)
{
	const struct group *group = report->group;
	json_t *object = json_group_key(&group->key);
	json_t *rest = json_pack(
	    "{s:o, s:o, s:s, s:s, s:I, s:I, s:I, s:o}", "to", json_names(&group->to), "exclude",
	    json_names(&group->exclude), "origin", group->file ? "config" : "runtime", "state",
	    report->state, "frames", (json_int_t)report->frames, "bytes", (json_int_t)report->bytes,
	    "copies", (json_int_t)report->copies, "egress", json_egresses(report));
	int r = -1;

	if (object && rest)
		r = json_object_update(object, rest);
	json_decref(rest);
	if (r == 0 && *report->detail)
		r = json_object_set_new(object, "detail", json_text(report->detail));
	if (r == 0 && group->file)
		r = json_object_set_new(object, "file", json_text(group->file)) |
		    json_object_set_new(object, "line", json_integer(group->line));
	if (r == 0)
		return object;
	json_decref(object);
	return NULL;
}

json_t *json_wish(const struct interface_wish *wish)
{
	return json_pack("{s:o, s:s, s:o, s:b}", "interface", json_text(wish->name), "mode",
			 mode_name(wish->mode), "exclude", json_names(&wish->exclude), "detached",
			 wish->detached);
}

/* Bits of enum netdev_xdp_act in the kernel's linux/netdev.h (6.3 and later). */
static json_t *json_features(const struct interface_report *report)
{
	static const char *const names[] = {"basic",	  "redirect", "ndo-xmit",   "xsk-zerocopy",
					    "hw-offload", "rx-sg",    "ndo-xmit-sg"};
	json_t *array = report->features_known ? json_array() : json_null();

	for (size_t bit = 0; json_is_array(array) && bit < sizeof(names) / sizeof(*names); bit++) {
		if (report->features >> bit & 1)
			json_array_append_new(array, json_string(names[bit]));
	}
	return array;
}

/* All counted reasons, also those at zero: scripts need not ask whether a key is there. */
static json_t *json_dropped(const uint64_t dropped[static XM_REASONS_COUNTED])
{
	json_t *object = json_object();

	for (int i = 0; object && i < XM_REASONS_COUNTED; i++)
		json_object_set_new(object, reason_name(i), json_integer((json_int_t)dropped[i]));
	return object;
}

json_t *json_interface(const struct interface_report *report)
{
	static const char *const roles[] = {"none", "ingress", "egress", "both"};
	const char *role = roles[report->is_ingress + 2 * report->is_egress];

	return json_pack(
	    "{s:o, s:i, s:o, s:o, s:s, s:s, s:s, s:s, s:o, s:o, s:I, s:b, s:o, s:i, s:o, s:I, s:I, "
	    "s:I, "
	    "s:o}",
	    "interface", json_text(report->interface), "ifindex", report->ifindex, "driver",
	    json_text_or_null(report->driver), "kind", json_text_or_null(report->kind), "role",
	    role, "mode", report->mode, "wanted", report->wanted, "attach", report->attach,
	    "why_single", json_text_or_null(report->why_single), "detail",
	    json_text_or_null(report->forced), "program_id", (json_int_t)report->program_id,
	    "ready", report->ready, "reason", json_reason(report->reason), "mtu", report->mtu,
	    "xdp_features", json_features(report), "received", (json_int_t)report->received,
	    "transmitted", (json_int_t)report->transmitted, "driver_dropped",
	    (json_int_t)report->driver_dropped, "dropped", json_dropped(report->dropped));
}

static json_t *json_not_ready(const struct stats_report *report)
{
	json_t *object = json_object();

	for (int i = XM_REASONS_COUNTED; object && i < XM_REASONS; i++)
		json_object_set_new(object, reason_name(i),
				    json_integer(report->not_ready[i - XM_REASONS_COUNTED]));
	return object;
}

json_t *json_stats(const struct stats_report *report)
{
	json_t *unmatched = json_object();

	for (int i = 0; unmatched && i < XM_PROTOCOLS; i++)
		json_object_set_new(unmatched, protocol_name(i),
				    json_integer((json_int_t)report->unmatched[i]));
	return json_pack("{s:I, s:I, s:o, s:I, s:I, s:o, s:I, s:o}", "received",
			 (json_int_t)report->received, "matched", (json_int_t)report->matched,
			 "unmatched", unmatched, "copies", (json_int_t)report->copies,
			 "transmitted", (json_int_t)report->transmitted, "dropped",
			 json_dropped(report->dropped), "unexplained",
			 (json_int_t)report->unexplained, "not_ready", json_not_ready(report));
}

static json_t *json_limits(const struct limits *limits)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "groups", (json_int_t)limits->groups,
			 "entries", (json_int_t)limits->entries, "sets", (json_int_t)limits->sets,
			 "members", (json_int_t)limits->members, "interfaces",
			 (json_int_t)limits->interfaces);
}

json_t *json_status(const struct status_report *report)
{
	return json_pack(
	    "{s:s, s:I, s:i, s:s, s:b, s:o, s:o, s:b, s:i, s:I, s:I, s:I, s:I, s:o, s:I, s:b, s:o}",
	    "version", report->version, "uptime_seconds", (json_int_t)report->uptime_seconds, "pid",
	    report->pid, "enforce", report->enforce, "pinned", report->pinned, "pin_directory",
	    json_text_or_null(report->pin_dir), "config_file",
	    json_text_or_null(report->config_file), "config_file_exists", report->config_there,
	    "conf_d_files", (int)report->config_more, "groups", (json_int_t)report->groups,
	    "entries", (json_int_t)report->entries, "sets", (json_int_t)report->sets, "interfaces",
	    (json_int_t)report->interfaces, "limits", json_limits(&report->limits),
	    "kernel_memory_bytes", (json_int_t)report->kernel_memory_bytes, "settled",
	    report->settled, "problem", json_text_or_null(report->problem));
}
