/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/control/select.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "daemon/control/json.h"

#define LISTED_MAX 100 /* groups that an Ambiguous error carries */

/* What the peer said, as people read it. */
static const char *said(const struct words *words, const char *from,
			char text[static GROUP_KEY_TEXT_MAX])
{
	char address[PREFIX_TEXT_MAX], source[PREFIX_TEXT_MAX], vlan[VLAN_TEXT_MAX];

	snprintf(text, GROUP_KEY_TEXT_MAX, "%s%s%s%s%s%s%s",
		 prefix_format(&words->address, address), words->has_source ? " source " : "",
		 words->has_source ? prefix_format(&words->source, source) : "",
		 words->has_vlan ? " vlan " : "",
		 words->has_vlan ? (words->vlan ? vlan_format(words->vlan, vlan) : "0") : "",
		 from ? " from " : "", from ? from : "");
	return text;
}

static bool means(const struct words *words, const char *from, const struct group_key *key)
{
	return words_match(words, key) && (!from || strcmp(from, key->from) == 0);
}

static void send_ambiguous(struct session *session, const struct words *words, const char *from,
			   size_t matches)
{
	const struct model *model = session->service->backend->model;
	char text[GROUP_KEY_TEXT_MAX], message[512];
	json_t *groups = json_array();

	for (size_t i = 0; i < model->group_count && json_array_size(groups) < LISTED_MAX; i++) {
		if (means(words, from, &model->groups[i]->key))
			json_array_append_new(groups, json_group_key(&model->groups[i]->key));
	}
	snprintf(message, sizeof(message),
		 "%zu groups match %s, say which one with source, vlan or from (source 0.0.0.0/0: "
		 "the one for any source; vlan 0: untagged)",
		 matches, said(words, from, text));
	session_error_with(
	    session, "Ambiguous",
	    json_pack("{s:o, s:o}", "message", json_text(message), "groups", groups));
}

/* Finds the only group that the words mean (from `from`, when not NULL). */
static int select_one(struct session *session, const struct words *words, const char *from,
		      struct group_key *out)
{
	const struct model *model = session->service->backend->model;
	const struct group *found = NULL;
	char text[GROUP_KEY_TEXT_MAX];
	struct fault fault;
	size_t matches = 0;

	for (size_t i = 0; i < model->group_count; i++) {
		if (!means(words, from, &model->groups[i]->key))
			continue;
		found = model->groups[i];
		matches++;
	}
	if (matches > 1) {
		send_ambiguous(session, words, from, matches);
		return -1;
	}
	if (!found) {
		fault_set(&fault, 0, "there is no group %s (xmcastctl list-groups shows all)",
			  said(words, from, text));
		session_fault(session, -ENOENT, &fault);
		return -1;
	}
	if (found->file) {
		fault_set(&fault, 0,
			  "group %s is owned by %s:%u: edit it there, then xmcastctl reload",
			  group_key_format(&found->key, text), found->file, found->line);
		session_fault(session, -EPERM, &fault);
		return -1;
	}
	*out = found->key;
	return 0;
}

int select_groups(struct session *session, const struct words *words, struct selection *out)
{
	size_t count = words->from.count ? words->from.count : 1;

	*out = (struct selection){.keys = calloc(count, sizeof(*out->keys))};
	if (!out->keys) {
		session_fault(session, -ENOMEM, NULL);
		return -1;
	}
	for (; out->count < count; out->count++) {
		const char *from = words->from.count ? words->from.name[out->count] : NULL;

		if (select_one(session, words, from, &out->keys[out->count]) < 0) {
			selection_free(out);
			return -1;
		}
	}
	return 0;
}

void selection_free(struct selection *selection)
{
	free(selection->keys);
	*selection = (struct selection){};
}
