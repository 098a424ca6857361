#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""crashpoint.py BUILD WORK LIMIT: performs the scenarios of crash.py in this network namespace, as standard
input asks, line by line, and answers each with a line of JSON:
  calls SCENARIO                         the system calls that it makes
  point SCENARIO CALL NUMBER FAULT       what is wrong after that fault in that call, and what became of it
After each point: what forwarded goes on; a daemon that is started then settles and forwards; after
--purge no map, pin, program, temporary file or namespace is left. LIMIT is a limit of interfaces that nobody else on
this machine has, and one less than a prime: by their sizes our maps are known among all of this kernel."""
import collections
import ctypes
import glob
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import time

import talk

build, work, INTERFACES = sys.argv[1], sys.argv[2], int(sys.argv[3])
pins = "/sys/fs/bpf/xmcast"
config, run = work + "/xmcastd.conf", work + "/run"
daemon_path = build + "/daemon/xmcastd"
other_path = build + "/tests/netns/layout/xmcastd-other-layout"

# The leak sanitizer does not work under strace.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
libc = ctypes.CDLL(None, use_errno=True)


def enter(fd):
    if libc.setns(fd, 0):
        raise OSError(ctypes.get_errno(), "setns")


def inside(namespace, make):
    """What `make` returns in another network namespace: a socket stays there."""
    with open(f"/run/netns/{namespace}") as there, open("/proc/self/ns/net") as here:
        enter(there.fileno())
        try:
            return make()
        finally:
            enter(here.fileno())


def open_sender():
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    index = socket.if_nametoindex("s0")
    s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, struct.pack("=4s4si", b"", b"", index))
    s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 8)
    return s


def open_receiver():
    s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    s.bind(("r0", 0))
    s.settimeout(2)
    return s


sender, receiver = inside("s", open_sender), inside("r0", open_receiver)
number = 0


def forwards(address):
    """A frame of that group comes through, once."""
    global number
    number += 1
    mark = b"crash %09d" % number
    sender.sendto(mark, (address, 5000))
    try:
        while mark not in receiver.recv(2000):
            pass
    except TimeoutError:
        return False
    return True


def ctl(*words, timeout=15):
    try:
        return subprocess.run([build + "/cli/xmcastctl", *words], capture_output=True, timeout=timeout,
                              text=True)
    except subprocess.TimeoutExpired:
        return None


def wait(what, seconds):
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def settled():
    status = talk.ask(run + "/io.xmcast.Control", "Status")
    return bool(status) and status["settled"]


def command(path=daemon_path):
    return [path, "--config", config, "--runtime-dir", run, "--bpffs", pins]


class Daemon:
    """A daemon, or strace around one."""

    def __init__(self, words, until=settled):
        self.log = open(work + "/daemon.log", "wb")
        self.process = subprocess.Popen(words, stdout=self.log, stderr=self.log)
        self.up = wait(lambda: self.process.poll() is not None or until(), 30)
        self.up = self.up and self.process.poll() is None

    def last_words(self):
        with open(self.log.name, errors="replace") as f:
            return (f.read().splitlines() or ["it said nothing"])[-1]

    def end(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return False
        finally:
            self.log.close()
        return True


GROUPS = ["group 239.1.1.1 --from in0 --to out0", "group 239.1.2.0/24 --from in0 --to out0 --source 10.9.0.0/24"]


def configure(*more):
    with open(config, "w") as f:
        print(f"limit interfaces {INTERFACES}", "interface in0 --mode native", *GROUPS, *more, sep="\n", file=f)


def add_group():
    return ctl("add-group", "239.1.3.1", "--from", "in0", "--to", "out0")


def reload():
    configure("group 239.1.4.1 --from in0 --to out0")
    return ctl("reload")


def attach():
    return ctl("attach", "in0")


def detached():
    assert ctl("detach", "in0").returncode == 0


# earlier: the daemon that runs before; prepare: what is done then; act: what is done while it is traced
# (None: it is what starts or, with stop, ends); group: what forwards once act was answered; went_on:
# what was forwarded before still is.
Scenario = collections.namedtuple("Scenario", "name earlier prepare act stop group went_on")
SCENARIOS = {s.name: s for s in [
    Scenario("start", None, None, None, False, None, False),
    Scenario("attach", daemon_path, detached, attach, False, None, False),
    Scenario("add-group", daemon_path, None, add_group, False, "239.1.3.1", True),
    Scenario("reload", daemon_path, None, reload, False, "239.1.4.1", True),
    Scenario("upgrade", other_path, None, None, False, None, True),
    Scenario("stop", daemon_path, None, None, True, None, True),
]}


def our_maps():
    """Ids of maps that only this test makes: their number of elements tells."""
    r = subprocess.run(["bpftool", "-j", "map", "list"], capture_output=True, text=True)
    sizes = {INTERFACES, INTERFACES + 1} | {(INTERFACES + 1) * (n + 1) for n in range(1, 1025)}
    return {m["id"] for m in json.loads(r.stdout) if m.get("max_entries") in sizes}


def left_over():
    left = [p for p in glob.glob("/sys/fs/bpf/**", recursive=True)
            if p not in ("/sys/fs/bpf/", "/sys/fs/bpf/xdp", "/sys/fs/bpf/progs.debug", "/sys/fs/bpf/maps.debug")]
    left += [p for p in glob.glob(run + "/*") if not re.search("/(lock|io.xmcast.Control)$", p)]
    links = json.loads(subprocess.run(["ip", "-d", "-j", "link"], capture_output=True, text=True).stdout)
    for link in links:
        if "xdp" in link:
            left.append(f"{link['ifname']}: {link['xdp']}")
        if "ALLMULTI" in link["flags"]:
            left.append(f"{link['ifname']} takes all multicast")
    left += [f"link {name}" for name in {l["ifname"] for l in links} ^ links_before]
    left += [f"namespace {name}" for name in set(os.listdir("/run/netns")) ^ namespaces_before]
    if left:
        return left
    wait(lambda: not our_maps(), 5)  # the kernel frees them late
    return [f"map {i}" for i in our_maps()]


links_before = {l["ifname"] for l in json.loads(subprocess.run(["ip", "-j", "link"], capture_output=True,
                                                              text=True).stdout)}
namespaces_before = set(os.listdir("/run/netns"))


def purge():
    r = subprocess.run([daemon_path, "--purge", "--runtime-dir", run, "--bpffs", pins], capture_output=True,
                       text=True)
    return r.stderr if r.returncode else ""


def strace(options, pid=None, words=()):
    at = ["-p", str(pid)] if pid else ["--", *words]
    # not --seccomp-bpf: with it an injected signal is lost now and then
    return ["strace", "-f", "-qq", *options, *at]


def traced_child(process):
    """The daemon that strace has started."""
    try:
        with open(f"/proc/{process.pid}/task/{process.pid}/children") as f:
            return [int(p) for p in f.read().split()]
    except OSError:
        return []


def perform(scenario, options):
    """One run under strace. Returns whether act was answered well, what became of the daemon, its code."""
    answered = None
    if scenario.earlier:
        earlier = Daemon(command(scenario.earlier))
        assert earlier.up, "the daemon before did not start"
        if scenario.prepare:
            scenario.prepare()
    if not scenario.act and not scenario.stop:
        if scenario.earlier:
            earlier.end(signal.SIGKILL)
        traced = Daemon(strace(options, words=command()))
        outcome = "up" if traced.up else "ended" if traced.process.poll() is not None else "stuck"
        for pid in traced_child(traced.process):
            os.kill(pid, signal.SIGKILL)
        traced.end(0)  # strace ends when the daemon is gone, and its lock with it
        return answered, outcome, traced.process.returncode
    pid = earlier.process.pid
    tracer = subprocess.Popen(strace(options, pid), stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    wait(lambda: "TracerPid:\t0" not in open(f"/proc/{pid}/status").read(), 5)
    if scenario.stop:
        earlier.process.terminate()
    else:
        answer = scenario.act()
        answered = bool(answer) and answer.returncode == 0
    if scenario.stop:
        wait(lambda: earlier.process.poll() is not None, 10)
    outcome = "up" if earlier.process.poll() is None else "ended"
    earlier.end(signal.SIGKILL)
    tracer.wait()
    return answered, outcome, earlier.process.returncode


def fresh():
    subprocess.run(["rm", "-rf", run])
    subprocess.run(["ip", "link", "set", "in0", "allmulticast", "off"], check=True)  # what a bad point left
    configure()


def check_point(scenario, call, n, fault):
    """What is wrong, one line each, and what became of it: up, ended, stuck, missed (it made fewer such calls)."""
    wrong = []
    fresh()
    calls = work + "/calls"
    answered, outcome, code = perform(scenario, ["-o", calls, "-e", f"trace={call}", "-e",
                                                 f"inject={call}:{fault}:when={n}"])
    died = fault.startswith("signal") and (outcome == "ended" or answered is False)
    with open(calls) as f:
        if not died and "INJECTED" not in f.read():
            outcome = "missed"
    if code is not None and -code in (signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE):
        wrong.append(f"it crashed with signal {-code}")
    if scenario.went_on and not forwards("239.1.1.1"):
        wrong.append("forwarding stopped")
    after = Daemon(command())
    if not after.up:
        wrong.append(f"the next daemon did not settle (exit code {after.process.poll()}): {after.last_words()}")
    elif scenario.name == "attach" and not answered and not attach().returncode == 0:
        wrong.append("attach afterwards failed")
    wanted = ["239.1.1.1", "239.1.2.7"] + ([scenario.group] if scenario.group and answered else [])
    for address in wanted:
        if after.up and not forwards(address):
            wrong.append(f"{address} is not forwarded by the next daemon")
    if len(glob.glob(pins + "/*")) > 1:
        wrong.append("older pins are left: " + " ".join(glob.glob(pins + "/*")))
    if not after.end():
        wrong.append("the next daemon does not stop")
    text = purge()
    if text:
        wrong.append(f"purge: {text.strip()}")
    wrong += [f"left over: {what}" for what in left_over()]
    return wrong, outcome


def calls_of(scenario, traced):
    """[thread, call, what it is about] for each of these calls, in order."""
    fresh()
    path = work + "/calls"
    perform(scenario, ["-s", "256", "-o", path, "-e", "trace=" + traced])
    with open(path) as f:
        lines = [re.match(r"(\d+) +(\w+)\((.*)", line) for line in f]
    purge()
    return [list(line.groups()) for line in lines if line]


for request in sys.stdin:
    what, name, *words = request.split()
    if what == "calls":
        reply = calls_of(SCENARIOS[name], *words)
    else:
        reply = check_point(SCENARIOS[name], *words)
    print(json.dumps(reply), flush=True)
