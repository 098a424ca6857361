// SPDX-License-Identifier: GPL-2.0-or-later
/* Programs on ingresses, and what an ingress needs besides: all multicast, tags in the frame. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "daemon/reconcile/internal.h"

bool looks_up(const struct reconcile *r)
{
	return r->model->enforce == ENFORCE_LOOKUP || r->excludes || r->adopted.excludes.count;
}

void attach_store_word(struct reconcile *r, const struct iface *iface)
{
	uint32_t flags = 0;
	uint64_t word = 0;

	if (iface->generation && iface->attached && iface->receives) {
		flags = (iface->prefixes ? XM_INGRESS_PREFIXES : 0) |
			(iface->source_prefixes ? XM_INGRESS_SOURCE_PREFIXES : 0) |
			(looks_up(r) ? XM_INGRESS_LOOKUP : 0) |
			(iface->native ? 0 : XM_INGRESS_GENERIC);
		word = xm_ingress(iface->generation, iface->exclude, flags);
	}
	if (dataplane_ingress(r->dp, iface->slot) != word)
		dataplane_store_ingress(r->dp, iface->slot, word);
}

static void warn(struct iface *iface, const char *what, const char *why)
{
	size_t used = strlen(iface->lacks);
	snprintf(iface->lacks + used, sizeof(iface->lacks) - used, "%s%s: %s", used ? "; " : "",
		 what, why);
}

/*
 * NICs filter multicast that nobody joined; an offloaded VLAN tag is invisible to XDP. Where tags
 * are in any case, a filter of VLANs stays on.
 */
static void prepare_link(struct reconcile *r, struct iface *iface, const struct link *link)
{
	struct xm_interface_record *record = &r->dp->interface_records[iface->slot];
	const char *why = NULL;
	bool hides = false;

	if (!iface->outdated)
		iface->lacks[0] = 0; /* of the last time */
	if (!link->allmulti) {
		record->flags |= XM_RECORD_ALLMULTI; /* first, so that a crash cannot forget it */
		if (netlink_set_allmulti(r->netlink, iface->ifindex, true, &why)) {
			if (why) /* the kernel refused; else it is set, and only not seen yet */
				record->flags &= ~XM_RECORD_ALLMULTI;
			warn(iface, "allmulticast could not be set", why ? why : "");
		}
	}
	int error = link_hides_vlans(link)
			? 0
			: netlink_get_vlan_offload(r->netlink, iface->ifindex, &hides);
	if (!error && hides) {
		record->flags |= XM_RECORD_VLAN_OFFLOAD;
		error = netlink_set_vlan_offload(r->netlink, iface->ifindex, false, &why);
		if (error < 0)
			record->flags &= ~XM_RECORD_VLAN_OFFLOAD;
	}
	if (error == -EXDEV)
		warn(iface, "VLAN tags may be hidden",
		     "the veth peer is out of reach: run ethtool -K PEER tx-vlan-hw-insert off "
		     "there");
	else if (error < 0 && error != -EOPNOTSUPP)
		warn(iface, "VLAN offload could not be changed", strerror(-error));
}

static void restore_link(struct reconcile *r, struct iface *iface)
{
	struct xm_interface_record *record = &r->dp->interface_records[iface->slot];

	if (iface->ifindex && netlink_by_index(r->netlink, iface->ifindex)) {
		if (record->flags & XM_RECORD_ALLMULTI)
			netlink_set_allmulti(r->netlink, iface->ifindex, false, NULL);
		if (record->flags & XM_RECORD_VLAN_OFFLOAD)
			netlink_set_vlan_offload(r->netlink, iface->ifindex, true, NULL);
	}
	record->flags &= ~(XM_RECORD_ALLMULTI | XM_RECORD_VLAN_OFFLOAD);
	if (!iface->outdated)
		iface->lacks[0] = 0;
}

/* 0 also when it was gone already. What stays is kept in the record, for the next daemon, too. */
static int take_off(struct reconcile *r, struct iface *iface, int ifindex, struct fault *fault)
{
	struct xm_interface_record *record = &r->dp->interface_records[iface->slot];
	int error = dataplane_detach(r->dp, iface->slot, ifindex, fault);

	if (error == -ENOENT || error == -ENODEV)
		error = 0;
	iface->stuck_told &= error != 0;
	r->stuck_count -= iface->stuck != 0;
	iface->stuck = error ? ifindex : 0;
	r->stuck_count += iface->stuck != 0;
	if (error)
		return error;
	record->generation = record->flags = 0;
	record->ifindex = iface->ifindex;
	return 0;
}

void attach_drop(struct reconcile *r, struct iface *iface)
{
	uint32_t leaving = XM_INGRESS_LEAVING | (iface->native ? 0 : XM_INGRESS_GENERIC);
	struct fault fault;

	if (!iface->attached)
		return;
	iface->attached = iface->adopted = iface->receives = iface->outdated = false;
	/* from here on its program passes everything; what it has redirected is counted still */
	dataplane_store_ingress(r->dp, iface->slot, xm_ingress(0, 0, leaving));
	restore_link(r, iface);
	iface->stuck_told = false;
	take_off(r, iface, iface->ifindex, &fault); /* attach_update() tries again, and tells */
	if (iface->state.dispatcher)
		dataplane_grace(r->dp); /* drivers wait by themselves when no program is left */
	attach_store_word(r, iface);
	iface->generation = 0;
	iface->state = (struct ingress_state){0};
	tell(r, "detached", "interface", iface->name, "");
}

static struct ingress_spec spec_of(const struct reconcile *r, const struct iface *iface,
				   const struct link *link)
{
	return (struct ingress_spec){
	    .slot = iface->slot,
	    .ifindex = link->ifindex,
	    .native = iface->native,
	    .finish_checksums = link_leaves_checksums(link),
	    .lookup = iface->native && iface->receives && r->model->enforce == ENFORCE_LOOKUP,
	    .traced = tracing_covers(r, iface),
	    .generation = iface->generation,
	};
}

/*
 * The program of an earlier daemon: the same code is left alone, other code is replaced
 * without a gap. When that fails, the old one goes on.
 */
int attach_renew(struct reconcile *r, struct iface *iface, const struct link *link,
		 struct fault *fault)
{
	iface->adopted = false;
	struct ingress_spec spec = spec_of(r, iface, link);
	spec.beside = r->generation + 1;
	struct ingress_state state;
	int error = dataplane_attach(r->dp, &spec, &state, fault);
	if (!error)
		iface->state = state;
	if (xm_ingress_generation(dataplane_ingress(r->dp, iface->slot)) == spec.beside)
		iface->generation = ++r->generation;
	iface->lacks[0] = 0;
	if (error)
		snprintf(iface->lacks, sizeof(iface->lacks), "not renewed: %.480s", fault->text);
	iface->outdated = error;
	iface->outdated_passes = retry_helps(error);
	iface->outdated_lookup = error && spec.lookup;
	r->dp->interface_records[iface->slot].generation = iface->generation;
	attach_store_word(r, iface);
	if (!error && iface->receives)
		prepare_link(r, iface, link);
	return error;
}

int attach_one(struct reconcile *r, struct iface *iface, const struct link *link,
	       struct fault *fault)
{
	struct xm_interface_record *record = &r->dp->interface_records[iface->slot];
	char why[128];

	if (iface->native && link_runs_on_ports(link) && !link_can_native(link, why, sizeof(why)))
		return fault_set(fault, -EOPNOTSUPP,
				 "cannot attach to %s in native mode: %s; name the ports, or use "
				 "`interface %s --mode generic`",
				 iface->name, why, iface->name);
	iface->generation = record->generation = ++r->generation;
	struct ingress_spec spec = spec_of(r, iface, link);

	iface->attached = true;
	attach_store_word(r, iface); /* first: it counts from its first frame on */
	int error = dataplane_attach(r->dp, &spec, &iface->state, fault);
	if (error) {
		iface->attached = iface->receives = false;
		iface->generation = record->generation = 0;
		attach_store_word(r, iface);
		return error;
	}
	record->flags &= ~(XM_RECORD_NATIVE | XM_RECORD_DISPATCHER);
	record->flags |= (iface->native ? XM_RECORD_NATIVE : 0) |
			 (iface->state.dispatcher ? XM_RECORD_DISPATCHER : 0);
	iface->has_former = iface->outdated = false;
	iface->lacks[0] = 0;
	if (iface->receives)
		prepare_link(r, iface, link);
	/* and what forced it */
	char mode[sizeof(iface->forced) + sizeof(iface->lacks) + 16];
	snprintf(mode, sizeof(mode), "%s%s%s%s%s", iface->native ? "native" : "generic",
		 iface->forced[0] ? ": " : "", iface->forced, iface->lacks[0] ? "; " : "",
		 iface->lacks);
	tell(r, "attached", "interface", iface->name, mode);
	return 0;
}

/* The mode that ran before this one was tried runs on; the next round attaches. */
static void go_back(struct reconcile *r, struct iface *iface, const struct interface_wish *wish,
		    const struct fault *why)
{
	iface->has_former = false;
	iface->native = !iface->native;
	iface->refused_mode = wish ? wish->mode : MODE_AUTO;
	snprintf(iface->forced, sizeof(iface->forced), "stays %s: %.480s",
		 iface->native ? "native" : "generic", why->text);
	r->entries_dirty = true;
	tell(r, "attach-failed", "interface", iface->name, why->text);
}

/* Attaches, or falls back to generic when the mode is `auto`, or keeps the words. */
static void try_attach(struct reconcile *r, struct iface *iface, const struct link *link,
		       const struct interface_wish *wish)
{
	struct fault fault = {0};

	iface->receives = true;
	int error = attach_one(r, iface, link, &fault);
	if (!error)
		return;
	bool automatic = !wish || wish->mode == MODE_AUTO;
	if (automatic && iface->native && error != -EBUSY) {
		snprintf(iface->forced, sizeof(iface->forced), "native refused: %.480s",
			 fault.text);
		iface->native = false;
		r->entries_dirty = true; /* sets of the other mode; the next round attaches */
		return;
	}
	note_refusal(r, error, &fault);
	if (iface->has_former && error != -ENODEV) {
		go_back(r, iface, wish, &fault);
		return;
	}
	snprintf(iface->forced, sizeof(iface->forced), "%s", fault.text);
	iface->tried = true;
	tell(r, "attach-failed", "interface", iface->name, fault.text);
}

static void renew_adopted(struct reconcile *r, struct iface *iface, const struct link *link)
{
	struct fault fault;
	int error = attach_renew(r, iface, link, &fault);

	if (error)
		note_refusal(r, error, &fault);
}

/* An ingress that becomes a mere egress, or the other way: its program goes on. */
static void change_role(struct reconcile *r, struct iface *iface, const struct link *link)
{
	iface->receives = !iface->receives;
	iface->adopted |= iface->receives && iface->state.fold; /* is that still enough? */
	attach_store_word(r, iface);
	if (iface->receives)
		prepare_link(r, iface, link);
	else
		restore_link(r, iface);
}

static void update_ingress(struct reconcile *r, struct iface *iface, const struct link *link,
			   const struct interface_wish *wish)
{
	if (iface->attached && !iface->receives && !iface->native)
		attach_drop(r, iface); /* what was lent is native */
	if (iface->attached && !iface->receives)
		change_role(r, iface, link);
	if (iface->outdated_lookup && r->model->enforce != ENFORCE_LOOKUP)
		iface->adopted = iface->attached; /* less is wanted now */
	if (iface->adopted)
		renew_adopted(r, iface, link);
	else if (!iface->attached && !iface->tried)
		try_attach(r, iface, link, wish);
}

static void update_other(struct reconcile *r, struct iface *iface, const struct link *link,
			 bool lent)
{
	if (iface->attached && !lent)
		attach_drop(r, iface);
	if (iface->attached && iface->receives)
		change_role(r, iface, link);
	if (iface->adopted)
		renew_adopted(r, iface, link);
	else if (lent && !iface->attached && !iface->tried)
		lend(r, iface, link);
}

static void update_one(struct reconcile *r, struct iface *iface, bool ingresses)
{
	const struct interface_wish *wish = model_find_interface(r->model, iface->name);
	const struct link *link = netlink_by_index(r->netlink, iface->ifindex);
	bool allowed = link && !(wish && wish->detached);
	bool receives = allowed && iface->is_ingress && iface->decided;

	if (receives != ingresses)
		return;
	if (receives)
		update_ingress(r, iface, link, wish);
	else
		update_other(r, iface, link,
			     allowed && !iface->is_ingress &&
				 !(wish && wish->mode == MODE_GENERIC) &&
				 lend_is_wanted(r, iface, link));
}

/*
 * The kernel exchanges and detaches no program below a device that has one itself (bridge, bond,
 * macvlan, VLAN): it goes after that one, now or when that one is gone.
 */
static void take_off_stuck(struct reconcile *r)
{
	for (uint32_t slot = 1; r->stuck_count && slot <= r->dp->sizes.interfaces; slot++) {
		struct iface *iface = r->ifaces[slot];
		struct fault fault;

		if (!iface || !iface->stuck || iface->attached)
			continue;
		int error = take_off(r, iface, iface->stuck, &fault);
		if (error && iface->stuck_told)
			note_standing(r, error, &fault);
		else if (error)
			note_fault(r, error, &fault);
		iface->stuck_told = error;
	}
}

/* Ingresses last: what egresses refuse may make them generic. */
void attach_update(struct reconcile *r)
{
	for (int ingresses = 0; ingresses < 2; ingresses++)
		for (uint32_t slot = 1; slot <= r->dp->sizes.interfaces; slot++)
			if (r->ifaces[slot])
				update_one(r, r->ifaces[slot], ingresses);
	take_off_stuck(r);
}

void attach_again(struct iface *iface)
{
	if (iface->tried && !iface->attached)
		iface->decided = false; /* and with the mode what is said of it */
	iface->tried = false;
}

void attach_check(struct reconcile *r, struct iface *iface, const struct link *link)
{
	char foreign[FOREIGN_MAX] = "";

	attach_again(iface);
	if (!iface->attached || link->xdp_program_id == iface->state.program_id)
		return;
	struct ingress_state now = {0};
	int error =
	    dataplane_attached(r->dp, iface->slot, iface->ifindex, &now, foreign, sizeof(foreign));
	if (error || now.program_id)
		return;
	iface->attached = iface->adopted = iface->receives = false;
	attach_store_word(r, iface);
	tell(r, "taken-off", "interface", iface->name, foreign); /* it is attached again at once */
}

int reconcile_permits(const struct reconcile *r, const struct model *model, struct fault *fault)
{
	for (uint32_t slot = 1; model->enforce == ENFORCE_LOOKUP && slot <= r->dp->sizes.interfaces;
	     slot++) {
		const struct iface *iface = r->ifaces[slot];
		if (!iface || !iface->attached || !iface->receives || !iface->native ||
		    !iface->state.fold)
			continue;
		const struct interface_wish *wish = model_find_interface(model, iface->name);
		if (!wish || wish->mode != MODE_GENERIC)
			return fault_set(fault, -EOPNOTSUPP,
					 "%s runs behind libxdp's dispatcher, where this kernel "
					 "takes no program that looks excludes up: keep `daemon "
					 "--enforce fold`, use `interface %s --mode generic`, or "
					 "xmcastctl detach %s, reload, and attach it alone",
					 iface->name, iface->name, iface->name);
	}
	return 0;
}
