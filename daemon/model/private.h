/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside of the model. Names are kept once each (atoms), lists of names once each, egress sets
 * once each; all three are counted references. A group holds: the atom of its ingress, its
 * two lists, its set. 100,000 groups usually share a handful of lists and sets.
 *
 * A new model is `filling`: groups are appended and sorted once by model_settle(). After
 * that every change keeps the order.
 */
#ifndef XM_MODEL_PRIVATE_H
#define XM_MODEL_PRIVATE_H

#include "daemon/model/model.h"
#include "daemon/model/table.h"

#define CONTAINER(pointer, type, member) ((type *)((char *)(pointer)-offsetof(type, member)))

struct atom {
	unsigned int users;
	unsigned int mark; /* the last count that saw it */
	struct atom *twin; /* in model_replace(): the same in the model that takes over */
	char text[IF_NAMESIZE];
};

struct name_list {
	unsigned int users;
	unsigned int mark;
	struct name_list *twin;
	struct names names; /* names.name is name[], its strings are atoms' texts */
	char *name[];
};

struct kept_set {
	unsigned int mark;
	unsigned int length;   /* of name[] */
	struct egress_set set; /* its users are counted here too */
	char *name[];	       /* first `to`, then `exclude`; texts of atoms */
};

struct kept_group {
	struct atom *from; /* key.from, counted */
	struct group group;
};

/* Wishes of one origin, by name. */
struct wishes {
	struct interface_wish *wish;
	size_t count;
};

/* The last derivations: a bulk of groups asks for few different sets, many times. */
#define RECIPES 1024
struct recipe {
	const struct name_list *to, *exclude;
	const struct atom *from;
	struct egress_set *set;
	unsigned long generation; /* of the model when it was made: older ones are void */
};

struct model_private {
	struct table atoms, lists, sets, groups;
	struct wishes config, runtime;
	bool filling;
	bool sorted;	 /* while filling: the groups came in order so far */
	size_t room;	 /* allocated length of model->groups */
	size_t prefixes; /* groups whose address is not a single one */
	unsigned int mark;
	unsigned long generation; /* 1.. */
	struct recipe recipe[RECIPES];
};

/* intern.c: get takes a reference, put gives it back; all know NULL as "none". */
void intern_init(struct model_private *private);
struct atom *atom_get(struct model_private *private, const char *text); /* NULL: no memory */
struct atom *atom_find(const struct model_private *private, const char *text);
void atom_put(struct model_private *private, struct atom *atom);
struct atom *atom_of(const char *text);
/* *out NULL for an empty list. 0 or -ENOMEM. */
int list_get(struct model_private *private, const struct names *names, struct name_list **out);
void list_put(struct model_private *private, struct name_list *list);
/* The same for what another model holds; quick when it was asked for before. */
struct atom *atom_get_twin(struct model_private *private, struct atom *other);
int list_get_twin(struct model_private *private, struct name_list *other, struct name_list **out);
/* Before the first twin is asked for: forgets those of an earlier time. */
void intern_forget_twins(struct model_private *other);
struct name_list *list_of(const struct names *names); /* of a group; NULL: empty */
struct names list_names(const struct name_list *list);

/* set.c */
struct kept_set *set_kept(struct egress_set *set);
void set_init(struct model_private *private);
void set_put(struct model *model, struct egress_set *set);
/*
 * The set of groups with these lists from this ingress, with a reference. -EINVAL when no
 * member is left, -E2BIG when there are more members than model->limits allow.
 */
int set_derive(struct model *model, const struct atom *from, const struct name_list *to,
	       const struct name_list *exclude, struct egress_set **out, struct fault *fault);
/* After whatever could make a recipe wrong: an interface's exclude, enforce, a freed list. */
void set_forget_recipes(struct model_private *private);

/* interface.c */
/* Adds all of `from` (of another model) to `to`. 0 or -ENOMEM. */
int wishes_copy(struct model_private *private, struct wishes *to, const struct wishes *from);
void wishes_free(struct model_private *private, struct wishes *wishes);
struct wishes *wishes_of(struct model_private *private, bool config);
/* Runtime's that say what config says by now: what `save` wrote passes to config. */
void wishes_drop_said(struct model_private *private);
/* The wish that counts: runtime's before config's. */
const struct interface_wish *wish_effective(const struct model_private *private, const char *name);
/* Room for interfaces_merge() with `more` additional wishes; NULL: out of memory. */
struct interface_wish *interfaces_room(const struct model *model, size_t more);
/* Builds model->interfaces from both origins in `room`, which the model then owns. */
void interfaces_merge(struct model *model, struct interface_wish *room);

/* model.c: forgets all groups, sets and interfaces, without a word to set_gone. */
void model_empty(struct model *model);

/* key.c */
/* The key with what is not read zeroed, and a source of all addresses as none. */
struct group_key group_key_normal(const struct group_key *key);
/* -EINVAL with "group KEY: what". */
int group_refuse(const struct group_key *key, struct fault *fault, const char *what);
/* Can a group have this key, of normal form? Else group_refuse(). */
int group_key_check(const struct group_key *key, struct fault *fault);

/* group.c */
struct kept_group *group_kept(const struct group *group);
/* "conf.d/a.conf:12" or "runtime" */
#define OWNER_MAX 256
const char *group_owner(const struct group *group, char buf[static OWNER_MAX]);
void group_release(struct model *model, struct kept_group *kept);
extern const struct table_kind group_kind;

/* compile.c: as model_compile(), over any sorted array. */
int compile_groups(struct group *const *groups, size_t group_count, unsigned int limit,
		   struct entry **out, size_t *count, struct fault *fault);
/*
 * 0 when compile_groups() would stay within the limit, else its error. `prefixes`: how many
 * groups have an address shorter than a single one; without any the answer is quick.
 */
int compile_check(struct group *const *groups, size_t group_count, size_t prefixes,
		  unsigned int limit, struct fault *fault);

/* replace.c: derives all sets anew (an exclude or enforce changed). All or nothing. */
int model_rederive(struct model *model, struct fault *fault);

/* Fills in "LIMIT is reached: raise it with ..."; returns -E2BIG. */
int fault_limit(struct fault *fault, const char *limit, unsigned int value, const char *what);

#endif
