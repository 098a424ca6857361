/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the daemon lives: network namespace, runtime directory, the lock of one instance. */
#ifndef XM_PLACE_H
#define XM_PLACE_H

#include "daemon/model/model.h"

/* Enters the network namespace (a name below /run/netns, or a path). */
int place_enter_netns(const char *netns, struct fault *fault);
/* Makes DIR (0755, and its parents), checks that nobody else can write there. */
int place_make_dir(const char *dir, struct fault *fault);
/* Takes DIR/lock for the life of the process. Returns the descriptor; -EBUSY names the owner's pid.
 */
int place_lock(const char *dir, struct fault *fault);
/* Removes the lock, which the caller holds, and the directory, when nothing else is there. */
void place_remove(const char *dir);
/*
 * One daemon for each network namespace, wherever its directories are: two would take each other's
 * programs off. Binds a name of the abstract socket namespace, which belongs to the network
 * namespace and goes with the process. Returns the descriptor, with a
 * warning in `fault` when a user who cannot run xmcastd holds the name; -EBUSY names the owner.
 */
int place_lock_netns(struct fault *fault);

#endif
