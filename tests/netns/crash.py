#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""crash.py SAMPLE WORKER [SCENARIO]...: kills the daemon at, or fails, one system call after another of start,
attach, add-group, reload, upgrade and stop, by strace's inject (SAMPLE points of each scenario; 0: all). Several
workers, each in namespaces of its own (the command `WORKER LIMIT`, see crashpoint.py), take the points in turn.

A call that changes something outside of the process is killed at: to die at another one is to die at the next of
these. Calls of one kind (the same call with the same command, path or message) fail with each of four errors. Prints TAP, and the number of points."""
import collections
import json
import os
import queue
import re
import subprocess
import sys
import threading

SCENARIOS = ["start", "attach", "add-group", "reload", "upgrade", "stop"]
ERRORS = ["ENOMEM", "EPERM", "EINTR", "ENOSPC"]
CHANGES = ("bpf mkdir rmdir unlink rename link ftruncate fchmod chmod write pwrite64 sendto sendmsg bind "
           "fsync").split()
# What else may fail. Memory, clocks and what libraries read are left out.
FAILS = ("openat flock socket listen epoll_create1 eventfd2 signalfd4 timerfd_create getdents64 recvmsg "
         "recvfrom fcntl statfs").split()
# Of the calls that may change something these only read, or make what dies with the process.
HARMLESS = re.compile(r"BPF_(MAP_CREATE|MAP_FREEZE|MAP_LOOKUP|MAP_GET|OBJ_GET|PROG_LOAD|PROG_BIND|PROG_TEST|BTF_)\w*|"
                      r"\w+_GET\w*")

MOST = 8  # calls of one kind fail, evenly spread


def kind_of(call, about):
    """What a call is about: the command of bpf(), the path of openat(), the type of a netlink message."""
    if call == "bpf":
        return re.match(r"\w*", about).group()
    if call == "openat":
        path = re.search(r'"([^"]*)"', about)
        return re.sub(r"\d+", "N", path.group(1)) if path and "/" in path.group(1) else "one name"
    message = re.search(r"(?:nlmsg_type|type)=(\w+)", about)
    return message.group(1) if message and call in ("sendto", "sendmsg") else ""


def is_loader(call, kind):
    return call == "openat" and re.search(r"\.so(\.|$)", kind)


class Plan:
    """The points of one scenario: (call, its number, fault), and how many were left out, by reason."""

    def __init__(self, calls):
        self.points, self.left_out = [], collections.Counter()
        kinds = collections.defaultdict(list)
        for call, number, kind in self.counted(calls):
            if is_loader(call, kind):
                self.left_out["openat of the loader, before main"] += 1
                continue
            kinds[call, kind].append(number)
            if call not in CHANGES:
                continue
            if HARMLESS.fullmatch(kind):
                self.left_out["kill at what changes nothing that stays"] += 1
            else:
                self.points.append((call, number, "signal=KILL"))
        for (call, _), numbers in kinds.items():
            self.fail(call, numbers)

    @staticmethod
    def counted(calls):
        """strace counts for each thread: the one that makes most of a call stands for all."""
        seen = collections.defaultdict(list)
        for thread, call, about in calls:
            seen[call, thread].append(kind_of(call, about))
        for call in CHANGES + FAILS:
            most = max((kinds for (c, _), kinds in seen.items() if c == call), key=len, default=[])
            for number, kind in enumerate(most, 1):
                yield call, number, kind

    def fail(self, call, numbers):
        chosen = spread(numbers, MOST)
        self.left_out[f"errors in more than {MOST} calls of one kind"] += len(numbers) - len(chosen)
        for i, number in enumerate(chosen):
            for e in range(i % len(ERRORS), len(ERRORS), len(chosen)):
                self.points.append((call, number, "error=" + ERRORS[e]))


def spread(items, count):
    """So many of them, evenly spread, always the same; 0: all."""
    if not count or count >= len(items):
        return items
    return [items[i * len(items) // count] for i in range(count)]


class Worker:
    def __init__(self, command, limit):
        clean = {k: v for k, v in os.environ.items() if k not in ("XMCAST_INSIDE", "XMCAST_KEEP")}
        self.process = subprocess.Popen([*command.split(), str(limit)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=clean)

    def ask(self, *words):
        print(*words, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"a worker died at {' '.join(map(str, words))}")
        return json.loads(line)


def primes(after):
    return (n for n in range(after, 10 * after) if all(n % d for d in range(2, int(n ** 0.5) + 1)))


def start_workers(command, count):
    """Limits from a place of this run's own, so that two runs do not take each other's maps for theirs."""
    candidates = primes(600 + os.stat("/proc/self/ns/net").st_ino % 5000)
    return [Worker(command, next(candidates) - 1) for _ in range(count)]


def run_points(workers, scenario, points):
    """[(point, what is wrong, what became of the daemon)], in no order."""
    todo, results = queue.Queue(), []
    for point in points:
        todo.put(point)

    def work(worker):
        while True:
            try:
                point = todo.get_nowait()
            except queue.Empty:
                return
            try:
                wrong, outcome = worker.ask("point", scenario, *point)
            except (RuntimeError, OSError) as e:
                print(f"# {e}", flush=True)
                return
            results.append((point, wrong, outcome))
            for what in wrong + ([outcome] if outcome in ("stuck", "missed") else []):
                print(f"# {scenario}: {' '.join(map(str, point))}: {what}", flush=True)
            if len(results) % 50 == 0:
                bad = sum(bool(r[1]) for r in results)
                print(f"# {scenario}: {len(results)} of {len(points)}, {bad} bad", flush=True)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def main(sample, command, scenarios):
    workers = start_workers(command, 3 * len(os.sched_getaffinity(0)))
    sums, left_out, failed = collections.Counter(), collections.Counter(), 0
    for i, scenario in enumerate(scenarios, 1):
        plan = Plan(workers[0].ask("calls", scenario, ",".join(CHANGES + FAILS)))
        chosen = spread(plan.points, sample)
        results = run_points(workers, scenario, chosen)
        good = sum(not r[1] for r in results)
        # Points that nobody took, since all workers died, fail.
        right = good == len(chosen) and chosen
        failed += not right
        print(f"{'ok' if right else 'not ok'} {i} - {scenario}: {good} of {len(chosen)} points converge "
              f"and leave nothing ({len(plan.points)} there are)", flush=True)
        sums.update(run=len(chosen), there_are=len(plan.points), stuck=sum(r[2] == "stuck" for r in results),
                    missed=sum(r[2] == "missed" for r in results),
                    kills=sum("KILL" in p[2] for p in chosen))
        left_out += plan.left_out
    print(f"# crash points: {sums['run']} of {sums['there_are']} ({sums['kills']} kills, "
          f"{sums['run'] - sums['kills']} errors); neither settled nor ended: {sums['stuck']}; "
          f"not reached, since it made fewer such calls: {sums['missed']}")
    print("# left out:", "; ".join(f"{n} {why}" for why, n in left_out.items()))
    print(f"1..{len(scenarios)}")
    for worker in workers:
        worker.process.stdin.close()
        worker.process.wait()
    return failed != 0


sys.exit(main(int(sys.argv[1]), sys.argv[2], sys.argv[3:] or SCENARIOS))
