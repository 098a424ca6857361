/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/control/users.h"

#include <grp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "daemon/control/privilege.h"

void user_become(uid_t uid)
{
	gid_t group = NOBODY;

	assert_int_equal(setgroups(1, &group), 0);
	assert_int_equal(setegid(NOBODY), 0);
	assert_int_equal(seteuid(uid), 0);
}

void user_return(void)
{
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(setegid(0), 0);
	assert_int_equal(setgroups(0, NULL), 0);
}

int user_may_change(gid_t supplementary, gid_t primary, gid_t wanted)
{
	int status, pair[2];
	pid_t pid = fork();

	if (pid == 0) {
		bool may_change = false;
		uid_t uid = 0;

		if (setgroups(1, &supplementary) < 0 || setgid(primary) < 0 || setuid(NOBODY) < 0 ||
		    socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0 ||
		    privilege_of(pair[0], wanted, &uid, &may_change) < 0 || uid != NOBODY)
			_exit(9);
		_exit(may_change);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WEXITSTATUS(status);
}
