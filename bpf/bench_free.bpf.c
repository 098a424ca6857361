// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How long the kernel takes to free one map of ours: bpf_map_free_deferred() runs in a
 * worker after the last descriptor was closed. Two ways to time it: fentry and fexit,
 * or, where the kernel refuses those, the tracepoints around every work item, of which
 * only the one whose function is bpf_map_free_deferred counts. Both look at the map's type
 * and name, since its id is gone by then and other maps are freed meanwhile.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

typedef struct {
	__s64 counter;
} atomic_long_t;
struct work_struct;
typedef void (*work_func_t)(struct work_struct *work);

/* Parts of the kernel's types; the offsets are the running kernel's (CO-RE). */
struct work_struct {
	work_func_t func;
} __attribute__((preserve_access_index));

struct bpf_map {
	enum bpf_map_type map_type;
	struct work_struct work;
	char name[BPF_OBJ_NAME_LEN];
} __attribute__((preserve_access_index));

extern const void bpf_map_free_deferred __ksym;

const volatile char wanted[BPF_OBJ_NAME_LEN];

__u64 work, started, ns, frees;

static __always_inline int is_ours(const struct work_struct *w)
{
	const struct bpf_map *map = (const void *)w - bpf_core_field_offset(struct bpf_map, work);
	char name[BPF_OBJ_NAME_LEN] = {};

	if (BPF_CORE_READ(map, map_type) != BPF_MAP_TYPE_LPM_TRIE)
		return 0;
	bpf_core_read(&name, sizeof(name), &map->name);
	for (unsigned int i = 0; i < BPF_OBJ_NAME_LEN; i++)
		if (name[i] != wanted[i])
			return 0;
	return 1;
}

static __always_inline void begin(const struct work_struct *w)
{
	if (!is_ours(w))
		return;
	work = (__u64)(long)w;
	started = bpf_ktime_get_ns();
}

/* The map is gone: only the pointer's value may be looked at. */
static __always_inline void end(const struct work_struct *w)
{
	if (!work || work != (__u64)(long)w)
		return;
	ns = bpf_ktime_get_ns() - started;
	work = 0;
	__sync_fetch_and_add(&frees, 1);
}

SEC("fentry/bpf_map_free_deferred")
int BPF_PROG(free_entry, struct work_struct *w)
{
	begin(w);
	return 0;
}

SEC("fexit/bpf_map_free_deferred")
int BPF_PROG(free_exit, struct work_struct *w)
{
	end(w);
	return 0;
}

SEC("tp_btf/workqueue_execute_start")
int BPF_PROG(work_start, struct work_struct *w)
{
	if (BPF_CORE_READ(w, func) == (work_func_t)&bpf_map_free_deferred)
		begin(w);
	return 0;
}

SEC("tp_btf/workqueue_execute_end")
int BPF_PROG(work_end, struct work_struct *w)
{
	end(w);
	return 0;
}

char _license[] SEC("license") = "GPL";
