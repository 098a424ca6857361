/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports and keys as JSON; the names are those of io.xmcast.Control.varlink. */
#ifndef XM_CONTROL_JSON_H
#define XM_CONTROL_JSON_H

#include <jansson.h>

#include "daemon/model/report.h"

/* Each returns a new reference, NULL when there is no memory. */
/* {"address", "source", "vlan", "from"} */
json_t *json_group_key(const struct group_key *key);
json_t *json_group(const struct group_report *report);
/* As a NewInterface. */
json_t *json_wish(const struct interface_wish *wish);
json_t *json_interface(const struct interface_report *report);
json_t *json_stats(const struct stats_report *report);
json_t *json_frame(const struct frame_report *report); /* json_frame.c */
json_t *json_status(const struct status_report *report);

#endif
