/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One process at a time: who lives is named, who is dying is waited for. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
/* cmocka.h wants some of the above first. */
#include <cmocka.h>

#include "daemon/lock/lock.h"

static char dir[] = "/tmp/xmcast-lock-XXXXXX", path[64];
static char holder[LOCK_HOLDER_MAX];

static int set_up(void **state)
{
	(void)state;
	strcpy(dir + sizeof(dir) - 7, "XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/lock", dir);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

/* A process that ended and was not waited for: as one that was killed, it has no executable. */
static pid_t make_dying(void)
{
	siginfo_t info;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	assert_int_equal(waitid(P_PID, pid, &info, WEXITED | WNOWAIT), 0);
	return pid;
}

/* The state of a process, as in proc(5): R, S and so on. */
static char state_of(pid_t pid)
{
	char name[32], state = 0;
	FILE *file;

	snprintf(name, sizeof(name), "/proc/%d/stat", pid);
	file = fopen(name, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(file);
	return state;
}

/* Leaves the lock with a child, named as that of `named`, until we wait for it. */
static pid_t hand_over(int fd, pid_t named, bool removes)
{
	pid_t parent = getpid(), pid;

	assert_int_equal(ftruncate(fd, 0), 0);
	dprintf(fd, "%d\n", named);
	pid = fork();
	if (pid) {
		close(fd);
		return pid;
	}
	while (state_of(parent) != 'S')
		if (getppid() != parent)
			_exit(1);
	if (removes)
		unlink(path);
	_exit(0);
}

static bool is_at_path(int fd)
{
	struct stat ours, there;

	return !fstat(fd, &ours) && !stat(path, &there) && ours.st_ino == there.st_ino;
}

static void test_who_lives_is_named(void **state)
{
	int fd = lock_file(path, 0600, 0, holder);
	char own[16];

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(lock_file(path, 0600, 0, holder), -EBUSY);
	snprintf(own, sizeof(own), "%d", getpid());
	assert_string_equal(holder, own);
	close(fd);
	fd = lock_file(path, 0600, 0, holder);
	assert_true(fd >= 0);
	close(fd);
}

static void test_who_is_dying_is_waited_for(void **state)
{
	pid_t dying = make_dying(), child;
	int fd = lock_file(path, 0600, 0, holder);

	(void)state;
	assert_true(lock_is_dying(dying));
	assert_false(lock_is_dying(getpid()));
	child = hand_over(fd, dying, false);
	fd = lock_file(path, 0600, 0, holder);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(waitpid(dying, NULL, 0), dying);
}

/* Hidden from us, or of another pid namespace: its number says nothing here. */
static void test_who_is_not_seen_is_not_waited_for(void **state)
{
	int fd = lock_file(path, 0600, 0, holder),
	    hidden = INT_MAX; /* over the kernel's limit, 2^22 */
	char own[16];

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 0), 0);
	dprintf(fd, "%d\n", hidden);
	assert_false(lock_is_dying(hidden));
	assert_int_equal(lock_file(path, 0600, 0, holder), -EBUSY);
	snprintf(own, sizeof(own), "%d", hidden);
	assert_string_equal(holder, own);
	close(fd);
}

static void test_patience_waits_for_who_lives(void **state)
{
	int fd = lock_file(path, 0600, 0, holder);
	pid_t child = hand_over(fd, getpid(), false);

	(void)state;
	fd = lock_file(path, 0600, 60000, holder);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void test_a_removed_file_is_no_lock(void **state)
{
	int fd = lock_file(path, 0600, 0, holder);
	pid_t child = hand_over(fd, getpid(), true);

	(void)state;
	fd = lock_file(path, 0600, 60000, holder);
	assert_true(fd >= 0);
	assert_true(is_at_path(fd));
	close(fd);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void test_a_link_is_no_lock(void **state)
{
	(void)state;
	assert_int_equal(symlink("/nowhere", path), 0);
	assert_int_equal(lock_file(path, 0600, 0, holder), -ELOOP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_who_lives_is_named, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_who_is_dying_is_waited_for, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_who_is_not_seen_is_not_waited_for, set_up,
					    tear_down),
	    cmocka_unit_test_setup_teardown(test_patience_waits_for_who_lives, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_a_removed_file_is_no_lock, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_a_link_is_no_lock, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
