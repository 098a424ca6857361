// SPDX-License-Identifier: GPL-2.0-or-later
/* Why a frame that has not come will go where it goes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/reconcile/frame.h"

#define SMALLEST_FRAME 60 /* Ethernet's, without FCS */

static int check_wish(const struct reconcile *r, const struct frame_wish *wish, struct fault *fault)
{
	if (!netlink_by_name(r->netlink, wish->from))
		return fault_set(fault, -ENODEV, "there is no interface %s", wish->from);
	if (wish->address.len != 128 || !prefix_is_multicast(&wish->address))
		return fault_set(fault, -EINVAL,
				 "a frame has one address: name a multicast address, no prefix");
	if (wish->source.len && wish->source.len != 128)
		return fault_set(fault, -EINVAL,
				 "a frame has one source: name an address, no prefix");
	if (wish->source.len && prefix_family(&wish->source) != prefix_family(&wish->address))
		return fault_set(fault, -EINVAL,
				 "group and source must be of one family: both IPv4 or both IPv6");
	return 0;
}

/* 0.0.0.0, :: or no MAC, as far as matching goes. */
static struct xm_address any_source(const struct prefix *address)
{
	struct xm_address any = {};

	if (prefix_family(address) == FAMILY_IPV4)
		any.byte[10] = any.byte[11] = 0xff;
	return any;
}

static enum xm_protocol protocol_of(const struct prefix *address)
{
	if (prefix_is_control(address))
		return XM_PROTOCOL_CONTROL;
	switch (prefix_family(address)) {
	case FAMILY_IPV4:
		return XM_PROTOCOL_IPV4;
	case FAMILY_IPV6:
		return XM_PROTOCOL_IPV6;
	default:
		return XM_PROTOCOL_MAC;
	}
}

static void why_inactive(const struct reconcile *r, const struct iface *iface, const char *name,
			 struct frame_report *out)
{
	char *buf = out->detail;

	out->protocol = XM_PROTOCOLS; /* nothing counts it */
	if (!iface || !iface->is_ingress) {
		snprintf(buf, sizeof(out->detail), "no group has %s as its ingress", name);
		return;
	}
	out->reason = report_reason(r, iface);
	if (out->reason == XM_REASON_DETACHED)
		snprintf(buf, sizeof(out->detail), "run: xmcastctl attach %s", name);
	else
		snprintf(buf, sizeof(out->detail), "%s", iface->forced);
}

static void fill_verdict(struct reconcile *r, const struct explain_frame *frame,
			 const struct explain *e, struct frame_report *out)
{
	switch (e->verdict) {
	case EXPLAIN_INACTIVE:
		break;
	case EXPLAIN_UNMATCHED:
		frame_why_unmatched(r, frame, e, out->detail, sizeof(out->detail));
		break;
	case EXPLAIN_NO_EGRESS:
		out->verdict = "dropped";
		out->reason = XM_REASON_NO_EGRESS;
		break;
	case EXPLAIN_COPIED:
		out->verdict = "copied";
		break;
	}
}

/* What is left of the tags for XDP to see. */
static uint32_t seen_vlan(const struct link *link, uint32_t vlan)
{
	if (!link || !link_hides_vlans(link))
		return vlan;
	return vlan > 0xfff ? vlan & 0xfff : 0;
}

static void tell_hidden(struct frame_report *out)
{
	size_t used = strlen(out->detail);

	snprintf(out->detail + used, sizeof(out->detail) - used,
		 "%sXDP sees no VLAN tags on %s: %s", used ? "; " : "", out->ingress,
		 out->vlan > 0xfff ? "only the inner one counts" : "this frame counts as untagged");
}

static void begin_report(const struct frame_wish *wish, const char *ingress, uint32_t vlan,
			 struct frame_report *out)
{
	*out = (struct frame_report){.mode = "none",
				     .address = wish->address,
				     .source = wish->source,
				     .has_source = wish->source.len > 0,
				     .vlan = vlan,
				     .size = wish->size ? wish->size : SMALLEST_FRAME,
				     .verdict = "passed",
				     .reason = XM_REASON_NONE,
				     .protocol = protocol_of(&wish->address)};
	snprintf(out->ingress, sizeof(out->ingress), "%s", ingress);
}

int reconcile_explain(struct reconcile *r, const struct frame_wish *wish, struct frame_report *out,
		      struct fault *fault)
{
	int error = check_wish(r, wish, fault);
	uint32_t vlan = wish->vlan;

	if (error)
		return error;
	const char *name = resolve_parent(r, wish->from, &vlan);
	struct iface *iface = iface_find(r, name);
	uint32_t seen = seen_vlan(netlink_by_name(r->netlink, name), vlan);
	begin_report(wish, name, vlan, out);
	struct explain_frame frame = {
	    .key = {.ingress = iface ? iface->slot : 0,
		    .vlan = seen,
		    .address = wish->address.address},
	    .source = out->has_source ? wish->source.address : any_source(&wish->address),
	    .control = prefix_is_control(&wish->address),
	    .needed = frame_needed_mtu(out->size, vlan),
	};
	struct explain e = {.verdict = EXPLAIN_INACTIVE};
	if (iface && iface->attached)
		error = dataplane_explain(r->dp, &frame, &e);
	if (error)
		return fault_set(fault, error, "cannot read the maps: %s", strerror(-error));
	if (e.verdict == EXPLAIN_INACTIVE) {
		why_inactive(r, iface, name, out);
		return 0;
	}
	fill_verdict(r, &frame, &e, out);
	error = frame_fill(r, &e, frame.needed, NULL, out);
	explain_free(&e);
	if (seen != vlan)
		tell_hidden(out);
	return error ? fault_set(fault, error, "out of memory") : 0;
}
