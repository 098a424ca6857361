# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the benchmark share: running xmcast-bench and disturbing it."""
import json
import os
import subprocess
import time

BUILD = os.environ['XMCAST_BUILD']
BENCH = os.path.join(BUILD, 'daemon/bench/xmcast-bench')
XMCASTCTL = os.path.join(BUILD, 'cli/xmcastctl')
PATIENCE = 60  # seconds for anything that must happen


# Two veths stand for NICs; what they lead to takes redirected frames.
INTERFACES = """
set -e
for name in ethA ethB; do
	ip link add name $name type veth peer name ${name}p
	for end in $name ${name}p; do
		echo 1 >/proc/sys/net/ipv6/conf/$end/disable_ipv6
		ip link set $end up
		ethtool -K $end gro on
	done
	for end in $name ${name}p; do
		n=0
		until ip link show $end | grep -q 'state UP'; do
			[ $((n += 1)) -lt 500 ] || exit 1
			sleep 0.02
		done
	done
done
"""


def until(condition, what, seconds=PATIENCE):
    """Polls until it is true; returns what it gave."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError('not within %d s: %s' % (seconds, what))


class Run:
    """xmcast-bench at work; it dies with the test."""

    def __init__(self, *words):
        self.process = subprocess.Popen(['setpriv', '--pdeathsig', 'KILL', BENCH, *words],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.progress = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def line(self):
        text = self.process.stdout.readline()
        if not text:
            raise AssertionError('xmcast-bench ended: ' + self.process.stderr.read())
        return json.loads(text)

    def wait_progress(self, count=1):
        """Returns when it has reported that much more."""
        while count:
            if 'progress' not in self.line():
                raise AssertionError('it ended too early')
            count -= 1

    def wait_invalid(self):
        """Returns when a whole block of it was invalid."""
        while True:
            samples = self.line().get('progress', {}).get('samples')
            if samples is None:
                raise AssertionError('it ended too early')
            if samples and all('reason' in sample for sample in samples):
                return

    def result(self):
        while True:
            line = self.line()
            if 'error' in line:
                raise AssertionError(line['error'])
            if 'result' in line:
                return line['result']

    def stop(self):
        self.process.terminate()
        return self.result()

    def namespaces(self):
        """{'box': path, 'far': path}, by the links that are in them."""
        found = {}
        directory = '/proc/%d/fd' % self.process.pid
        for fd in os.listdir(directory):
            path = os.path.join(directory, fd)
            try:
                if not os.readlink(path).startswith('net:['):
                    continue
            except OSError:
                continue
            links = subprocess.run(['nsenter', '--net=' + path, 'ip', '-br', 'link'],
                                   capture_output=True, text=True).stdout
            if 'gen0' in links:
                found['far'] = path
            elif 'in0' in links:
                found['box'] = path
        return found

    def ip(self, where, *words):
        subprocess.run(['nsenter', '--net=' + self.namespaces()[where], 'ip', *words], check=True)


def measure(*words):
    with Run(*words) as run:
        return run.result()


def cells(result, **wanted):
    return [c for c in result['cells'] if all(c[k] == v for k, v in wanted.items())]


def verdict(path, a, b):
    """Of bench compare for two rows of a file: 'faster', 'slower', ..., and the ratio."""
    done = subprocess.run([XMCASTCTL, 'bench', 'compare', '--json', '%s:%s' % (path, a),
                           '%s:%s' % (path, b)], capture_output=True, text=True, check=True)
    row, = json.loads(done.stdout)['comparisons']
    return row['verdict'], row['ratio']
