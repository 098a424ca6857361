/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Being somebody else for a while. Apart from the tests: grp.h and model.h have a struct group
 * each. */
#ifndef XM_TESTS_USERS_H
#define XM_TESTS_USERS_H

#include <sys/types.h>

#define NOBODY 65534

/* Effective ids, which the kernel notes of who connects; the group is NOBODY. */
void user_become(uid_t uid);
void user_return(void); /* to root */
/* Asks privilege_of() of a process of user NOBODY with these groups: 0 or 1; 9: it failed. */
int user_may_change(gid_t supplementary, gid_t primary, gid_t wanted);

#endif
