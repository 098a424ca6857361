// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where maps, programs and links outlive the daemon: BPFFS/l<XM_LAYOUT>-<netns cookie>, so
 * that another layout or another network namespace never sees them. bpffs takes no dots in
 * names. The directory is locked for as long as the process lives: there is one writer.
 *
 * A loader that was killed leaves a part. Attaching comes last, so when no ingress program
 * is pinned nothing can be forwarding and the part is removed; else it is left alone.
 */
#include "daemon/dataplane/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LIBXDP_PINS "/sys/fs/bpf/xdp"
#define PATH_LEN    (sizeof(((struct dataplane *)0)->pin_dir) + PIN_NAME_MAX)

int netns_cookie(uint64_t *out)
{
	socklen_t size = sizeof(*out);
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, out, &size) < 0)
		return -errno;
	return 0;
}

static int pin_path(const struct dataplane *dp, const char *name, char path[static PATH_LEN])
{
	int n = snprintf(path, PATH_LEN, "%s/%s", dp->pin_dir, name);

	return n < 0 || (size_t)n >= PATH_LEN ? -ENAMETOOLONG : 0;
}

int pin_set(const struct dataplane *dp, int fd, const char *name)
{
	char path[PATH_LEN];
	int r;

	if (!dp->pin_dir[0])
		return 0;
	r = pin_path(dp, name, path);
	if (r < 0)
		return r;
	r = bpf_obj_pin(fd, path);
	if (r != -EEXIST)
		return r;
	/* beside the old one first, so that there always is one */
	char beside[PATH_LEN + 4];
	snprintf(beside, sizeof(beside), "%s_new", path);
	unlink(beside);
	r = bpf_obj_pin(fd, beside);
	if (!r && rename(beside, path) < 0) {
		r = -errno;
		unlink(beside);
	}
	return r;
}

int pin_get(const struct dataplane *dp, const char *name)
{
	char path[PATH_LEN];
	int r = dp->pin_dir[0] ? pin_path(dp, name, path) : -ENOENT;

	return r < 0 ? r : bpf_obj_get(path);
}

void pin_remove(const struct dataplane *dp, const char *name)
{
	char path[PATH_LEN];

	if (dp->pin_dir[0] && !pin_path(dp, name, path))
		unlink(path);
}

int pins_each(const struct dataplane *dp, int (*f)(const char *name, void *token), void *token)
{
	DIR *dir = opendir(dp->pin_dir);
	struct dirent *e;
	int r = 0;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while (!r && (e = readdir(dir)))
		if (e->d_name[0] != '.')
			r = f(e->d_name, token);
	closedir(dir);
	return r;
}

static int remove_one(const char *name, void *token)
{
	const struct dataplane *dp = token;
	char path[PATH_LEN];
	int r = pin_path(dp, name, path);

	if (r < 0)
		return r;
	return unlink(path) < 0 && errno != ENOENT ? -errno : 0;
}

int pins_remove(struct dataplane *dp)
{
	char base[sizeof(dp->pin_dir)];
	int r;

	if (!dp->pin_dir[0])
		return 0;
	r = pins_each(dp, remove_one, dp);
	if (r < 0)
		return r;
	if (rmdir(dp->pin_dir) < 0 && errno != ENOENT)
		return -errno;
	snprintf(base, sizeof(base), "%s", dp->pin_dir);
	*strrchr(base, '/') = 0;
	rmdir(base);	    /* others may have their pins there: then it stays */
	rmdir(LIBXDP_PINS); /* libxdp makes it for the dispatcher and never removes it */
	dp->pin_dir[0] = 0;
	closep(&dp->pin_lock);
	return 0;
}

/* The part of `path` that exists already. */
static void existing_part(const char *path, char *out, size_t size)
{
	snprintf(out, size, "%s", path);
	while (access(out, F_OK) < 0 && strrchr(out, '/') > out)
		*strrchr(out, '/') = 0;
}

static int check_bpffs(const char *path, struct fault *fault)
{
	char there[PATH_LEN];
	struct statfs fs;

	if (path[0] != '/')
		return fault_set(fault, -EINVAL, "the bpffs directory %s must be an absolute path",
				 path);
	existing_part(path, there, sizeof(there));
	if (statfs(there, &fs) < 0)
		return fault_set(fault, -errno, "cannot look at %s: %s", there, strerror(errno));
	if (fs.f_type != BPF_FS_MAGIC)
		return fault_set(fault, -EINVAL,
				 "%s is not on a BPF file system, so nothing can outlive the "
				 "daemon there: run `mount -t bpf bpf %s`, or choose a directory "
				 "on one with --bpffs",
				 path, there);
	return 0;
}

/* mkdir -p; owner only. */
static int make_directories(const char *path, struct fault *fault)
{
	char part[PATH_LEN];

	snprintf(part, sizeof(part), "%s", path);
	for (char *at = part + 1;; at++) {
		char end = *at;
		if (end && end != '/')
			continue;
		*at = 0;
		if (mkdir(part, 0700) < 0 && errno != EEXIST)
			return fault_set(fault, -errno, "cannot make the directory %s: %s%s", part,
					 strerror(errno),
					 strchr(strrchr(part, '/'), '.')
					     ? " (a BPF file system takes no dots in names)"
					     : "");
		if (!end)
			return 0;
		*at = end;
	}
}

/* Locks pin_dir. Whoever had it may have removed it before we got the lock: again then. */
static int lock_directory(struct dataplane *dp, struct fault *fault)
{
	struct stat mine, there;

	for (;;) {
		int r = make_directories(dp->pin_dir, fault);
		if (r < 0)
			return r;
		_cleanup_close_ int fd = open(dp->pin_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 && errno == ENOENT)
			continue;
		if (fd < 0)
			return fault_set(fault, -errno, "cannot open %s: %s", dp->pin_dir,
					 strerror(errno));
		if (flock(fd, LOCK_EX | LOCK_NB) < 0)
			return fault_set(fault, errno == EWOULDBLOCK ? -EBUSY : -errno,
					 "cannot lock %s: %s: another xmcastd serves this network "
					 "namespace; stop it first",
					 dp->pin_dir, strerror(errno));
		if (fstat(fd, &mine) == 0 && stat(dp->pin_dir, &there) == 0 &&
		    mine.st_ino == there.st_ino) {
			dp->pin_lock = take_fd(&fd);
			return 0;
		}
	}
}

struct census {
	bool any, ingress;
};

static int count_one(const char *name, void *token)
{
	struct census *census = token;

	census->any = true;
	census->ingress |= !strncmp(name, PIN_INGRESS, strlen(PIN_INGRESS));
	return 0;
}

static bool pinned(const struct dataplane *dp, const char *name)
{
	char path[PATH_LEN];

	return !pin_path(dp, name, path) && !access(path, F_OK);
}

static const char *missing(const struct dataplane *dp)
{
	for (enum dataplane_map map = 0; map < MAPS; map++)
		if (map_is_pinned(map) && !pinned(dp, map_name(map)))
			return map_name(map);
	if (!pinned(dp, PIN_EGRESS_NATIVE))
		return PIN_EGRESS_NATIVE;
	return pinned(dp, PIN_EGRESS_GENERIC) ? NULL : PIN_EGRESS_GENERIC;
}

/* Sets dp->adopted, or removes what a killed loader left. */
static int judge(struct dataplane *dp, struct fault *fault)
{
	struct census census = {};
	const char *lost = missing(dp);
	int r = pins_each(dp, count_one, &census);

	if (r < 0)
		return fault_set(fault, r, "cannot read %s: %s", dp->pin_dir, strerror(-r));
	dp->adopted = census.any && !lost;
	if (dp->adopted || !census.any)
		return 0;
	if (census.ingress)
		return fault_set(fault, -EUCLEAN,
				 "%s/%s is missing, but programs that may be forwarding are pinned "
				 "there: `xmcastd --purge` removes them, then start again",
				 dp->pin_dir, lost);
	r = pins_each(dp, remove_one, dp);
	if (r < 0)
		return fault_set(fault, r, "cannot remove what a killed loader left in %s: %s",
				 dp->pin_dir, strerror(-r));
	return 0;
}

int pins_lock(struct dataplane *dp, const char *bpffs, struct fault *fault)
{
	uint64_t cookie;
	int r = check_bpffs(bpffs, fault), n;

	if (r < 0)
		return r;
	r = netns_cookie(&cookie);
	if (r < 0)
		return fault_set(fault, r,
				 "cannot tell network namespaces apart: %s (SO_NETNS_COOKIE)",
				 strerror(-r));
	n = snprintf(dp->pin_dir, sizeof(dp->pin_dir), "%s/l%d-%" PRIx64, bpffs, XM_LAYOUT, cookie);
	if (n < 0 || (size_t)n >= sizeof(dp->pin_dir)) {
		dp->pin_dir[0] = 0;
		return fault_set(fault, -ENAMETOOLONG, "%s is too long for --bpffs", bpffs);
	}
	r = lock_directory(dp, fault);
	if (r < 0)
		dp->pin_dir[0] = 0; /* not ours to touch */
	return r;
}

int pins_open(struct dataplane *dp, const char *bpffs, struct fault *fault)
{
	int r = pins_lock(dp, bpffs, fault);

	return r < 0 ? r : judge(dp, fault);
}
