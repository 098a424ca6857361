/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state file: what was added at run time, so that a restart finds it again. A sum over
 * all of it tells a whole file from one that was cut short or changed; a damaged file is kept
 * beside for people to look at.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <nettle/sha2.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/config/private.h"

#define HEAD	  "# xmcast state 1\n"
#define TAIL	  "# sha256 "
#define SUM_BYTES SHA256_DIGEST_SIZE
#define SUM_TEXT  (2 * SUM_BYTES)
#define TAIL_LEN  (sizeof(TAIL) - 1 + SUM_TEXT + 1) /* with its newline */

static void sum_text(struct sha256_ctx *sum, char text[static SUM_TEXT + 1])
{
	unsigned char digest[SUM_BYTES];

	sha256_digest(sum, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(text + 2 * i, 3, "%02x", digest[i]);
}

/* A stream that sums what goes through it. */
struct summed {
	int fd;
	struct sha256_ctx sum;
};

static ssize_t summed_write(void *cookie, const char *bytes, size_t size)
{
	struct summed *summed = cookie;
	ssize_t written = write(summed->fd, bytes, size);

	if (written < 0)
		return 0; /* fopencookie(3): never negative */
	sha256_update(&summed->sum, written, (const uint8_t *)bytes);
	return written;
}

/* Everything into `fd`, and on the disk. 0 or negative errno. */
static int write_all(int fd, const struct model *model)
{
	struct summed summed = {.fd = fd};
	const cookie_io_functions_t functions = {.write = summed_write};
	char text[SUM_TEXT + 1];
	FILE *stream = fopencookie(&summed, "w", functions);
	int r;

	if (!stream)
		return -ENOMEM;
	__fsetlocking(stream, FSETLOCKING_BYCALLER); /* only we have it */
	sha256_init(&summed.sum);
	errno = 0;
	fputs(HEAD, stream);
	r = config_write_runtime(stream, model);
	if (fclose(stream) || r < 0)
		return errno ? -errno : -EIO;
	sum_text(&summed.sum, text);
	if (dprintf(fd, "%s%s\n", TAIL, text) != (int)TAIL_LEN || fsync(fd) < 0)
		return errno ? -errno : -EIO;
	return 0;
}

/* Without it a rename may be lost with the power. */
static int sync_directory(const char *path)
{
	char *copy = strdup(path);
	int fd, r = 0;

	if (!copy)
		return -ENOMEM;
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(copy);
	if (fd < 0)
		return -errno;
	if (fsync(fd) < 0 && errno != EINVAL) /* a file system that cannot has nothing to lose */
		r = -errno;
	close(fd);
	return r;
}

static int write_beside(const char *new, const char *path, const struct model *model)
{
	int fd =
		open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600),
	    r;

	if (fd < 0)
		return -errno;
	r = write_all(fd, model);
	close(fd);
	if (!r && rename(new, path) < 0)
		r = -errno;
	if (r < 0)
		unlink(new);
	return r ? r : sync_directory(path);
}

int state_write(const char *path, const struct model *model, struct fault *fault)
{
	char *new;
	int r;

	if (asprintf(&new, "%s.new", path) < 0)
		return fault_set(fault, -ENOMEM, "state %s: out of memory", path);
	r = write_beside(new, path, model);
	free(new);
	if (r < 0)
		return fault_set(
		    fault, r,
		    "state %s: cannot be written: %s: runtime groups would not survive a "
		    "restart",
		    path, strerror(-r));
	return 0;
}

/* Compares the sum at the end with what stands before it. NULL: whole; else what is wrong. */
static const char *find_damage(const struct text *text)
{
	size_t head = sizeof(HEAD) - 1, body;
	struct sha256_ctx sum;
	char wanted[SUM_TEXT + 1];

	if (text->size < head || memcmp(text->bytes, HEAD, head))
		return "does not begin with \"# xmcast state 1\"";
	if (text->size < head + TAIL_LEN)
		return "is cut short";
	body = text->size - TAIL_LEN;
	if (memcmp(text->bytes + body, TAIL, sizeof(TAIL) - 1) ||
	    text->bytes[text->size - 1] != '\n')
		return "is cut short: the sum at its end is missing";
	sha256_init(&sum);
	sha256_update(&sum, body, (const uint8_t *)text->bytes);
	sum_text(&sum, wanted);
	if (memcmp(text->bytes + body + sizeof(TAIL) - 1, wanted, SUM_TEXT))
		return "was changed: its sum is not that of its content";
	return NULL;
}

static void keep_first(const char *file, unsigned int line, const char *words, void *data)
{
	struct fault *fault = data;

	if (!fault->text[0])
		fault_set(fault, 0, "state %s:%u: %s", file, line, words);
}

int state_parse(const struct text *text, struct model *model, struct fault *fault)
{
	const char *damage = find_damage(text);
	struct fault first = {};
	int r;

	if (damage)
		return fault_set(fault, -EBADMSG, "state %s: the file %s", text->file, damage);
	r = config_read_texts(text, 1, true, model, keep_first, &first);
	if (r < 0)
		return fault_set(fault, r, "state %s: out of memory", text->file);
	return r ? fault_set(fault, -EBADMSG, "%s", first.text) : 0;
}

/* Config wins: what it defines by now is no runtime group any more. */
static void leave_to_config(struct model *other, const struct model *model)
{
	for (size_t i = other->group_count; i--;) {
		const struct group_key key = other->groups[i]->key;
		const struct group *group = model_find_group(model, &key);

		if (group && group->file)
			model_del_group(other, &key, NULL);
	}
}

/* One by one, since not all can be had. The number of refusals; `first` is told. */
static size_t take_each(struct model *model, const struct model *other, struct fault *first)
{
	size_t refused = 0;

	for (size_t i = 0; i < other->interface_count; i++)
		if (model_set_interface(model, &other->interfaces[i], refused ? NULL : first) < 0)
			refused++;
	for (size_t i = 0; i < other->group_count; i++)
		if (model_add_group(model, other->groups[i], refused ? NULL : first) < 0)
			refused++;
	return refused;
}

/* Gives the file a second name, so that what is not in force is not lost with the next write. */
static const char *keep(const char *path, const char *suffix, char *kept, size_t size)
{
	snprintf(kept, size, "%s.%s", path, suffix);
	unlink(kept);
	return link(path, kept) < 0 ? "nowhere (that failed)" : kept;
}

static int take(const char *path, struct model *model, struct model *other, struct fault *fault)
{
	struct fault first;
	char kept[PATH_MAX + sizeof(".damaged")];
	size_t refused;
	int r;

	leave_to_config(other, model);
	r = model_replace(model, other, false, &first);
	if (!r || r == -ENOMEM)
		return fault_set(fault, r, "%s", r ? first.text : "");
	refused = take_each(model, other, &first);
	return fault_set(fault, 0,
			 "state %.64s: %zu statements were left out, the first: %s: all are in %s",
			 path, refused, first.text, keep(path, "refused", kept, sizeof(kept)));
}

static int read_stream(const char *path, FILE *stream, struct model *model, struct fault *fault)
{
	struct text text = {.file = file_intern(path)};
	struct model *other = model_new();
	int r = text.file && other ? 0 : -ENOMEM;

	if (!r) {
		limits_raise(&other->limits); /* those in force are asked afterwards */
		r = text_read(&text, stream);
	}
	if (r < 0)
		fault_set(fault, r, "state %s: cannot be read: %s", path, config_unreadable(r));
	else
		r = state_parse(&text, other, fault);
	if (!r)
		r = take(path, model, other, fault);
	free(text.bytes);
	model_free(other);
	return r;
}

/* A writer that was killed leaves its temporary file. */
static void sweep(const char *path)
{
	char new[PATH_MAX];

	if (snprintf(new, sizeof(new), "%s.new", path) < (int)sizeof(new))
		unlink(new);
}

int state_remove(const char *path, struct fault *fault)
{
	sweep(path);
	if (unlink(path) < 0 && errno != ENOENT)
		return fault_set(fault, -errno, "state %s: cannot be removed: %m", path);
	return 0;
}

int state_read(const char *path, struct model *model, struct fault *fault)
{
	/* no link: whatever else stands there was not written by us */
	FILE *stream = config_open(path, O_NOFOLLOW, false);
	struct fault damage;
	char kept[PATH_MAX + sizeof(".damaged")];
	int r, error = errno;

	sweep(path);
	errno = error;

	if (!stream && errno == ENOENT)
		return fault_set(fault, -ENOENT, "state %s: there is none", path);
	if (!stream)
		return fault_set(fault, -errno, "state %s: cannot be read: %s", path,
				 config_unreadable(-errno));
	r = read_stream(path, stream, model, &damage);
	fclose(stream);
	if (r != -EBADMSG)
		return fault_set(fault, r, "%s", damage.text);
	snprintf(kept, sizeof(kept), "%s.damaged", path);
	if (rename(path, kept) < 0)
		return fault_set(fault, r, "%.240s: nothing was taken from it", damage.text);
	return fault_set(fault, r, "%.240s: nothing was taken from it; it is kept as %.200s",
			 damage.text, kept);
}
