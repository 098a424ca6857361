// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The five maps that lead from an address to an entry. Their values never change: a key is
 * inserted with its entry and deleted again, and between a delete and the next insert of
 * any key lies a grace period (the caller's), since a hash element is recycled at once, and a
 * bucket may be. A whole IPv4 address that finds no bucket lies in `exact`.
 */
#include "daemon/dataplane/internal.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#define WHOLE 128 /* prefix length of one address */

/* One key in the map where it belongs. */
struct place {
	enum dataplane_map map;
	union {
		struct xm_group_key group;
		struct xm_prefix_key prefix;
		struct xm_source_key source;
		struct xm_source_prefix_key source_prefix;
	} key;
};

static bool is_ipv4(const struct xm_address *a)
{
	return !a->word[0] && !a->word[1] && a->word[2] == htonl(0xffff);
}

static void place_of(const struct xm_entry_record *r, struct place *out)
{
	memset(out, 0, sizeof(*out));
	if (r->used == 2 && r->source_len == WHOLE) {
		out->map = MAP_SOURCE_EXACT;
		out->key.source.node = r->node;
		out->key.source.address = r->source;
	} else if (r->used == 2) {
		out->map = MAP_SOURCE_PREFIX;
		out->key.source_prefix.prefixlen = 32 + r->source_len;
		out->key.source_prefix.key.node = r->node;
		out->key.source_prefix.key.address = r->source;
	} else if (r->len == WHOLE) {
		out->map = is_ipv4(&r->key.address) ? MAP_EXACT_IPV4 : MAP_EXACT;
		out->key.group = r->key;
	} else {
		out->map = MAP_PREFIX;
		out->key.prefix.prefixlen = 64 + r->len;
		out->key.prefix.key = r->key;
	}
}

static bool same_place(const struct place *a, const struct place *b)
{
	return a->map == b->map && !memcmp(&a->key, &b->key, sizeof(a->key));
}

static bool is_trie(enum dataplane_map map)
{
	return map == MAP_PREFIX || map == MAP_SOURCE_PREFIX;
}

static uint64_t bucket_address(const struct xm_group_key *key)
{
	return xm_bucket_address(key->ingress, key->address.word[3]);
}

/*
 * The entry that the key leads to, 0: none, or a negative errno. A trie answers with the
 * longest prefix that is not longer than the key's own; its record tells whether it is the key.
 */
static int64_t look_up(struct dataplane *dp, const struct place *place)
{
	const struct xm_group_key *group = &place->key.group;
	enum dataplane_map map = place->map;
	struct place found;
	uint32_t entry;
	bool full;

	if (map == MAP_EXACT_IPV4) {
		entry = buckets_find(&dp->buckets, bucket_address(group), group->vlan, &full);
		if (entry || !full)
			return entry;
		map = MAP_EXACT;
	}
	int r = bpf_map_lookup_elem(dp->map_fd[map], &place->key, &entry);
	if (r < 0)
		return r == -ENOENT ? 0 : r;
	if (!is_trie(map))
		return entry;
	if (!entry || entry > dp->sizes.entries)
		return 0;
	place_of(&dp->entry_records[entry], &found);
	return same_place(place, &found) ? entry : 0;
}

int record_compare(const struct xm_entry_record *a, const struct xm_entry_record *b)
{
	if (a->key.ingress != b->key.ingress)
		return a->key.ingress < b->key.ingress ? -1 : 1;
	if (a->key.vlan != b->key.vlan)
		return a->key.vlan < b->key.vlan ? -1 : 1;
	int order = memcmp(&a->key.address, &b->key.address, sizeof(a->key.address));
	if (order)
		return order;
	if (a->len != b->len)
		return a->len - b->len;
	if (a->used != b->used)
		return a->used < b->used ? -1 : 1;
	order = memcmp(&a->source, &b->source, sizeof(a->source));
	return order ? order : a->source_len - b->source_len;
}

void index_open(struct dataplane *dp)
{
	struct xm_group_key key;
	const struct xm_group_key *last = NULL;

	while (dp->adopted && !bpf_map_get_next_key(dp->map_fd[MAP_EXACT], last, &key)) {
		dp->buckets.elsewhere += is_ipv4(&key.address);
		last = &key;
	}
}

static bool valid(const struct dataplane *dp, uint32_t entry)
{
	return entry && entry <= dp->sizes.entries;
}

static int write_key(struct dataplane *dp, const struct place *place, uint32_t entry)
{
	const struct xm_group_key *group = &place->key.group;
	bool ipv4 = place->map == MAP_EXACT_IPV4;

	if (ipv4 && buckets_insert(&dp->buckets, bucket_address(group), group->vlan, entry))
		return 0;
	int r = bpf_map_update_elem(dp->map_fd[ipv4 ? MAP_EXACT : place->map], &place->key, &entry,
				    BPF_ANY);
	if (!r && ipv4)
		dp->buckets.elsewhere++;
	return r;
}

static int delete_key(struct dataplane *dp, const struct place *place)
{
	const struct xm_group_key *group = &place->key.group;
	bool ipv4 = place->map == MAP_EXACT_IPV4;

	if (ipv4 && buckets_delete(&dp->buckets, bucket_address(group), group->vlan))
		return 0;
	int r = bpf_map_delete_elem(dp->map_fd[ipv4 ? MAP_EXACT : place->map], &place->key);
	if (!r && ipv4 && !--dp->buckets.elsewhere)
		buckets_sweep(&dp->buckets);
	return r;
}

/*
 * BPF_NOEXIST will not do: tries ignored it before 6.13. We are the only writer. The map is asked
 * while the records are as they were, since tries are understood by them.
 */
int dataplane_insert(struct dataplane *dp, uint32_t entry, const struct xm_entry_record *record)
{
	struct place place;

	if (!valid(dp, entry) || (record->used != 1 && record->used != 2) || record->len > WHOLE ||
	    record->source_len > WHOLE)
		return -EINVAL;
	place_of(record, &place);
	int64_t there = look_up(dp, &place);
	if (there && there != entry)
		return there < 0 ? (int)there : -EEXIST;
	struct xm_entry_record before = dp->entry_records[entry];
	dp->entry_records[entry] = *record;
	if (there)
		return 0;
	int r = write_key(dp, &place, entry);
	if (r < 0)
		dp->entry_records[entry] = before;
	return r;
}

int dataplane_delete(struct dataplane *dp, uint32_t entry)
{
	struct place place;

	if (!valid(dp, entry) || !dp->entry_records[entry].used)
		return -EINVAL;
	place_of(&dp->entry_records[entry], &place);
	int64_t there = look_up(dp, &place);
	if (there != entry)
		return there < 0 ? (int)there : 0;
	int r = delete_key(dp, &place);
	return r == -ENOENT ? 0 : r;
}

void dataplane_forget(struct dataplane *dp, uint32_t entry)
{
	if (valid(dp, entry))
		memset(&dp->entry_records[entry], 0, sizeof(dp->entry_records[entry]));
}

/* What a key of full length finds in a trie. */
static int64_t longest(struct dataplane *dp, enum dataplane_map map, const void *key)
{
	uint32_t entry;
	int r = bpf_map_lookup_elem(dp->map_fd[map], key, &entry);

	if (!r)
		return entry;
	return r == -ENOENT ? 0 : r;
}

int64_t dataplane_find_group(struct dataplane *dp, const struct xm_group_key *key, bool prefixes)
{
	const struct xm_entry_record whole = {.used = 1, .key = *key, .len = WHOLE};
	const struct xm_prefix_key lpm = {.prefixlen = 64 + WHOLE, .key = *key};
	struct place place;

	place_of(&whole, &place);
	int64_t entry = look_up(dp, &place);
	return entry || !prefixes ? entry : longest(dp, MAP_PREFIX, &lpm);
}

int64_t dataplane_find_source(struct dataplane *dp, const struct xm_source_key *key, bool prefixes)
{
	const struct xm_source_prefix_key lpm = {.prefixlen = 32 + WHOLE, .key = *key};
	int64_t entry = longest(dp, MAP_SOURCE_EXACT, key);

	return entry || !prefixes ? entry : longest(dp, MAP_SOURCE_PREFIX, &lpm);
}

/*
 * A device that was renamed gets another slot; a copy in flight may then be counted at a
 * slot of another device, which the totals do not see.
 */
int dataplane_map_interface(struct dataplane *dp, int ifindex, uint32_t slot)
{
	if (!slot || slot > dp->sizes.interfaces || ifindex <= 0)
		return -EINVAL;
	if (ifindex >= XM_LOW_IFINDEXES)
		return bpf_map_update_elem(dp->map_fd[MAP_HIGH_SLOTS], &ifindex, &slot, BPF_ANY);
	dp->low_slots[ifindex] = slot;
	return 0;
}

/* Not when it leads to another slot by now: two devices may have changed names. */
int dataplane_unmap_interface(struct dataplane *dp, int ifindex, uint32_t slot)
{
	uint32_t now;

	if (ifindex > 0 && ifindex < XM_LOW_IFINDEXES) {
		if (dp->low_slots[ifindex] == slot)
			dp->low_slots[ifindex] = 0;
		return 0;
	}
	if (!bpf_map_lookup_elem(dp->map_fd[MAP_HIGH_SLOTS], &ifindex, &now) && now != slot)
		return 0;
	int r = bpf_map_delete_elem(dp->map_fd[MAP_HIGH_SLOTS], &ifindex);

	return r == -ENOENT ? 0 : r;
}

int dataplane_unicast(struct dataplane *dp, bool native, uint32_t slot, int ifindex, int program)
{
	int fd = dp->map_fd[native ? MAP_UNICAST_NATIVE : MAP_UNICAST_GENERIC];

	if (!slot || slot > dp->sizes.interfaces)
		return -EINVAL;
	if (ifindex)
		return devmap_write(fd, slot, ifindex, program);
	int r = bpf_map_delete_elem(fd, &slot);
	return r == -ENOENT ? 0 : r;
}
