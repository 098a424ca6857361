/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XM_CLI_INTERFACE_H
#define XM_CLI_INTERFACE_H

#include <jansson.h>
#include <stdbool.h>

/* A client_reply: prints what ListInterfaces tells. */
int interface_table(const json_t *parameters, bool continues, void *data);

#endif
