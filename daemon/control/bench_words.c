// SPDX-License-Identifier: GPL-2.0-or-later
#include "daemon/control/bench_words.h"

#include <errno.h>
#include <string.h>

/* Options whose value is a list of real interfaces. */
static const char *const options[] = {"--in", "--out", "--pktgen-dev"};
#define OPTIONS (sizeof(options) / sizeof(options[0]))

/* The value of such an option: behind its "=" or in the next word; NULL: it is none. */
static const char *interfaces_of(const char *const *word)
{
	for (size_t i = 0; i < OPTIONS; i++) {
		size_t len = strlen(options[i]);

		if (strncmp(*word, options[i], len))
			continue;
		if ((*word)[len] == '=')
			return *word + len + 1;
		if (!(*word)[len])
			return word[1] ? word[1] : "";
	}
	return NULL;
}

bool bench_word_needs_root(const char *word)
{
	const char *const words[] = {word, NULL};

	return !strncmp(word, "program=", strlen("program=")) || interfaces_of(words);
}

static int check_interface(const struct model *model, const char *name, struct fault *fault)
{
	char text[GROUP_KEY_TEXT_MAX];

	for (size_t i = 0; i < model->group_count; i++) {
		const struct group *group = model->groups[i];

		if (!strcmp(group->key.from, name) || names_match(&group->to, name))
			return fault_set(fault, -EBUSY,
					 "%s is an interface of group %s, which would lose frames: "
					 "delete the group first, or measure on others",
					 name, group_key_format(&group->key, text));
	}
	return 0;
}

int bench_words_check(const struct model *model, const char *const *words, struct fault *fault)
{
	int r = 0;

	for (; *words && !r; words++) {
		const char *list = interfaces_of(words);

		while (list && *list && !r) {
			size_t len = strcspn(list, ",");
			char name[IF_NAMESIZE] = "";

			if (len < sizeof(name)) { /* a longer one is no interface */
				memcpy(name, list, len);
				r = check_interface(model, name, fault);
			}
			list += len + (list[len] == ',');
		}
	}
	return r;
}
