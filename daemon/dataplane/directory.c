// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where maps, programs and links outlive the daemon: BPFFS/l<XM_LAYOUT>-<netns cookie>-<serial>,
 * one directory for each generation of maps. Each is locked for as long as the process lives:
 * there is one writer.
 *
 * The youngest is adopted when it is ours and as we would make it; else a younger one is made, and
 * what is there are its predecessors. A loader that was killed leaves a part: it is removed.
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
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "daemon/dataplane/succession.h"
#include "daemon/lock/lock.h"

#define LOCK_PATIENCE 2000 /* ms: a daemon that was killed has its locks until it is torn down */

int netns_cookie(uint64_t *out)
{
	socklen_t size = sizeof(*out);
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, out, &size) < 0)
		return -errno;
	return 0;
}

/* The part of `path` that exists already. */
static void existing_part(const char *path, char *out, size_t size)
{
	snprintf(out, size, "%s", path);
	while (access(out, F_OK) < 0 && strrchr(out, '/') > out)
		*strrchr(out, '/') = 0;
}

/* Where the file system of `path` is mounted; shortens it. */
static void to_mount_point(char *path)
{
	struct stat st, above;
	char *slash;

	while ((slash = strrchr(path, '/')) > path && !stat(path, &st)) {
		*slash = 0;
		if (stat(path, &above) || above.st_dev == st.st_dev)
			continue;
		*slash = '/';
		return;
	}
}

static int check_bpffs(const char *path, struct fault *fault)
{
	char there[PIN_DIR_MAX];
	struct statvfs mounted;
	struct statfs fs;

	if (path[0] != '/')
		return fault_set(fault, -EINVAL, "the bpffs directory %s must be an absolute path",
				 path);
	if (strlen(path) >= PIN_DIR_MAX - PIN_NAME_MAX)
		return fault_set(fault, -ENAMETOOLONG, "%s is too long for --bpffs", path);
	existing_part(path, there, sizeof(there));
	if (statfs(there, &fs) < 0)
		return fault_set(fault, -errno, "cannot look at %s: %s", there, strerror(errno));
	if (fs.f_type != BPF_FS_MAGIC)
		return fault_set(fault, -EINVAL,
				 "%s is not on a BPF file system, so nothing can outlive the "
				 "daemon there: run `mount -t bpf bpf %s`, or choose a directory "
				 "on one with --bpffs",
				 path, there);
	if (!statvfs(there, &mounted) && mounted.f_flag & ST_RDONLY) {
		to_mount_point(there);
		return fault_set(fault, -EROFS,
				 "%s is on a read-only file system: run `mount -o remount,rw %s`",
				 path, there);
	}
	if (strchr(path + strlen(there), '.'))
		return fault_set(fault, -EINVAL,
				 "cannot make the directory %s: a BPF file system takes no dots in "
				 "names",
				 path);
	return 0;
}

/* Whoever can write there, or made it, can have programs of his own taken for ours. */
static int check_owner(const char *dir, struct fault *fault)
{
	struct stat st;

	if (lstat(dir, &st) < 0)
		return errno == ENOENT ? 0
				       : fault_set(fault, -errno, "cannot look at %s: %s", dir,
						   strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return fault_set(fault, -ENOTDIR,
				 "%s is not a directory, it is somebody else's: rm it, or choose "
				 "another directory with --bpffs",
				 dir);
	if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH) && !(st.st_mode & S_ISVTX)))
		return fault_set(fault, -EPERM,
				 "%s can be written by others: run chown %u and chmod go-w on it",
				 dir, geteuid());
	return 0;
}

/* mkdir -p; owner only. */
static int make_directories(const char *path, struct fault *fault)
{
	char part[PIN_DIR_MAX];

	snprintf(part, sizeof(part), "%s", path);
	for (char *at = part + 1;; at++) {
		char end = *at;
		if (end && end != '/')
			continue;
		*at = 0;
		if (mkdir(part, 0700) < 0 && errno != EEXIST)
			return fault_set(fault, -errno, "cannot make the directory %s: %s", part,
					 strerror(errno));
		if (!end)
			return 0;
		*at = end;
	}
}

/*
 * Locks a directory, an fd; `make`: makes it when it is not there, else -ENOENT. Whoever had it
 * may have removed it before we got the lock: again then.
 */
static int lock_directory(const char *dir, bool make, struct fault *fault)
{
	struct stat mine, there;

	for (;;) {
		int r = make ? make_directories(dir, fault) : 0;
		if (r < 0)
			return r;
		_cleanup_close_ int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 && errno == ENOENT && make)
			continue;
		if (fd < 0)
			return fault_set(fault, -errno, "cannot open %s: %s", dir, strerror(errno));
		r = lock_wait(fd, LOCK_PATIENCE);
		if (r < 0)
			return fault_set(fault, r,
					 "cannot lock %s: %s: another xmcastd serves this network "
					 "namespace; stop it first",
					 dir, strerror(-r));
		if (fstat(fd, &mine) == 0 && stat(dir, &there) == 0 && mine.st_ino == there.st_ino)
			return take_fd(&fd);
	}
}

/* A directory of this namespace, of whatever layout; pins of before there were serials: 0. */
static bool parse_name(const char *name, uint64_t cookie, unsigned int *layout,
		       unsigned int *serial)
{
	uint64_t theirs;
	char end;
	int n = sscanf(name, "l%u-%" SCNx64 "-%u%c", layout, &theirs, serial, &end);

	if (n == 2 && !strchr(strchr(name, '-') + 1, '-'))
		*serial = 0;
	else if (n != 3)
		return false;
	return theirs == cookie;
}

static int by_serial(const void *a, const void *b)
{
	const struct predecessor *x = a, *y = b;

	return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static int add_directory(struct succession *s, const char *name, uint64_t cookie,
			 struct fault *fault)
{
	struct predecessor p = {.lock = -1, .fields = -1}, *grown;

	if (!parse_name(name, cookie, &p.layout, &p.serial))
		return 0;
	snprintf(p.dir, sizeof(p.dir), "%.200s/%.50s", s->base, name);
	int r = check_owner(p.dir, fault);
	if (r < 0)
		return r;
	p.lock = lock_directory(p.dir, false, fault);
	if (p.lock == -ENOENT)
		return 0;
	if (p.lock < 0)
		return p.lock;
	grown = reallocarray(s->predecessor, s->count + 1, sizeof(*grown));
	if (!grown) {
		close(p.lock);
		return fault_set(fault, -ENOMEM, "out of memory");
	}
	s->predecessor = grown;
	s->predecessor[s->count++] = p;
	return 0;
}

int directories_find(struct succession *s, const char *bpffs, struct fault *fault)
{
	int r = check_bpffs(bpffs, fault);

	if (r < 0)
		return r;
	r = netns_cookie(&s->cookie);
	if (r < 0)
		return fault_set(fault, r,
				 "cannot tell network namespaces apart: %s (SO_NETNS_COOKIE)",
				 strerror(-r));
	snprintf(s->base, sizeof(s->base), "%s", bpffs);
	r = check_owner(bpffs, fault);
	if (r < 0)
		return r;
	DIR *stream = opendir(bpffs);
	struct dirent *e;
	if (!stream && errno != ENOENT)
		return fault_set(fault, -errno, "cannot read %s: %s", bpffs, strerror(errno));
	while (!r && stream && (e = readdir(stream)))
		r = add_directory(s, e->d_name, s->cookie, fault);
	if (stream)
		closedir(stream);
	if (s->count)
		qsort(s->predecessor, s->count, sizeof(*s->predecessor), by_serial);
	return r;
}

static int count_program(const char *name, void *token)
{
	*(bool *)token |= !strncmp(name, PIN_INGRESS, strlen(PIN_INGRESS));
	return 0;
}

/* Attaching comes after the pin of the fields: nothing of a part can be forwarding. */
static int remove_parts(struct succession *s, struct fault *fault)
{
	unsigned int kept = 0;
	int r = 0;

	for (unsigned int i = 0; i < s->count; i++) {
		struct predecessor *p = &s->predecessor[i];
		bool programs = false;
		int error = pins_each(p->dir, count_program, &programs);
		if (!error && !programs && !pin_is_there(p->dir, PIN_FIELDS)) {
			error = pins_remove(p->dir);
			closep(&p->lock);
		} else {
			s->predecessor[kept++] = *p;
		}
		if (error < 0 && !r)
			r = fault_set(fault, error,
				      "cannot remove what a killed loader left in %s: %s", p->dir,
				      strerror(-error));
	}
	s->count = kept;
	return r;
}

/* The youngest becomes ours when it is as we would make it. */
static bool adopt_youngest(struct dataplane *dp, struct succession *s)
{
	struct predecessor *p = s->count ? &s->predecessor[s->count - 1] : NULL;
	struct fault misfit;

	if (!p)
		return false;
	if (p->layout != XM_LAYOUT)
		fault_set(&misfit, 0, "%s is of another layout", p->dir);
	else if (!maps_fit(dp, p->dir, &misfit) && !fields_fit(p->dir, &misfit)) {
		snprintf(dp->pin_dir, sizeof(dp->pin_dir), "%s", p->dir);
		dp->pin_lock = take_fd(&p->lock);
		dp->serial = p->serial;
		s->count--;
		return dp->adopted = true;
	}
	snprintf(dp->replaced, sizeof(dp->replaced), "%.255s", misfit.text);
	return false;
}

int directories_open(struct dataplane *dp, struct fault *fault)
{
	struct succession *s = dp->succession;
	int r = remove_parts(s, fault);

	if (r < 0 || adopt_youngest(dp, s))
		return r;
	dp->serial = s->count ? s->predecessor[s->count - 1].serial + 1 : 1;
	snprintf(dp->pin_dir, sizeof(dp->pin_dir), "%.200s/l%d-%" PRIx64 "-%u", s->base, XM_LAYOUT,
		 s->cookie, dp->serial);
	r = lock_directory(dp->pin_dir, true, fault);
	if (r < 0) {
		dp->pin_dir[0] = 0; /* not ours to touch */
		return r;
	}
	dp->pin_lock = r;
	return 0;
}
