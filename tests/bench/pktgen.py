#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's packet generator as a source, native and generic. For machines that have it."""
import json
import os
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bench import BENCH, INTERFACES, cells, measure, until  # noqa: E402

WORDS = ['--source', 'pktgen', '--programs', '=redirect_map_multi,=xmcast-fold', '--pairs', '2',
         '--duration', '0.02']


# Older kernels would crash on generic XDP: see daemon/bench/pktgen.h.
UNSHARES = tuple(int(n) for n in os.uname().release.split('.')[:2]) >= (6, 7)


class Pktgen(unittest.TestCase):
    def test_source(self):
        result = measure(*WORDS, '--receivers', '1,3')
        found = [c for c in result['cells'] if c['receivers'] and c['program'] != 'all']
        self.assertEqual(len(found), 2 * 2 * (2 if UNSHARES else 1))
        if not UNSHARES:
            for cell in cells(result, mode='generic', program='all', topology='x1'):
                self.assertEqual(cell['state'], 'empty')
                self.assertIn('would crash', cell['reason'])
        for cell in found:
            self.assertEqual((cell['state'], cell['reason']), ('ok', ''), cell)
            self.assertEqual(cell['source'], 'pktgen')
            counters = cell['counters']
            self.assertEqual(counters['sent'], 2 * cell['frames_per_block'])
            self.assertEqual(counters['seen'], counters['sent'])
            self.assertEqual(set(counters['received'].values()), {counters['sent']})

    def test_it_is_the_best_for_generic(self):
        result = measure(*WORDS[2:], '--receivers', '1')
        for cell in result['cells']:
            if cell['receivers'] and cell['state'] != 'ok':
                # An emulated CPU may let live frames overflow the veth's ring: then it says so.
                self.assertIn('XM_IN_VM', os.environ, cell)
                self.assertEqual((cell['source'], cell['state']), ('live', 'invalid'), cell)
                self.assertRegex(cell['reason'], r'blocks: the program saw \d+ of \d+', cell)
        self.assertEqual({c['source'] for c in cells(result, mode='generic', receivers=1)},
                         {'pktgen' if UNSHARES else 'packet'})
        self.assertEqual({c['source'] for c in cells(result, mode='native', receivers=1)},
                         {'live'})


def thread(number):
    with open('/proc/net/pktgen/kpktgend_%d' % number) as file:
        return file.read()


def configured():
    """Devices that a thread of this namespace's pktgen has."""
    return [line for number in range(os.cpu_count()) for line in thread(number).splitlines()
            if line.startswith(('Running:', 'Stopped:')) and line.split(':')[1].strip()]


class RealInterfaces(unittest.TestCase):
    """In a namespace of the test's own, where pktgen's configuration outlives who wrote it."""

    def start(self, *words):
        worker = subprocess.Popen([BENCH, '--native', '--in', 'ethA', '--out', 'ethB',
                                   '--pktgen-dev', 'ethAp', '--programs', '=redirect_map', *words],
                                  stdout=subprocess.PIPE, text=True)
        self.addCleanup(worker.wait)
        self.addCleanup(worker.kill)
        self.addCleanup(worker.stdout.close)
        return worker

    def test_killed_while_it_sends(self):
        worker = self.start('--pairs', '50', '--duration', '30')
        until(configured, 'pktgen is at work')
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        until(lambda: not configured(), 'its configuration is gone')

    def test_nothing_stays(self):
        result = json.loads(self.start('--pairs', '2').communicate()[0].splitlines()[-1])['result']
        cell, = cells(result, topology='A->B')
        self.assertEqual((cell['state'], cell['reason'], cell['source']), ('ok', '', 'pktgen'))
        self.assertEqual(configured(), [])

    def test_the_configuration_of_others_is_left_alone(self):
        number = max(os.sched_getaffinity(0))
        path = '/proc/net/pktgen/kpktgend_%d' % number
        for word in ('rem_device_all', 'add_device ethBp@%d' % number):
            with open(path, 'w') as file:
                file.write(word + '\n')
        result = json.loads(self.start('--pairs', '2').communicate()[0].splitlines()[-1])['result']
        for cell in result['cells']:
            if cell['state'] == 'empty':
                continue  # redirect_map has one destination
            self.assertEqual(cell['state'], 'invalid')
            self.assertIn('has ethBp@%d already' % number, cell['reason'])
        self.assertIn('ethBp', ' '.join(configured()))


if __name__ == '__main__':
    if len(sys.argv) < 2:  # anew, in a namespace with the interfaces
        os.execvp('unshare', ['unshare', '-n', 'sh', '-c', INTERFACES + 'exec "$@"', 'sh',
                              sys.executable, __file__, 'Pktgen', 'RealInterfaces'])
    subprocess.run('modprobe pktgen || busybox modprobe pktgen', shell=True, capture_output=True)
    if not os.path.exists('/proc/net/pktgen/pgctrl'):
        print('1..0 # SKIP this kernel has no pktgen')
        sys.exit(0)
    unittest.main(verbosity=2)
