/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What model_compile() makes must answer every frame as the words of the matching rule do.
 * `by_rule` is written from those words: the longest group prefix first, then the
 * longest source prefix; a group whose source does not match is as if absent; in the control
 * range only groups that lie wholly inside it. `by_entries` does what the datapath does.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/model/make.h"

struct frame {
	const char *from;
	__u32 vlan;
	struct prefix to, source; /* single addresses */
};

static const struct group *by_rule(const struct model *model, const struct frame *frame)
{
	const struct group *best = NULL;

	for (size_t i = 0; i < model->group_count; i++) {
		const struct group *group = model->groups[i];
		const struct group_key *key = &group->key;

		if (strcmp(key->from, frame->from) || key->vlan != frame->vlan)
			continue;
		if (!prefix_contains(&key->address, &frame->to))
			continue;
		if (key->source.len && !prefix_contains(&key->source, &frame->source))
			continue;
		if (prefix_is_control(&frame->to) && !prefix_is_control(&key->address))
			continue;
		if (!best || key->address.len > best->key.address.len ||
		    (key->address.len == best->key.address.len &&
		     key->source.len > best->key.source.len))
			best = group;
	}
	return best;
}

static const struct entry *longest_node(const struct entry *entries, size_t count,
					const struct frame *frame)
{
	const struct entry *node = NULL;

	for (size_t i = 0; i < count; i++)
		if (!entries[i].is_source && !strcmp(entries[i].from, frame->from) &&
		    entries[i].vlan == frame->vlan &&
		    prefix_contains(&entries[i].address, &frame->to) &&
		    (!node || entries[i].address.len > node->address.len))
			node = &entries[i];
	return node;
}

static const struct group *by_entries(const struct entry *entries, size_t count,
				      const struct frame *frame)
{
	const struct entry *node = longest_node(entries, count, frame), *best = NULL;

	if (!node || (prefix_is_control(&frame->to) && !node->control))
		return NULL;
	if (!node->has_sources)
		return node->group;
	for (const struct entry *e = node + 1; e < entries + count && e->is_source; e++)
		if (prefix_contains(&e->source, &frame->source) &&
		    (!best || e->source.len > best->source.len))
			best = e;
	return best ? best->group : node->group;
}

/* Small universes: a few base bits, so that prefixes overlap often. */
struct universe {
	const char *base, *source_base;
	unsigned char first_bit, bits; /* of the group address that vary */
	unsigned char source_first, source_bits;
};
static const struct universe universes[] = {
    {"239.1.1.0", "10.0.0.0", 124, 4, 125, 3},
    /* around the end of 224.0.0.0/24 */
    {"224.0.0.0", "10.0.0.0", 118, 4, 125, 3},
    {"ff00::", "2001:db8::", 13, 4, 64, 3},
    {"ff02::", "2001:db8::", 14, 3, 125, 3},
    {"01:80:c2:00:00:00", "02:00:00:00:00:00", 122, 4, 125, 3},
};

static unsigned int seed;
static unsigned int dice(unsigned int sides)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % sides;
}

static struct prefix random_prefix(const char *base, unsigned char first, unsigned char bits,
				   bool single)
{
	struct prefix p = make_prefix(base);
	unsigned int value = dice(1 << bits), len = single ? 128 : first + dice(bits + 1);

	for (unsigned int i = 0; i < bits; i++)
		if (value & 1u << i)
			p.address.byte[(first + i) / 8] |= 0x80 >> (first + i) % 8;
	if (!single && dice(4) == 0)
		len = 128;
	for (unsigned int i = len; i < 128; i++)
		p.address.byte[i / 8] &= ~(0x80 >> i % 8);
	p.len = len;
	return p;
}

static void random_key(const struct universe *u, struct group_key *key)
{
	*key = (struct group_key){.vlan = dice(4) ? 0 : 5};
	snprintf(key->from, sizeof(key->from), dice(4) ? "in0" : "in1");
	key->address = random_prefix(u->base, u->first_bit, u->bits, false);
	if (dice(3))
		key->source = random_prefix(u->source_base, u->source_first, u->source_bits, false);
}

static struct model *random_model(const struct universe *u)
{
	struct model *model = model_new();
	struct names to = make_names("out");
	unsigned int count = 1 + dice(16);

	assert_non_null(model);
	while (count--) {
		struct group group = {.to = to};

		random_key(u, &group.key);
		/* Some prefixes of a universe are wider than multicast: refused, as they must be.
		 */
		model_add_group(model, &group, NULL);
	}
	names_free(&to);
	return model;
}

static void check_order(const struct entry *entries, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		const struct entry *a = &entries[i - 1], *b = &entries[i];
		int r = strcmp(a->from, b->from);

		r = r ? r : a->vlan < b->vlan ? -1 : a->vlan > b->vlan;
		r = r ? r : prefix_compare(&a->address, &b->address);
		r = r ? r : a->is_source - b->is_source;
		r = r ? r : prefix_compare(&a->source, &b->source);
		assert_true(r < 0);
	}
}

/* No copy that the node's own sources hide, and every flag as its header says. */
static void check_entries(const struct entry *entries, size_t count)
{
	const struct entry *node = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct entry *e = &entries[i];

		assert_int_equal(e->control, prefix_is_control(&e->address));
		if (e->group)
			assert_int_equal(e->copied,
					 prefix_compare(&e->group->key.address, &e->address) != 0);
		if (!e->is_source) {
			node = e;
			assert_int_equal(e->has_sources, i + 1 < count && entries[i + 1].is_source);
			assert_true(e->group || e->has_sources);
			continue;
		}
		assert_non_null(e->group);
		assert_int_equal(prefix_compare(&e->source, &e->group->key.source), 0);
		for (const struct entry *own = node + 1;
		     e->copied && own < entries + count && own->is_source; own++)
			assert_false(!own->copied && prefix_contains(&own->source, &e->source));
	}
}

static void check_frames(const struct universe *u, const struct model *model,
			 const struct entry *entries, size_t count)
{
	for (unsigned int i = 0; i < 256; i++) {
		struct frame frame = {
		    .from = dice(4) ? "in0" : "in1",
		    .vlan = dice(4) ? 0 : 5,
		    .to = random_prefix(u->base, u->first_bit, u->bits, true),
		    .source = random_prefix(u->source_base, u->source_first, u->source_bits, true),
		};

		if (by_rule(model, &frame) != by_entries(entries, count, &frame)) {
			char to[PREFIX_TEXT_MAX], source[PREFIX_TEXT_MAX];

			fail_msg("to %s source %s from %s vlan %u\n%s",
				 prefix_format(&frame.to, to), prefix_format(&frame.source, source),
				 frame.from, frame.vlan, dump(model));
		}
	}
}

static void entries_answer_as_the_rule_does(void **state)
{
	size_t copied = 0;

	(void)state;
	for (seed = 1; seed < 3000;) {
		unsigned int start = seed;
		const struct universe *u = &universes[start % 5];
		struct model *model = random_model(u);
		struct entry *entries;
		size_t count;

		assert_int_equal(model_compile(model, &entries, &count, NULL), 0);
		check_order(entries, count);
		check_entries(entries, count);
		check_frames(u, model, entries, count);
		for (size_t i = 0; i < count; i++)
			copied += entries[i].copied;
		free(entries);
		model_free(model);
		seed = start + 1;
	}
	assert_true(copied > 5000); /* else the tables were too dull to show anything */
}

/* in1 is in0 with the tag 5, as a VLAN netdev is. */
static bool resolve_in1(struct group_key *key, void *data)
{
	(void)data;
	if (strcmp(key->from, "in1"))
		return false;
	snprintf(key->from, sizeof(key->from), "in0");
	key->vlan = key->vlan ? 5 << 16 | key->vlan : 5;
	return true;
}

/* The same model as an operator would write it without in1; what in0 says itself comes first. */
static struct model *without_in1(const struct model *model)
{
	struct model *plain = model_new();

	for (int alias = 0; alias < 2; alias++) {
		for (size_t i = 0; i < model->group_count; i++) {
			struct group group = *model->groups[i];

			if (resolve_in1(&group.key, NULL) != alias)
				continue;
			group.line = 0;
			if (!model_find_group(plain, &group.key))
				assert_int_equal(model_add_group(plain, &group, NULL), 0);
		}
	}
	return plain;
}

/* Groups of in1 name another egress, so that one is not taken for the other. */
static void name_egress_of_in1(struct model *model)
{
	struct names other = make_names("other"), none = {};

	for (size_t i = 0; i < model->group_count; i++)
		if (!strcmp(model->groups[i]->key.from, "in1"))
			assert_int_equal(
			    model_change_group(model, &model->groups[i]->key, &other, &none, NULL),
			    0);
	names_free(&other);
}

static void names_of_one_ingress_count_together(void **state)
{
	unsigned int lost = 0;

	(void)state;
	for (seed = 1; seed < 2000;) {
		unsigned int start = seed;
		struct model *model = random_model(&universes[start % 5]), *plain;
		struct entry *got, *wanted;
		size_t got_count, wanted_count;
		struct group *shadows;

		name_egress_of_in1(model);
		plain = without_in1(model);
		lost += model->group_count - plain->group_count;
		assert_int_equal(model_compile_resolved(model, resolve_in1, NULL, &shadows, &got,
							&got_count, NULL),
				 0);
		assert_int_equal(model_compile(plain, &wanted, &wanted_count, NULL), 0);
		assert_int_equal(got_count, wanted_count);
		for (size_t i = 0; i < got_count; i++) {
			const struct entry *g = &got[i], *w = &wanted[i];

			assert_string_equal(g->from, w->from);
			assert_int_equal(g->vlan, w->vlan);
			assert_int_equal(prefix_compare(&g->address, &w->address), 0);
			assert_int_equal(prefix_compare(&g->source, &w->source), 0);
			assert_int_equal(!g->group, !w->group);
			if (g->group)
				assert_true(names_equal(&g->group->to, &w->group->to));
			assert_int_equal(g->copied, w->copied);
			assert_int_equal(g->has_sources, w->has_sources);
		}
		free(got);
		free(wanted);
		free(shadows);
		model_free(plain);
		model_free(model);
		seed = start + 1;
	}
	assert_true(lost > 50); /* conflicts were among them */
}

static void the_limit_counts_copies(void **state)
{
	struct model *model = model_new();
	struct fault fault = {};
	struct entry *entries;
	size_t count;
	char text[32];

	(void)state;
	/* Nodes /24 and .1 to .3; each single one has a source and inherits two: 1+2+3*(1+1+2). */
	assert_int_equal(ADD(model, "239.1.1.0/24", "in", "out", .source = "10.0.0.1"), 0);
	assert_int_equal(ADD(model, "239.1.1.0/24", "in", "out", .source = "10.0.0.2"), 0);
	for (unsigned int i = 1; i < 4; i++) {
		snprintf(text, sizeof(text), "239.1.1.%u", i);
		assert_int_equal(ADD(model, text, "in", "out", .source = "10.0.0.9"), 0);
	}
	model->limits.entries = 15;
	assert_int_equal(model_compile(model, &entries, &count, &fault), 0);
	assert_int_equal(count, 15);
	free(entries);
	model->limits.entries = 14;
	assert_int_equal(model_compile(model, &entries, &count, &fault), -E2BIG);
	assert_says(fault, "`limit entries 14`");
	assert_says(fault, "`limit entries N`");
	/* Adding looks at it too, and then nothing has changed. */
	model->limits.entries = 15;
	assert_int_equal(ADD(model, "239.1.1.4", "in", "out", .source = "10.0.0.9"), -E2BIG);
	assert_int_equal(model->group_count, 5);
	assert_null(FIND(model, "239.1.1.4", "in", .source = "10.0.0.9"));
	assert_int_equal(ADD(model, "239.1.2.4", "in", "out"), -E2BIG);
	model->limits.entries = 16;
	assert_int_equal(ADD(model, "239.1.2.4", "in", "out"), 0);
	model_free(model);
}

static void an_empty_model_has_no_entries(void **state)
{
	struct model *model = model_new();
	struct entry *entries;
	size_t count = 7;

	(void)state;
	assert_int_equal(model_compile(model, &entries, &count, NULL), 0);
	assert_int_equal(count, 0);
	free(entries);
	model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(entries_answer_as_the_rule_does),
	    cmocka_unit_test(names_of_one_ingress_count_together),
	    cmocka_unit_test(the_limit_counts_copies),
	    cmocka_unit_test(an_empty_model_has_no_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
