#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Strangers (processes of other users) put load on the control socket.

overload.py SOCKET connections USERS EACH   opens them all and asks on each; prints how many were
                                            served, how many were turned away; root gets in
overload.py SOCKET slow STOP                20 slow writers, 20 slow readers, 20 monitors that never
                                            read, again and again until the file STOP is there; prints
                                            the longest that root waited for an answer, in ms
"""
import os
import select
import sys
import time

from talk import answer, call, connect

PATH = sys.argv[1]
STRANGER = 60000


def closed(s):
    hung = select.poll()
    hung.register(s, 0)
    return bool(hung.poll(0))


def ask():
    """Seconds until root had its answer."""
    began = time.monotonic()
    with connect(PATH) as s:
        s.sendall(call("Status"))
        reply = answer(s)
    assert reply and "parameters" in reply and "error" not in reply, f"root got {reply}"
    return time.monotonic() - began


def as_user(uid, work):
    """Runs work(tell, told) in a process of that user; returns (its pid, what it tells, our word)."""
    from_child, to_parent = os.pipe()
    from_parent, to_child = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(from_child)
        os.close(to_child)
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        try:
            work(to_parent, from_parent)
        finally:
            os._exit(0)
    os.close(to_parent)
    os.close(from_parent)
    return pid, from_child, to_child


def connections(users, each):
    def crowd(tell, told):
        served = refused = 0
        peers = []
        for _ in range(each):
            peers.append(connect(PATH))
        for peer in peers:
            try:
                peer.sendall(call("Stats"))
            except ConnectionError:
                pass
            reply = answer(peer)
            if reply and "error" not in reply:
                served += 1
            else:
                # a connection that was closed before the call came has lost its answer
                assert not reply or reply["error"].endswith("TooManyConnections"), reply
                refused += 1
        os.write(tell, f"{served} {refused}".encode())
        os.read(told, 1)

    children = [as_user(STRANGER + i, crowd) for i in range(users)]
    counts = [os.read(child[1], 64).split() for child in children]
    assert all(counts), "a stranger failed"
    worst = max(ask() for _ in range(20))
    assert worst < 1, f"root waited {worst:.2f} s"
    for pid, _, word in children:
        os.write(word, b"x")  # not closed: the later ones hold it open, too
        os.waitpid(pid, 0)
    print(sum(int(c[0]) for c in counts), sum(int(c[1]) for c in counts))


def slow(stop):
    def crowd(tell, told):
        writers, silent = [], []
        os.write(tell, b"x")
        while os.getppid() != 1 and not os.path.exists(stop):
            for _ in range(20 - len(writers)):
                writers.append(connect(PATH))
            while len(silent) < 40:
                peer = connect(PATH)
                peer.sendall(call("ListGroups" if len(silent) % 2 else "Monitor", True))
                silent.append(peer)
            for peer in writers:
                try:
                    peer.send(b"{")
                except OSError:
                    pass
            # what was sent to the silent ones stays unread; those that the daemon closed come anew
            writers = [peer for peer in writers if not closed(peer)]
            silent = [peer for peer in silent if not closed(peer)]
            time.sleep(0.05)

    pid, tells, _ = as_user(STRANGER, crowd)
    os.read(tells, 1)
    worst = 0
    while not os.path.exists(stop):
        worst = max(worst, ask())
        time.sleep(0.01)
    os.waitpid(pid, 0)
    print(f"{worst * 1000:.0f}")


if sys.argv[2] == "connections":
    connections(int(sys.argv[3]), int(sys.argv[4]))
else:
    slow(sys.argv[3])
