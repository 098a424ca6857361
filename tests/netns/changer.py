#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""changer.py SOCKET ADDRESS STOP: changes the group's egresses over one connection, as fast as the
daemon answers, and adds and removes other groups beside it, until the file STOP exists.
changer.py SOCKET ADDRESS N HOW ENFORCE CONFIG: makes the group reach {0,1,4} and {2,3,4} in turn, N
times, by HOW: reload (writing CONFIG) or apply."""
import os
import sys

import talk

path, address = sys.argv[1:3]
peer = talk.connect(path)


def call(method, **parameters):
    peer.sendall(talk.call(method, **parameters))
    reply = talk.answer(peer)
    if not reply or "error" in reply:
        sys.exit(f"{method}: {reply or 'the daemon closed the connection'}")


def change_egresses(stop):
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


def groups_of(turn, enforce):
    """The group, and one that comes and goes: (address, to, exclude)."""
    ours, others = ["out0", "out1"], ["out2", "out3"]
    if turn % 2:
        ours, others = others, ours
    if enforce == "lookup":
        group = (address, ["out*"], others)
    else:
        group = (address, ours + ["out4"], [])
    return [group, (f"239.2.1.{turn % 200}", ours, [])]


def by_reload(groups, config, fixed):
    with open(config + ".new", "w") as f:
        f.write(fixed)
        for group, to, exclude in groups:
            excluded = f" --exclude {','.join(exclude)}" if exclude else ""
            print(f"group {group} --from in0 --to {','.join(to)}{excluded}", file=f)
    os.rename(config + ".new", config)
    call("Reload")


def by_apply(groups):
    call("ApplyBegin")
    call("ApplyAdd", groups=[{"addresses": [group], "from": ["in0"], "to": to, "exclude": exclude}
                             for group, to, exclude in groups])
    call("ApplyCommit")


def alternate(count, how, enforce, config):
    with open(config) as f:
        fixed = f.read()
    for turn in range(count):
        groups = groups_of(turn, enforce)
        if how == "reload":
            by_reload(groups, config, fixed)
        else:
            by_apply(groups)
        if not turn:
            print("begun", flush=True)
    print(count, "transactions")


if len(sys.argv) == 4:
    change_egresses(sys.argv[3])
else:
    alternate(int(sys.argv[3]), *sys.argv[4:])
