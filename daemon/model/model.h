/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The wanted state: groups, interfaces, limits. Pure data: no I/O, no kernel, no log.
 * Every change is checked against the limits first and changes nothing when refused.
 */
#ifndef XM_MODEL_MODEL_H
#define XM_MODEL_MODEL_H

#include <net/if.h>

#include "daemon/model/address.h"
#include "daemon/model/names.h"

/* What went wrong, for people: one line that says what, where, why and what to do next. */
#define FAULT_TEXT_MAX 512
struct fault {
	char text[FAULT_TEXT_MAX];
};
/* Fills `fault` (may be NULL) and returns `error`, so that callers can `return fault_set(...)`. */
int fault_set(struct fault *fault, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum mode { MODE_AUTO, MODE_NATIVE, MODE_GENERIC };
enum enforce { ENFORCE_FOLD, ENFORCE_LOOKUP };
const char *mode_name(enum mode mode);			/* "auto", "native", "generic" */
const char *enforce_name(enum enforce mode);		/* "fold", "lookup" */
int mode_parse(const char *text, enum mode *out);	/* 0 or -EINVAL */
int enforce_parse(const char *text, enum enforce *out); /* 0 or -EINVAL */

/* Limits; every one can be raised with `limit NAME N`. Past one: an error, no change. */
struct limits {
	unsigned int groups;	 /* one per ingress */
	unsigned int entries;	 /* map entries: groups, plus the copies of shorter prefixes */
	unsigned int sets;	 /* different egress sets */
	unsigned int members;	 /* members of one set */
	unsigned int interfaces; /* names that groups or `interface` statements name */
};
#define LIMITS_DEFAULT                                                                             \
	(struct limits)                                                                            \
	{                                                                                          \
		.groups = 4096, .entries = 16384, .sets = 1024, .members = 64, .interfaces = 1024  \
	}
/* The limit called `name`, NULL when there is none; *max is its highest value. */
unsigned int *limits_find(struct limits *limits, const char *name, unsigned int *max);
/* Every limit at its highest: for who reads what others will judge. */
void limits_raise(struct limits *limits);
const char *limits_names(void); /* "groups, entries, .." for messages */

/*
 * The wanted egress set: shared by all groups that name the same members. Content only:
 * which interfaces match and are ready is the reconciler's business. `exclude` already
 * holds the ingress itself (split horizon) and the ingress's own excludes when they can
 * match a member, so that equal members mean the same set whatever the ingress.
 */
struct egress_set {
	struct names to;
	struct names exclude; /* what is folded out, with ENFORCE_LOOKUP only the ingress */
	unsigned int users;   /* groups that refer to it; freed with the last */
	void *actual;	      /* the reconciler's, NULL at first; it frees it via set_gone */
};

/* The key of a group: unique. */
struct group_key {
	char from[IF_NAMESIZE]; /* one ingress, a name, never a pattern */
	__u32 vlan;		/* as in bpf/xmcast.h */
	struct prefix address;
	struct prefix source; /* len 0: any source */
};
int group_key_compare(const struct group_key *a, const struct group_key *b);
#define GROUP_KEY_TEXT_MAX 192
/* "239.1.1.1 source 10.0.0.1 vlan 5 from veth0" for messages. */
const char *group_key_format(const struct group_key *key, char buf[static GROUP_KEY_TEXT_MAX]);

struct group {
	struct group_key key;
	unsigned int line;	  /* 1..: in file; runtime: where it was read from, if from lines */
	struct names to, exclude; /* as the writer wrote; in a model shared and not to be changed */
	const char *file;	  /* origin config: interned path; NULL: runtime */
	struct egress_set *set;
};

/* An `interface IF ...` statement. `wanted detached` is a state that persists. */
struct interface_wish {
	char name[IF_NAMESIZE];
	enum mode mode;
	struct names exclude; /* copies of frames that arrive here never go there */
	bool detached;
	const char *file; /* NULL: runtime */
	unsigned int line;
};

struct model {
	struct group **groups; /* ascending group_key_compare: see model_settle() */
	size_t group_count;
	struct interface_wish *interfaces; /* by name, the one that counts for each */
	size_t interface_count;
	struct limits limits;
	enum enforce enforce;				      /* changed by model_set_enforce() */
	unsigned long long version;			      /* grows with every change */
	void (*set_gone)(struct egress_set *set, void *data); /* before a set is freed */
	void *set_gone_data;
	struct model_private *private;
};

struct model *model_new(void); /* NULL: out of memory */
void model_free(struct model *model);

/*
 * A new model takes groups in any order without sorting them each time; this sorts
 * `groups` once and from then on every change keeps the order. model_replace() and
 * model_compile() do it too, so only who fills a model and reads it at once needs to call it.
 */
void model_settle(const struct model *model);

/* Derives all sets anew. -EINVAL, -E2BIG, -ENOMEM with fault: nothing has changed. */
int model_set_enforce(struct model *model, enum enforce enforce, struct fault *fault);

/*
 * Adds one group per key.from. Errors: -EINVAL (not multicast, family of source and
 * address differ, no member left after split horizon and excludes, ...), -EEXIST (same
 * key with other content, or of another origin: fault names file:line), -E2BIG (a limit: fault
 * names it and how to raise it), -ENOMEM. Returns 1 when an identical group is there already.
 * `group` is copied; its `set` is ignored.
 */
int model_add_group(struct model *model, const struct group *group, struct fault *fault);

/* The same for every ingress in `from` (key.from is ignored), all or none; 1: all were there. */
int model_add_groups(struct model *model, const struct group *group, const struct names *from,
		     struct fault *fault);

/* Removes a runtime group. -ENOENT; -EPERM when config owns it (fault names file:line). */
int model_del_group(struct model *model, const struct group_key *key, struct fault *fault);

/* Replaces to and exclude of a runtime group. Errors as above. */
int model_change_group(struct model *model, const struct group_key *key, const struct names *to,
		       const struct names *exclude, struct fault *fault);

struct group *model_find_group(const struct model *model, const struct group_key *key);

/*
 * Sets the wish for one interface; replaces an earlier one of the same name and origin. Runtime's
 * wish hides config's as a whole, so start from a copy of model_find_interface(); one that says
 * what holds without it is not kept. -EINVAL (a name that is not one, a group left
 * without egress by an exclude), -E2BIG, -ENOMEM.
 */
int model_set_interface(struct model *model, const struct interface_wish *wish,
			struct fault *fault);
const struct interface_wish *model_find_interface(const struct model *model, const char *name);

/*
 * Bulk change, all or nothing: everything of one origin is replaced by what `other` holds.
 * `other` is a model of its own that was filled with model_add_group() and
 * model_set_interface(); it is emptied on success and untouched on failure. With
 * `config` also limits and enforce are taken over. Unchanged groups keep their struct, and
 * so their counters. A key in both origins is -EEXIST, but with `config` a
 * runtime group that says the same passes to config (`save`, then `reload`).
 */
int model_replace(struct model *model, struct model *other, bool config, struct fault *fault);

/*
 * What the maps must hold: one entry per node (ingress, vlan, address/len) and per
 * source of a node that has any, with the sources of shorter prefixes copied into the longer ones,
 * so that a lookup never has to backtrack. Sorted by node, then source.
 */
struct entry {
	const struct group *group; /* who gets the frame; NULL: a node that only has sources */
	const char *from;
	__u32 vlan;
	struct prefix address;
	struct prefix source; /* meaningful when is_source */
	bool is_source;	      /* else it is the node itself */
	bool has_sources;     /* node: look for a source first */
	bool control;	      /* address lies wholly in the control range */
	bool copied;	      /* from a shorter prefix: group->key.address is not address */
};
/* Allocates *out (free() it). 0, -ENOMEM, or -E2BIG past limits.entries. */
int model_compile(const struct model *model, struct entry **out, size_t *count,
		  struct fault *fault);

/* Rewrites from and vlan of a key to where its frames really arrive; true when they differ. */
typedef bool (*key_resolve)(struct group_key *key, void *data);
/*
 * The same with every key resolved. Of groups that mean the same then, the one counts that names
 * the ingress itself, else the first in the model's order. Entries may point into *shadows: free()
 * it after them.
 */
int model_compile_resolved(const struct model *model, key_resolve resolve, void *data,
			   struct group **shadows, struct entry **out, size_t *count,
			   struct fault *fault);

#endif
