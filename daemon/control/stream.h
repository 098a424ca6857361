/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ListGroups, piece by piece: only one piece is in memory, whatever the number of groups. */
#ifndef XM_CONTROL_STREAM_H
#define XM_CONTROL_STREAM_H

#include "daemon/control/session.h"

struct group_stream;

void group_stream_free(struct group_stream *stream);
/* Looks at some more groups and sends what fills a reply. False when the last was sent. */
bool group_stream_next(struct session *session);

#endif
