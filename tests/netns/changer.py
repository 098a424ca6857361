#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""changer.py SOCKET ADDRESS STOP: changes the group's egresses over one connection, as fast as the
daemon answers, and adds and removes other groups beside it, until the file STOP exists."""
import json
import os
import socket
import sys

path, address, stop = sys.argv[1:]
peer = socket.socket(socket.AF_UNIX)
peer.connect(path)
rest = b""


def call(method, **parameters):
    global rest
    message = {"method": "io.xmcast.Control." + method, "parameters": parameters}
    peer.sendall(json.dumps(message).encode() + b"\0")
    while b"\0" not in rest:
        piece = peer.recv(65536)
        if not piece:
            sys.exit("the daemon closed the connection")
        rest += piece
    reply, rest = rest.split(b"\0", 1)
    reply = json.loads(reply)
    if "error" in reply:
        sys.exit(f"{method}: {reply}")


changes = 0
while not os.path.exists(stop):
    other = f"239.2.{changes // 256 % 256}.{changes % 256}"
    call("AddGroup", address=other, **{"from": ["in0"]}, to=["out0", "out2"])
    call("AddEgress", address=address, interfaces=["out2", "out3"])
    call("DelEgress", address=address, interfaces=["out0", "out1"])
    call("AddEgress", address=address, interfaces=["out0", "out1"])
    call("DelEgress", address=address, interfaces=["out2", "out3"])
    call("DelGroup", address=other)
    changes += 6
print(changes, "changes")
