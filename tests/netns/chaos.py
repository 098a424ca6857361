#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""chaos.py OPERATIONS SEED NAME:PEER:NS...: does random things to the veths NAME (here; their other
end PEER is in NS): deletes and adds them, sets them down and up, renames them, changes the MTU of
either end, moves them to the namespace `away` and back. In the end each is here under its name, or
gone for good. Prints how many of each kind were done."""
import collections
import os
import random
import subprocess
import sys

COUNT, SEED = int(sys.argv[1]), int(sys.argv[2])
HERE = str(os.getpid())
MTUS = [1280, 1400, 1500, 1500, 1500, 2000]
done = collections.Counter()
dice = random.Random(SEED)


def ip(*words, ns=None):
    """False when the kernel refuses: an alias of a name in between, a link that is just going."""
    where = ["-n", ns] if ns else []
    result = subprocess.run(["ip", *where, *words], capture_output=True, text=True)
    return result.returncode == 0


class Veth:
    """`place`: here, gone, away; `name`: its own or the other one that a rename gives it."""

    def __init__(self, spec):
        self.own, self.peer, self.ns = spec.split(":")
        self.name, self.place = self.own, "here"

    def up(self):
        ip("link", "set", self.name, "up")

    def add(self):
        assert ip("link", "add", self.own, "type", "veth", "peer", "name", self.peer, "netns", self.ns)
        self.name, self.place = self.own, "here"
        subprocess.run(["nsenter", f"--net=/run/netns/{self.ns}", "ethtool", "-K", self.peer, "gro", "on"],
                       capture_output=True)
        ip("link", "set", self.peer, "up", ns=self.ns)
        self.up()

    def delete(self):
        assert ip("link", "del", self.name)
        self.place = "gone"

    def rename(self):
        new = "x" + self.own if self.name == self.own else self.own
        ip("link", "set", self.name, "down")
        assert ip("link", "set", self.name, "name", new)
        self.name = new
        self.up()

    def flap(self):
        ip("link", "set", self.name, "down")
        self.up()

    def flap_peer(self):
        ip("link", "set", self.peer, "down", ns=self.ns)
        ip("link", "set", self.peer, "up", ns=self.ns)

    def mtu(self):
        ip("link", "set", self.name, "mtu", str(dice.choice(MTUS)))

    def mtu_peer(self):
        ip("link", "set", self.peer, "mtu", str(dice.choice(MTUS)), ns=self.ns)

    def leave(self):
        assert ip("link", "set", self.name, "netns", "away")
        self.place = "away"

    def come_back(self):
        assert ip("link", "set", self.name, "netns", HERE, ns="away")
        self.place = "here"
        self.up()

    def step(self):
        if self.place == "gone":
            what = self.add
        elif self.place == "away":
            what = self.come_back
        else:
            what = dice.choice([self.delete, self.rename, self.flap, self.flap, self.flap_peer,
                                self.mtu, self.mtu_peer, self.leave])
        what()
        done[what.__name__] += 1

    def finish(self):
        """Most end as they began; some stay away, since that is a state, too."""
        if self.place == "away":
            self.come_back()
        if self.place == "here" and self.name != self.own:
            self.rename()
        if self.place == "gone" and dice.random() < 0.7:
            self.add()


veths = [Veth(spec) for spec in sys.argv[3:]]
for _ in range(COUNT):
    dice.choice(veths).step()
for veth in veths:
    veth.finish()
print(f"seed {SEED}:", ", ".join(f"{n} {what}" for what, n in sorted(done.items())))
