#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# usage: embed.sh NAME FILE [NAME FILE].. : prints each FILE as a C string NAME.
echo '#include "daemon/control/method.h"'
while [ $# -ge 2 ]; do
	echo "const char $1[] ="
	sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' "$2"
	echo ';'
	shift 2
done
