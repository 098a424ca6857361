#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""notified.py NOTIFY JOURNAL OUT: stands in for systemd: writes what a daemon tells it to OUT, a line
each, with the seconds since the start: "1.234 notify READY=1", "1.250 journal {fields}". At READY it
looks whether in0 has its program already."""
import json
import os
import selectors
import socket
import struct
import subprocess
import sys
import time


def fields(data):
    """The journal's native protocol: NAME=VALUE lines, or NAME, a length and bytes."""
    found = {}
    while data:
        line, _, rest = data.partition(b"\n")
        name, equals, value = line.partition(b"=")
        if not equals:
            size = struct.unpack("<Q", rest[:8])[0]
            value, rest = rest[8:8 + size], rest[9 + size:]
        found[name.decode()] = value.decode()
        data = rest
    return found


def listen(path):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    s.bind(path)
    return s


selector = selectors.DefaultSelector()
notify, journal = listen(sys.argv[1]), listen(sys.argv[2])
selector.register(notify, selectors.EVENT_READ)
selector.register(journal, selectors.EVENT_READ)
began = time.monotonic()
with open(sys.argv[3], "w", buffering=1) as out:
    while True:
        for key, _ in selector.select():
            data = key.fileobj.recv(65536)
            now = f"{time.monotonic() - began:.3f}"
            if key.fileobj is journal:
                print(now, "journal", json.dumps(fields(data), sort_keys=True), file=out)
                continue
            for line in data.decode().splitlines():
                print(now, "notify", line, file=out)
                if line == "READY=1":
                    link = subprocess.run(["ip", "link", "show", "in0"], capture_output=True, text=True)
                    print(now, "attached" if "xdp" in link.stdout else "not attached", file=out)
