/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/control/words.h"

#include <errno.h>
#include <string.h>

static int read_prefix(const char *text, struct prefix *out, const char *what, struct fault *fault)
{
	const char *why = "is not an address";

	if (prefix_parse(text, out, &why) < 0)
		return fault_set(fault, -EINVAL, "%s '%.64s' %s", what, text, why);
	return 0;
}

int words_address(const char *text, struct prefix *out, struct fault *fault)
{
	return read_prefix(text, out, "group", fault);
}

/* "0" is untagged, as VID 0 in a frame is. */
static int read_vlan(const char *text, __u32 *out, struct fault *fault)
{
	const char *why = "is not a VLAN";

	*out = 0;
	if (strcmp(text, "0") != 0 && vlan_parse(text, out, &why) < 0)
		return fault_set(fault, -EINVAL, "vlan '%.32s' %s", text, why);
	return 0;
}

int words_names(const json_t *array, struct names *names, const char *what, struct fault *fault)
{
	size_t i;
	json_t *item;

	json_array_foreach((json_t *)array, i, item)
	{
		const char *name = json_string_value(item);
		int r = names_add(names, name);

		if (r == -EINVAL)
			return fault_set(fault, r, "'%.32s' in '%s' is not an interface name", name,
					 what);
		if (r < 0)
			return fault_set(fault, r, "out of memory");
	}
	return 0;
}

static int decode_key(const char *key, const json_t *value, struct words *out, struct fault *fault)
{
	const char *text = json_string_value(value);

	if (json_is_null(value))
		return 0;
	if (strcmp(key, "address") == 0) {
		out->has_address = true;
		return words_address(text, &out->address, fault);
	}
	if (strcmp(key, "source") == 0) {
		out->has_source = true;
		return read_prefix(text, &out->source, "source", fault);
	}
	if (strcmp(key, "vlan") == 0) {
		out->has_vlan = true;
		return read_vlan(text, &out->vlan, fault);
	}
	if (strcmp(key, "from") == 0 && json_is_array(value))
		return words_names(value, &out->from, key, fault);
	if (strcmp(key, "to") == 0 || strcmp(key, "interfaces") == 0)
		return words_names(value, &out->to, key, fault);
	if (strcmp(key, "exclude") == 0)
		return words_names(value, &out->exclude, key, fault);
	if (strcmp(key, "pending") == 0)
		out->pending = json_is_true(value);
	return 0;
}

static int check_from(const struct words *words, struct fault *fault)
{
	for (size_t i = 0; i < words->from.count; i++) {
		const char *name = words->from.name[i];

		if (name_is_pattern(name) || strlen(name) >= IF_NAMESIZE)
			return fault_set(fault, -EINVAL,
					 "'%.32s' in 'from' is not the name of one interface: an "
					 "ingress cannot be a pattern",
					 name);
	}
	return 0;
}

int words_decode(const json_t *object, struct words *out, const char **name, struct fault *fault)
{
	const char *key;
	json_t *value;

	*out = (struct words){};
	json_object_foreach((json_t *)object, key, value)
	{
		int r = decode_key(key, value, out, fault);

		*name = key;
		if (r < 0)
			return r;
	}
	*name = "from";
	return check_from(out, fault);
}

void words_free(struct words *words)
{
	names_free(&words->from);
	names_free(&words->to);
	names_free(&words->exclude);
	*words = (struct words){};
}

struct group words_group(const struct words *words, const char *from)
{
	struct group group = {.to = words->to, .exclude = words->exclude};

	group.key.address = words->address;
	group.key.source = words->source;
	group.key.vlan = words->vlan;
	memcpy(group.key.from, from, strnlen(from, sizeof(group.key.from) - 1));
	return group;
}

/* 0.0.0.0/0 and ::/0 mean every source, as a group without one does. */
static bool is_any(const struct prefix *source)
{
	return source->len == 0 ||
	       (prefix_family(source) == FAMILY_IPV4 && source->len == XM_IPV4_BITS);
}

bool words_match(const struct words *words, const struct group_key *key)
{
	if (words->has_address && prefix_compare(&words->address, &key->address) != 0)
		return false;
	if (words->has_source && prefix_compare(&words->source, &key->source) != 0 &&
	    !(is_any(&words->source) && is_any(&key->source)))
		return false;
	if (words->has_vlan && words->vlan != key->vlan)
		return false;
	return !words->from.count || names_have(&words->from, key->from);
}
