#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Turns what a guest left behind into TAP lines and one line of sums.

report.py OUT KERNEL: exits 1 when anything failed. A test that was listed but has no exit
status, a guest that did not come to its end and a complaining kernel are failures, too.
"""
import pathlib
import re
import sys

POINT = re.compile(r"^(not )?ok\b[ \t]*(\d+)?(.*)$", re.MULTILINE)
REMARK = re.compile(r"^# (?!(?:not )?ok\b)(.*)$", re.MULTILINE)  # not cmocka's sums
SKIP_STATUS = 77


def read(path):
    return path.read_text(errors="replace") if path.exists() else ""


def points_of(name, log, status):
    """(ok, skipped, text) of each TAP point, or one for the whole program."""
    found = []
    for bad, _, rest in POINT.findall(log):
        skipped = bool(re.search(r"#\s*skip", rest, re.I))
        # cmocka writes "not ok" in front of what it skipped.
        found.append((skipped or not bad, skipped, f"{name}: {rest.strip(' -')}"))
    if status == SKIP_STATUS and all(ok for ok, _, _ in found):
        reason = (log.strip().splitlines() or ["no reason given"])[-1]
        return found + [(True, True, f"{name} # SKIP {reason}")]
    if status != 0 and all(ok for ok, _, _ in found):
        why = "did not end" if status is None else f"exit status {status}"
        found.append((False, False, f"{name}: {why}"))
    return found or [(True, False, name)]


def worth_reading(log):
    """Each failed point with what it says, and the end: programs that die say why there."""
    kept, room = [], 0
    for line in log.splitlines():
        if re.match(r"(not )?ok\b", line):
            room = 25 if line.startswith("not") and not re.search(r"#\s*skip", line, re.I) else 0
        kept += [line] if room else []
        room = max(0, room - 1)
    return kept[:200] + ["the last lines:"] + log.splitlines()[-30:]


def main():
    out, kernel = pathlib.Path(sys.argv[1]), sys.argv[2]
    results, failed_logs, remarks = [], [], []
    for line in read(out / "tests").splitlines():
        name = line.split("\t")[0]
        status = read(out / f"{name}.rc").strip()
        log = read(out / f"{name}.log")
        points = points_of(name, log, int(status) if status else None)
        if not all(ok for ok, _, _ in points):
            failed_logs.append((name, log))
        else:
            remarks += [f"# {name}: {text}" for text in REMARK.findall(log)]
        seconds = read(out / f"{name}.seconds").strip()
        remarks += [f"# {name}: {seconds} s"] if seconds else []
        results += points
    if not (out / "done").exists():
        results.append((False, False, "the guest came to its end"))
    complaints = read(out / "kernel-complaints").strip()
    if complaints:
        results.append((False, False, "the kernel complained: " + complaints.splitlines()[0]))

    for number, (ok, _, text) in enumerate(results, 1):
        print("ok" if ok else "not ok", number, "-", text)
    print(f"1..{len(results)}")
    print("\n".join(remarks))
    print("# left out, of the network tests:", read(out / "left-out") or "none")
    for name, log in failed_logs:
        print(f"# from the log of {name}:")
        print("\n".join("# | " + line[:400] for line in worth_reading(log)))
    bad = sum(not ok for ok, _, _ in results)
    if bad:
        print("# last lines of the console:")
        print("\n".join("# | " + line[:200] for line in read(out / "console").splitlines()[-40:]))
    skipped = sum(skip for ok, skip, _ in results if ok)
    passed = len(results) - bad - skipped
    release = read(out / "release").strip() or "did not boot"
    print(f"{kernel} ({release}): {passed} passed, {bad} failed, {skipped} skipped")
    (out / "sums").write_text(f"{passed} {bad} {skipped}\n")
    sys.exit(bad > 0)


main()
