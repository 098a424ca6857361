#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""peers.py SOCKET: talks to the control socket as nobody should. Each bad peer must be answered
with an error or cut off, and a good peer beside it must be answered quickly all the while."""
import socket
import sys
import time

from talk import answer, call, connect

PATH = sys.argv[1]
STATUS = b'{"method":"io.xmcast.Control.Status"}\0'


def good_peer_is_served():
    began = time.monotonic()
    with connect(PATH) as s:
        s.sendall(STATUS)
        assert "parameters" in answer(s), "a good peer got an error"
    took = time.monotonic() - began
    assert took < 1, f"a good peer waited {took:.2f} s"


def refused(what, data):
    with connect(PATH) as s:
        try:
            s.sendall(data)
        except ConnectionError:
            pass
        reply = answer(s)
    assert reply is None or "error" in reply, f"{what}: {reply}"
    good_peer_is_served()
    print(what, "->", "closed" if reply is None else reply["error"])


def silent(what, data):
    """A peer that never finishes its message neither blocks others nor stays for ever."""
    with connect(PATH) as s:
        s.sendall(data)
        good_peer_is_served()
        reply = answer(s)
    assert reply is None or "error" in reply, f"{what}: {reply}"
    print(what, "->", "closed" if reply is None else reply["error"])


def slow_reader():
    """Asks again and again, reads nothing: it must be let go, not be buffered without end."""
    with connect(PATH) as s:
        s.settimeout(20)
        began = time.monotonic()
        try:
            while time.monotonic() - began < 15:
                s.sendall(STATUS * 200)
        except (ConnectionError, socket.timeout, BlockingIOError):
            pass
        good_peer_is_served()
    print("slow reader -> not waited for")


refused("not JSON", b"hello\0")
refused("empty message", b"\0")
refused("binary", bytes(range(1, 256)) + b"\0")
refused("an array", b"[]\0")
refused("no method", b"{}\0")
refused("method of another type", b'{"method":1}\0')
refused("an unknown interface", call("org.example.Nothing"))
refused("an unknown method", call("Explode"))
refused("a key twice", b'{"method":"io.xmcast.Control.Status","method":"io.xmcast.Control.Stats"}\0')
refused("deep nesting", b'{"method":"io.xmcast.Control.Status","parameters":{"a":'
        + b"[" * 100000 + b"]" * 100000 + b"}}\0")
refused("an unknown key", b'{"method":"io.xmcast.Control.Status","unknown":1}\0')
refused("a parameter missing", call("AddGroup", address="239.1.1.1"))
refused("a parameter of another type", call("AddGroup", address=5, to=["out0"],
                                                 **{"from": ["in0"]}))
refused("a NUL inside", call("AddGroup", address="239.1.1.1\0", to=["out0"], **{"from": ["in0"]}))
refused("bad UTF-8", b'{"method":"io.xmcast.Control.\xff\xfe"}\0')
refused("huge", b'{"method":"' + b"a" * (3 << 20) + b'"}\0')
silent("half a message and silence", STATUS[:10])
slow_reader()
peers = [connect(PATH) for _ in range(40)]
good_peer_is_served()
for peer in peers:
    peer.close()
print("40 idle peers -> others are served")
good_peer_is_served()
