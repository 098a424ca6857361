#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Prints the tests of a build directory that the guest shall run: NAME, seconds, command.

choose.py BUILD SUITE[,SUITE] NAME-PATTERN LEFT-OUT   (meson's own list, so that a test is named once)
LEFT-OUT is a file that gets the names of the network tests that are not among them.
"""
import fnmatch
import json
import pathlib
import re
import shlex
import subprocess
import sys

SLOWER = 8  # software emulation against this machine, measured 5 to 8 on the bpf suite


def main():
    build, suites = sys.argv[1], sys.argv[2].split(",")
    pattern, left_out = sys.argv[3:]
    tests = json.loads(subprocess.check_output(["meson", "introspect", build, "--tests"]))
    chosen = set()
    for test in tests:
        names = {suite.split(":")[-1] for suite in test["suite"]}
        if not names & set(suites) or not fnmatch.fnmatch(test["name"], pattern):
            continue
        name = re.sub(r"[^A-Za-z0-9_.-]", "-", test["name"])
        env = [f"{key}={shlex.quote(value)}" for key, value in test["env"].items()]
        command = " ".join(["exec", "env"] + env + [shlex.quote(arg) for arg in test["cmd"]])
        if test["workdir"]:
            command = f"cd {shlex.quote(test['workdir'])} && {command}"
        chosen.add(name.removeprefix("netns-"))
        print(name, test["timeout"] * SLOWER, command, sep="\t")

    scripts = pathlib.Path(__file__).parent.parent.glob("netns/*.sh")
    network = {path.stem for path in scripts if "\n# test: " in path.read_text()}
    pathlib.Path(left_out).write_text(" ".join(sorted(network - chosen)))


main()
