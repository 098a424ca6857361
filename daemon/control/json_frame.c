/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of explain and trace. */
#include "daemon/control/codec.h"
#include "daemon/control/json.h"
#include "daemon/model/reasons.h"

static json_t *json_one_copy(const struct copy_report *copy)
{
	const char *reason = copy->reason == XM_REASON_NONE ? NULL : reason_name(copy->reason);

	return json_pack("{s:o, s:s, s:s?, s:o}", "interface", json_text(copy->interface),
			 "outcome", copy->outcome, "reason", reason, "detail",
			 json_text_or_null(copy->detail));
}

static json_t *json_copies(const struct frame_report *report)
{
	json_t *array = json_array();

	for (size_t i = 0; array && i < report->copy_count; i++) {
		if (json_array_append_new(array, json_one_copy(&report->copies[i])) < 0) {
			json_decref(array);
			return NULL;
		}
	}
	return array;
}

static json_t *number_or_null(uint64_t number)
{
	return number ? json_integer((json_int_t)number) : json_null();
}

static json_t *json_reasons(uint32_t reasons)
{
	json_t *array = json_array();

	for (int i = 0; array && i < XM_REASONS_COUNTED; i++)
		if (reasons >> i & 1)
			json_array_append_new(array, json_string(reason_name(i)));
	return array;
}

json_t *json_frame(const struct frame_report *report)
{
	char address[PREFIX_TEXT_MAX], source[PREFIX_TEXT_MAX], vlan[VLAN_TEXT_MAX];
	const char *reason = report->reason == XM_REASON_NONE ? NULL : reason_name(report->reason);
	bool passed = !reason && !report->has_group && report->protocol < XM_PROTOCOLS;

	return json_pack("{s:o, s:o, s:s, s:s, s:s?, s:s?, s:i, s:s, s:s?, s:s?, s:o, s:o, s:o, "
			 "s:o, s:i, s:o, s:o}",
			 "number", number_or_null(report->number), "from",
			 json_text(report->ingress), "mode", report->mode, "address",
			 prefix_format(&report->address, address), "source",
			 report->has_source ? prefix_format(&report->source, source) : NULL, "vlan",
			 report->vlan ? vlan_format(report->vlan, vlan) : NULL, "size",
			 (int)report->size, "verdict", report->verdict, "reason", reason,
			 "protocol", passed ? protocol_name(report->protocol) : NULL, "detail",
			 json_text_or_null(report->detail), "group",
			 report->has_group ? json_group_key(&report->group) : json_null(), "entry",
			 number_or_null(report->entry), "set", number_or_null(report->set), "due",
			 (int)report->due, "egress", json_copies(report), "unforeseen",
			 json_reasons(report->unforeseen));
}
