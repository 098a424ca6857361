/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the reconciler works.
 *
 * reconcile_step() runs whenever the model, a link or the worker has changed something:
 *
 *   interfaces.c  which names are ingresses, which link each is bound to
 *   iface.c       which slot each has
 *   resolve.c     what else a name may mean
 *   mode.c        native or generic
 *   sets.c        members of each set, ready or not; writes devmaps in place, or builds
 *                 new ones in unused slots and switches with one store
 *   excludes.c    exclude maps (--enforce lookup)
 *   entries.c     groups against map entries, as a transaction:
 *                 insert | grace | switch | grace | delete | grace | release
 *   attach.c      programs on ingresses, after their entries are in place
 *   lend.c        programs on egresses whose drivers take redirected frames only then
 *
 * A step that needs a grace period or more slots hands that to the worker thread and
 * returns; the worker's end runs the next step. Everything else happens on the loop.
 * A number (entry, set, slot) that was taken out of use is quarantined: it is free only
 * after a grace period has passed.
 *
 * What it keeps of all that is in state.h.
 */
#ifndef XM_RECONCILE_INTERNAL_H
#define XM_RECONCILE_INTERNAL_H

#include "daemon/reconcile/state.h"

/* reconcile.c */
void reconcile_step(struct reconcile *r);
/* A grace period failed, and is noted: who waits hears so, and the next step comes a little later.
 */
void reconcile_pause(struct reconcile *r);
/* Keeps the first error of a round for the waiters, and for the status until it is mended. */
void note_fault(struct reconcile *r, int error, const struct fault *fault);
/* Only for the status: what the waiters of an earlier round were told. */
void note_standing(struct reconcile *r, int error, const struct fault *fault);
/* Only for the waiters: the status finds it in the interface. */
void note_refusal(struct reconcile *r, int error, const struct fault *fault);
void tell(struct reconcile *r, const char *event, const char *key, const char *value,
	  const char *detail);

/* worker.c: one job at a time */
enum work { WORK_NONE, WORK_GRACE, WORK_GROW };
int worker_open(struct worker **out, struct reconcile *r);
void worker_close(struct worker *worker);
/* The job's end calls reconcile_step(), or reconcile_pause(), with an error noted as a fault. */
int worker_start(struct worker *worker, enum work work);
bool worker_busy(const struct worker *worker);
bool worker_growing(const struct worker *worker);
/* Takes the result of a finished grace period: true once after each. */
bool worker_grace_over(struct worker *worker);

/* left_out.c */
/* True, with words, when an interface that groups name or mean got no slot. */
bool left_out_words(const struct reconcile *r, char *buf, size_t size);
/* Events of those that were not left out before. */
void left_out_tell(struct reconcile *r);

/* iface.c */
struct iface *iface_find(const struct reconcile *r, const char *name);
struct iface *iface_get(struct reconcile *r, const char *name); /* NULL: limit or memory */
/* Makes the one of that name at that slot, both not in use. NULL: no memory. */
struct iface *iface_at(struct reconcile *r, const char *name, uint32_t slot);
/* Interface slots became free: who got none looks again. */
void ifaces_slots_free(struct reconcile *r);
/* How many are in use. */
unsigned int ifaces_used(const struct reconcile *r);
void ifaces_free(struct reconcile *r);

/* interfaces.c */
/* Binds all names to links, and says which are ingresses; decides their modes. */
void interfaces_update(struct reconcile *r);
/* Binds to the link of that name, or to none; leads tracepoints there. */
void interfaces_bind(struct reconcile *r, struct iface *iface);
/* A link changed (NULL: it is gone): marks the sets it may belong to. */
void interfaces_link_event(struct reconcile *r, int ifindex, const struct link *link);
/* After an overrun: a link may have left and returned untold, so write every devmap anew. */
void interfaces_resync(struct reconcile *r);
/* Unbinds those that nobody uses, and quarantines their slots. */
void interfaces_sweep(struct reconcile *r);
/* The program that every devmap entry of that mode carries, -1 none: one for a device or none. */
int egress_program(const struct reconcile *r, bool native);

/* resolve.c */
/* The name of the ingress that frames of `from` arrive on, and the tag they carry there. */
const char *resolve_parent(const struct reconcile *r, const char *from, uint32_t *vlan);
/* The ingress itself. NULL: limit or memory. */
struct iface *resolve_ingress(struct reconcile *r, const char *from, uint32_t *vlan);
/* The same for a key, without giving the ingress a slot: a key_resolve. `data`: the reconciler. */
bool resolve_key(struct group_key *key, void *data);
/*
 * A group of the model that means the same frames as `group` by another name of the ingress. `all`:
 * any; else only one that counts before it.
 */
const struct group *resolve_conflict(struct reconcile *r, const struct group *group, bool all);

/* mode.c */
/* Says in `forced` what forced it. */
void mode_decide(struct reconcile *r, struct iface *iface, const struct link *link);
/*
 * A mode that is wanted strictly now, and differs from what runs, is decided again; but one that
 * was refused, so that the former runs on, is not tried with every change.
 */
void mode_check_wish(struct reconcile *r, struct iface *iface);
/*
 * Calls f for every egress that groups of this ingress name literally and that cannot take
 * redirects, perhaps more than once, while it returns true. False: it was ended.
 */
bool mode_each_blocker(struct reconcile *r, const struct iface *iface,
		       bool (*f)(const struct link *link, void *data), void *data);

/* readiness.c */
enum xm_reason link_reason(const struct link *link, bool native);
unsigned int link_mtu(const struct link *link);
/* What to do about it: the command to type. */
void link_detail(const struct reconcile *r, const struct link *link, enum xm_reason reason,
		 char *buf, size_t size);
/* Can the driver run native XDP, and redirect? `why` gets words when not. */
bool link_can_native(const struct link *link, char *why, size_t size);
/*
 * Does a native program of it run on its ports? There it is the port that frames come from: the
 * tracepoints count nothing of ours, and each port has a driver of its own.
 */
bool link_runs_on_ports(const struct link *link);
/* Do senders behind it leave UDP checksums to hardware that is not there? */
bool link_leaves_checksums(const struct link *link);
/* Can it receive redirected frames at all (whether or not it is up)? */
bool link_can_receive(const struct link *link);
/* The bridge, bond or team that it is a port of, so that what leaves by that may leave here; NULL.
 */
const struct link *link_over_ports(const struct reconcile *r, const struct link *link);
/* It could, if it ran a program itself. */
bool link_needs_program(const struct link *link);

/* vlan.c */
/* Do frames come there without the tag that they had? Then no group with a VLAN can match. */
bool link_hides_vlans(const struct link *link);
/* The same, and nothing but the tag kept frames of several VLANs apart. */
bool link_mixes_vlans(const struct link *link);
extern const char vlans_mixed[]; /* what that means, in words */
/* Words what to use instead, when a group of that VLAN cannot be there; "" else. */
bool link_refuses_vlan(const struct reconcile *r, const struct link *link, uint32_t vlan, char *buf,
		       size_t size);
/* Words, when a NIC will drop what the group is for; "" else. */
void link_vlan_detail(const struct reconcile *r, const struct link *link, uint32_t vlan, char *buf,
		      size_t size);

/* sets.c */
/* The set of `wanted` in that mode, made if need be; NULL: out of numbers or memory, noted. */
struct actual_set *sets_get(struct reconcile *r, struct egress_set *wanted, bool native);
/* Brings every dirty set up to date; true: more slots must grow first. */
bool sets_update(struct reconcile *r);
void sets_mark_link(struct reconcile *r, const char *name);
/* Those that leave that link out (0: any), whatever its name is by now. */
void sets_mark_left_out(struct reconcile *r, int ifindex);
/* Quarantines sets that no word refers to. */
void sets_sweep(struct reconcile *r);
void sets_gone(struct egress_set *wanted, void *data);
void sets_free(struct reconcile *r);

/* levels.c */
/* Writes the members' devmaps and words; 1: slots must grow first; negative errno. */
int levels_apply(struct reconcile *r, struct actual_set *set);
/* Shares out what was too big for the smallest members of each level since the last time. */
void levels_count_too_big(struct reconcile *r, struct actual_set *set);
void levels_retire(struct reconcile *r, struct actual_set *set);
void levels_free(struct actual_set *set);
void levels_lose(struct actual_set *set, int ifindex);

/* excludes.c */
/* The exclude map for these names; slot 0 when there are none. *grow: a slot must grow first. */
const struct exclude_set *excludes_get(struct reconcile *r, const struct names *names, bool *grow);
/* The lists of ingresses, and all maps against the links; true: slots must grow first. */
bool excludes_update(struct reconcile *r);
/* What the kernel took out of the maps with that link (0: with any) is written again. */
void excludes_forget_link(struct reconcile *r, int ifindex);
void excludes_sweep(struct reconcile *r);
void excludes_free(struct reconcile *r);

/* entries.c */
enum entries_result {
	ENTRIES_DONE, /* the transaction may have begun */
	ENTRIES_GROW, /* slots must grow first */
	ENTRIES_WAIT, /* keys were deleted: a grace period must pass before new ones */
};
/* Compares groups with entries and begins a transaction. */
enum entries_result entries_update(struct reconcile *r);
/* The entry that counts for a group; 0: none yet. */
uint32_t entries_of_group(struct reconcile *r, const struct group *group);

/* transaction.c */
/* Goes on after a grace period; true when it must wait for another. */
bool transaction_advance(struct reconcile *r);
/* Prefix flags of the ingress words, from the entries that the kernel holds. */
void transaction_flags(struct reconcile *r);
void transaction_free(struct reconcile *r);

/* quarantine.c */
bool quarantine_empty(const struct quarantine *q);
/* Starts a grace period; what is old now will be free when it ends. */
void quarantine_begin(struct reconcile *r);
void quarantine_end(struct reconcile *r);
void quarantine_free(struct quarantine *q);

/* tracing.c */
/* Does the ingress run the tracing instance of the program? */
bool tracing_covers(const struct reconcile *r, const struct iface *iface);

/* attach.c */
/*
 * Replaces the program by the one that is wanted now, without a gap; the same is left alone. Fills
 * `fault` when it fails, and notes it nowhere but in the interface.
 */
int attach_renew(struct reconcile *r, struct iface *iface, const struct link *link,
		 struct fault *fault);
void attach_update(struct reconcile *r);
/* May any word name an exclude map? Also while --enforce lookup is being left. */
bool looks_up(const struct reconcile *r);
void attach_store_word(struct reconcile *r, const struct iface *iface);
/* What failed to attach is tried again, in the mode that fits then. */
void attach_again(struct iface *iface);
/* Is the program on that link still ours? */
void attach_check(struct reconcile *r, struct iface *iface, const struct link *link);
/* Takes our program off and restores what was changed for it. */
void attach_drop(struct reconcile *r, struct iface *iface);
/* The program that an iface is to run now, as ingress or lent. */
int attach_one(struct reconcile *r, struct iface *iface, const struct link *link,
	       struct fault *fault);

/* lend.c */
/* Does an egress need a program of its own, so that its driver takes redirected frames? */
bool lend_is_wanted(const struct reconcile *r, const struct iface *iface, const struct link *link);
void lend(struct reconcile *r, struct iface *iface, const struct link *link);

/* refusal.c */
/* Watches members of which nobody tells whether they can receive; stops when there are none. */
void refusal_watch(struct reconcile *r);

/* report.c */
/* Why an interface takes no part now, as egress or else as ingress; XM_REASON_NONE: it does. */
enum xm_reason report_reason(const struct reconcile *r, const struct iface *iface);

/* retry.c */
/* May the same be done a little later, though nothing has changed? */
bool retry_helps(int error);
/* Before a round: it looks at all that may have failed. */
void retry_all(struct reconcile *r);
/* Before a round: one for a change tries what is planned for later, too. */
void retry_with_change(struct reconcile *r);
/* At the end of a round: tries again later what may work then. */
void retry_plan(struct reconcile *r);

/* adopt.c */
int adopt(struct reconcile *r);

#endif
