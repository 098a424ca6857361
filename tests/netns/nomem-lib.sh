# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced behind lib.sh by tests of writes into maps that fail: see nomem.c.
export XMCAST_NOMEM=$work/nomem
ENOMEM=12
EINVAL=22

# fail_at N [ERROR [N ERROR]]: the Nth write from now on fails, by default for want of memory; 0: none.
# ERROR 0: xmcastd stops in front of it. fail_from N: it fails, and so does each after it; 0: none.
# seen: how many there were.
plan()
{
	python3 -c "
import struct
open('$XMCAST_NOMEM', 'r+b').write(struct.pack('6I', 0, $1, $2, $3, $4, $5))"
}
fail_at()
{
	plan "$1" "${2:-$ENOMEM}" "${3:-0}" "${4:-0}" 0
}
fail_from()
{
	plan 0 0 0 0 "$1"
}
seen()
{
	python3 -c "
import struct
print(struct.unpack('6I', open('$XMCAST_NOMEM', 'rb').read())[0])"
}
head -c 24 /dev/zero >"$XMCAST_NOMEM"
xmcastd=$work/xmcastd
cat >"$xmcastd" <<END
#!/bin/sh
LD_PRELOAD=$tools/libnomem.so exec "$build/daemon/xmcastd" "\$@"
END
chmod +x "$xmcastd"
