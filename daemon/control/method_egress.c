/* SPDX-License-Identifier: GPL-2.0-or-later */
/* add-egress, del-egress, add-exclude, del-exclude: one list of one or more groups edited. */
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>

#include "daemon/control/select.h"
#include "daemon/control/warnings.h"

struct edit {
	bool exclude; /* edits the excludes, else the egress list */
	bool remove;
};

/* Both lists of a group: owned copies. */
struct lists {
	struct names to, exclude;
};

static void lists_free(struct lists *lists)
{
	names_free(&lists->to);
	names_free(&lists->exclude);
}

static int lists_of(const struct group *group, struct lists *out)
{
	*out = (struct lists){};
	if (names_copy(&out->to, &group->to) == 0 &&
	    names_copy(&out->exclude, &group->exclude) == 0)
		return 0;
	lists_free(out);
	return -ENOMEM;
}

/* The pattern of `names` that means `name`; NULL: none does. */
static const char *pattern_of(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (name_is_pattern(names->name[i]) && !fnmatch(names->name[i], name, 0))
			return names->name[i];
	return NULL;
}

static int not_there(const struct names *names, const char *name, const struct edit *edit,
		     const struct group_key *key, struct fault *fault)
{
	const char *pattern = pattern_of(names, name);
	char text[GROUP_KEY_TEXT_MAX];

	group_key_format(key, text);
	if (!pattern)
		return fault_set(fault, -ENOENT, "'%s' is not in the %s list of group %s", name,
				 edit->exclude ? "exclude" : "egress", text);
	return fault_set(fault, -ENOENT, "'%s' is meant by the pattern '%s' of group %s: %s", name,
			 pattern, text,
			 edit->exclude ? "remove that" : "remove that, or use add-exclude");
}

static int edit_names(struct names *names, const struct names *by, const struct edit *edit,
		      const struct group_key *key, struct fault *fault)
{
	for (size_t i = 0; i < by->count; i++) {
		int r =
		    edit->remove ? names_remove(names, by->name[i]) : names_add(names, by->name[i]);

		if (r == -ENOENT)
			return not_there(names, by->name[i], edit, key, fault);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Makes `lists` what the group of `key` shall have. */
static int plan(const struct control_backend *backend, const struct group_key *key,
		const struct words *words, const struct edit *edit, struct warnings *warnings,
		struct lists *lists, struct fault *fault)
{
	struct group group = {.key = *key};
	struct names *names = edit->exclude ? &lists->exclude : &lists->to;
	int r = lists_of(model_find_group(backend->model, key), lists);

	if (r == 0)
		r = edit_names(names, &words->to, edit, key, fault);
	if (r < 0 || (edit->remove && !edit->exclude))
		return r;
	group.to = lists->to;
	group.exclude = lists->exclude;
	return backend->check_group(&group, words_check(words), warnings_add, warnings, fault,
				    backend->data);
}

/* Exchanges the lists of one group: `lists` holds the old ones afterwards. */
static int exchange(struct model *model, const struct group_key *key, struct lists *lists,
		    bool *changed, struct fault *fault)
{
	const struct group *group = model_find_group(model, key);
	struct lists old;
	int r = lists_of(group, &old);

	if (r < 0)
		return r;
	if (!names_equal(&group->to, &lists->to) ||
	    !names_equal(&group->exclude, &lists->exclude)) {
		r = model_change_group(model, key, &lists->to, &lists->exclude, fault);
		*changed |= r == 0;
	}
	if (r < 0) {
		lists_free(&old);
		return r;
	}
	lists_free(lists);
	*lists = old;
	return 0;
}

/* All or none. 1: something changed; 0: it was so already. */
static int edit_groups(const struct control_backend *backend, const struct selection *selection,
		       const struct words *words, const struct edit *edit,
		       struct warnings *warnings, struct fault *fault)
{
	struct lists *lists = calloc(selection->count, sizeof(*lists));
	bool changed = false, back = false;
	size_t i;
	int r = lists ? 0 : -ENOMEM;

	for (i = 0; i < selection->count && r == 0; i++)
		r = plan(backend, &selection->keys[i], words, edit, warnings, &lists[i], fault);
	for (i = 0; i < selection->count && r == 0; i++) {
		r = exchange(backend->model, &selection->keys[i], &lists[i], &changed, fault);
		if (r == 0)
			continue;
		while (i-- > 0)
			exchange(backend->model, &selection->keys[i], &lists[i], &back, NULL);
		break;
	}
	for (i = 0; lists && i < selection->count; i++)
		lists_free(&lists[i]);
	free(lists);
	return r < 0 ? r : changed;
}

static void edit_members(struct session *session, const struct call *call, const struct edit *edit)
{
	const struct control_backend *backend = session->service->backend;
	struct selection selection = {};
	struct warnings warnings = {};
	const char *name;
	struct fault fault = {};
	struct words words;
	json_t *reply;
	int r;

	if (words_decode(call->parameters, &words, &name, &fault) < 0) {
		session_invalid(session, name, fault.text);
	} else if (!words.to.count) {
		session_invalid(session, "interfaces", "'interfaces' names no interface");
	} else if (select_groups(session, &words, &selection) == 0) {
		r = edit_groups(backend, &selection, &words, edit, &warnings, &fault);
		reply = json_pack("{s:s, s:o}", "result", r > 0 ? "changed" : "unchanged",
				  "warnings", warnings_take(&warnings));
		if (r > 0) {
			for (size_t i = 0; i < selection.count; i++)
				session_tell(session, "group-changed", &selection.keys[i]);
			session_changed(session, reply);
		} else if (r == 0) {
			session_reply(session, reply);
		} else {
			json_decref(reply);
			session_fault(session, r, &fault);
		}
	}
	selection_free(&selection);
	warnings_free(&warnings);
	words_free(&words);
}

void method_add_egress(struct session *session, const struct call *call)
{
	edit_members(session, call, &(struct edit){});
}

void method_del_egress(struct session *session, const struct call *call)
{
	edit_members(session, call, &(struct edit){.remove = true});
}

void method_add_exclude(struct session *session, const struct call *call)
{
	edit_members(session, call, &(struct edit){.exclude = true});
}

void method_del_exclude(struct session *session, const struct call *call)
{
	edit_members(session, call, &(struct edit){.exclude = true, .remove = true});
}
