/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Out of memory at any place: each scenario is run with the first, the second, .. allocation
 * of the model failing, until it passes. Each failure must be -ENOMEM with the model as it
 * was; that nothing is lost or freed twice is for the sanitizer to see.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/model/make.h"
#include "tests/unit/model/scarce.h"

struct scene {
	struct model *model, *other;
	struct group group;
	struct names to, exclude;
	struct interface_wish wish;
	struct fault fault;
};

static void scene_make(struct scene *scene)
{
	struct fault fault;

	*scene = (struct scene){.model = model_new(), .other = model_new()};
	assert_int_equal(ADD(scene->model, "239.0.0.1", "in", "a,b", .exclude = "z"), 0);
	assert_int_equal(ADD(scene->model, "239.0.1.0/24", "in", "c", .source = "10.0.0.0/8"), 0);
	assert_int_equal(ADD(scene->other, "239.0.0.1", "in", "x,y"), 0);
	assert_int_equal(ADD(scene->other, "239.0.0.2", "new", "v*", .exclude = "v2"), 0);
	assert_int_equal(wish(scene->model, "in", "q", false, NULL, &fault), 0);
	assert_int_equal(wish(scene->other, "new", "v3", false, NULL, &fault), 0);
	model_settle(scene->model);
	scene->to = make_names("d,e,f");
	scene->exclude = make_names("g,h");
	scene->group = (struct group){.to = scene->to, .exclude = scene->exclude};
	scene->group.key = make_key(&(struct wanted){.address = "239.0.2.1", .from = "other"});
	strcpy(scene->wish.name, "in");
	scene->wish.exclude = scene->exclude;
}

static void scene_free(struct scene *scene)
{
	model_free(scene->model);
	model_free(scene->other);
	names_free(&scene->to);
	names_free(&scene->exclude);
}

static int do_add(struct scene *s)
{
	return model_add_group(s->model, &s->group, &s->fault);
}

static int do_add_many(struct scene *s)
{
	return model_add_groups(s->model, &s->group, &s->to, &s->fault);
}

static int do_change(struct scene *s)
{
	struct group_key key = make_key(&(struct wanted){.address = "239.0.0.1", .from = "in"});

	return model_change_group(s->model, &key, &s->to, &s->exclude, &s->fault);
}

static int do_wish(struct scene *s)
{
	return model_set_interface(s->model, &s->wish, &s->fault);
}

/* Of which no set depends. */
static int do_detach(struct scene *s)
{
	struct interface_wish wish = {.name = "other", .detached = true};

	return model_set_interface(s->model, &wish, &s->fault);
}

static int do_enforce(struct scene *s)
{
	return model_set_enforce(s->model, ENFORCE_LOOKUP, &s->fault);
}

static int do_replace(struct scene *s)
{
	return model_replace(s->model, s->other, false, &s->fault);
}

static int do_compile(struct scene *s)
{
	struct entry *entries = NULL;
	size_t count;
	int r = model_compile(s->model, &entries, &count, &s->fault);

	free(entries);
	return r;
}

static bool resolve(struct group_key *key, void *data)
{
	(void)data;
	memset(key->from, 0, sizeof(key->from));
	strcpy(key->from, "parent");
	return true;
}

static int do_compile_resolved(struct scene *s)
{
	struct entry *entries = NULL;
	struct group *shadows;
	size_t count;
	int r =
	    model_compile_resolved(s->model, resolve, NULL, &shadows, &entries, &count, &s->fault);

	free(entries);
	free(shadows);
	return r;
}

static int do_names(struct scene *s)
{
	struct names copy, more = {};
	const char *why;
	int r = names_copy(&copy, &s->to);

	if (!r)
		r = names_add_list(&copy, "u,v,w,x,y", &why);
	if (!r)
		r = names_add(&more, "q");
	names_free(&copy);
	names_free(&more);
	return r;
}

/* Runs one scenario with each allocation failing in turn; returns how many there were. */
static unsigned int run(int (*scenario)(struct scene *))
{
	for (unsigned int n = 0;; n++) {
		struct scene scene;
		char *before, *after, *other, *other_after;
		int r;

		scene_make(&scene);
		before = dump(scene.model);
		other = dump(scene.other);
		scene.fault.text[0] = 0;
		allocations_left = n;
		r = scenario(&scene);
		allocations_left = -1;
		after = dump(scene.model);
		other_after = dump(scene.other);
		if (r < 0) {
			assert_int_equal(r, -ENOMEM);
			if (scenario != do_names) /* which has no words */
				assert_says(scene.fault, "memory");
			assert_string_equal(before, after);
			assert_string_equal(other, other_after);
		}
		free(before);
		free(after);
		free(other);
		free(other_after);
		scene_free(&scene);
		if (!r)
			return n;
	}
}

static void every_failure_leaves_all_as_it_was(void **state)
{
	(void)state;
	assert_in_range(run(do_add), 5, 50);
	assert_in_range(run(do_add_many), 5, 50);
	assert_in_range(run(do_change), 3, 50);
	assert_in_range(run(do_wish), 5, 50);
	assert_in_range(run(do_detach), 3, 50);
	assert_in_range(run(do_enforce), 4, 50);
	assert_in_range(run(do_replace), 10, 100);
	assert_in_range(run(do_compile), 1, 5);
	assert_in_range(run(do_compile_resolved), 3, 10);
	assert_in_range(run(do_names), 5, 50);
}

static void a_model_that_cannot_be_made_is_null(void **state)
{
	(void)state;
	for (long n = 0; n < 2; n++) {
		allocations_left = n;
		assert_null(model_new());
		allocations_left = -1;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_failure_leaves_all_as_it_was),
	    cmocka_unit_test(a_model_that_cannot_be_made_is_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
