#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints the files, relative to /, that a guest keeps in memory: the tree's own and those of the tools
that tests use. Opening a file through 9p takes an emulated guest about 0.1 s, and `ip` alone opens
ten; what is not named here works, too, only slower.

in-memory.py TREE BUILD
"""
import pathlib
import re
import subprocess
import sys

PACKAGES = """bash bpftool bsdutils coreutils dash ethtool findutils gawk grep iproute2 jq libxdp1 mawk
mount procps sed util-linux xdp-tools""".split()
LIBRARY = re.compile(r"(/\S+) \(0x")


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def files_below(directory):
    return [path for path in directory.rglob("*") if path.is_file()]


def main():
    tree, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    listed = map(pathlib.Path, output("dpkg", "-L", *PACKAGES).split("\n"))
    wanted = [p for p in listed if re.search(r"/s?bin/.|\.o$", str(p)) and p.is_file()]
    for room in ("daemon", "cli", "tests"):
        wanted += [p for p in files_below(build / room) if p.stat().st_mode & 0o111]
    programs = {str(p.resolve()) for p in wanted}
    wanted += files_below(tree / "tests") + files_below(pathlib.Path("/etc/iproute2"))
    wanted += [pathlib.Path("/etc/ld.so.cache")]
    wanted += [pathlib.Path(p) for p in set(LIBRARY.findall(output("ldd", *programs)))]
    # A link and what it leads to; directories by their real names.
    names = {str(p.parent.resolve() / p.name) for p in wanted} | {str(p.resolve()) for p in wanted}
    print("\n".join(sorted(name[1:] for name in names)))


main()
