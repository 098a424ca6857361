#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Numbers that nobody needs to doubt: whatever goes wrong makes a cell invalid, and says
why (case 41)."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bench import BENCH, BUILD, INTERFACES, Run, cells, measure, until  # noqa: E402

ONE = ['--programs', 'redirect_map_multi', '--receivers', '2']
LONG = ['--pairs', '10000', '--duration', '300']


def held_by(pid):
    """{('prog', id), ('map', id)} of what a process has descriptors of."""
    held = set()
    directory = '/proc/%d/fdinfo' % pid
    for fd in os.listdir(directory):
        try:
            with open(os.path.join(directory, fd)) as info:
                held.update(re.findall(r'^(prog|map)_id:\s*(\d+)', info.read(), re.M))
        except OSError:
            pass  # closed meanwhile
    return held


def is_there(kind, number):
    return not subprocess.run(['bpftool', kind, 'show', 'id', number],
                              capture_output=True).returncode


class Counters(unittest.TestCase):
    def check_invalid(self, result, reason, **wanted):
        found = cells(result, **wanted)
        self.assertTrue(found)
        self.assertTrue(result['partial'])
        for cell in found:
            self.assertEqual(cell['state'], 'invalid', cell['program'])
            self.assertRegex(cell['reason'], reason)

    def disturbed(self, mode, where, *change, words=()):
        with Run(mode, *ONE, *LONG, *words) as run:
            run.wait_progress(2)
            run.ip(where, *change)
            run.wait_invalid()
            return run.stop()

    def test_all_counters_agree(self):
        result = measure('--quick', '--receivers', '1,3', '--pairs', '2', '--duration', '0.02')
        measured = [c for c in result['cells'] if c['state'] != 'empty']
        self.assertEqual(len(measured), 2 * (6 + 5))
        for cell in measured:
            self.assertEqual((cell['state'], cell['reason']), ('ok', ''), cell)
            counters = cell['counters']
            self.assertEqual(counters['sent'], 2 * cell['frames_per_block'])
            self.assertEqual(counters['seen'], counters['sent'])
            self.assertEqual(len(counters['received']), cell['receivers'])
            self.assertEqual(set(counters['received'].values()), {counters['sent']})
            self.assertEqual(len(cell['samples']), 2)
            self.assertEqual(cell['source'], 'live' if cell['mode'] == 'native' else 'packet')
        for cell in result['cells']:
            self.assertTrue(cell['state'] == 'ok' or cell['reason'], cell)

    def test_one_at_a_time(self):
        """Two would be in each other's figures; whoever was killed does not stand in the way."""
        with Run('--native', *ONE, *LONG) as run:
            run.wait_progress()
            with self.assertRaisesRegex(AssertionError, r'\(process %d\)' % run.process.pid):
                measure('lpm-trie-lookup')
            run.process.kill()
            measure('--native', *ONE, '--pairs', '2', '--duration', '0.02')

    def test_the_kernels_own_ways(self):
        """A bridge, multicast routing and tc, in one table with ours: each copy arrives."""
        ways = ['bridge', 'mroute', 'tc-mirred']
        result = measure('--native', '--generic', '--programs', '=xmcast-fold,' + ','.join(ways),
                         '--receivers', '2,33', '--pairs', '3', '--duration', '0.02')
        for mode in ('native', 'generic'):
            self.assertEqual([c['program'] for c in cells(result, mode=mode, topology='x2')],
                             ['xmcast-fold', *ways])
            for cell in cells(result, mode=mode, topology='x2'):
                self.assertEqual((cell['state'], cell['reason']), ('ok', ''), cell)
                counters = cell['counters']
                self.assertEqual(counters['sent'], 3 * cell['frames_per_block'])
                self.assertEqual(counters['seen'], counters['sent'])
                self.assertEqual(list(counters['received'].values()), 2 * [counters['sent']])
            # MAXVIFS is 32, one of them the ingress; TCA_ACT_MAX_PRIO is 32
            for program, most in (('mroute', 31), ('tc-mirred', 32)):
                cell, = cells(result, mode=mode, topology='x33', program=program)
                self.assertEqual((cell['state'], cell['reason']),
                                 ('empty', 'needs fewer receivers: up to %d' % most))

    def test_another_build(self):
        for name in ('ingress', 'bench_reference'):
            path = os.path.join(BUILD, 'bpf', name + '.bpf.o')
            for receivers in (1, 3):
                if name == 'bench_reference' and receivers > 1:
                    continue  # its first program has one target
                result = measure('--native', '--programs', '=xmcast-fold', '--pairs', '2',
                                 '--receivers', str(receivers), '--duration', '0.02',
                                 'program=' + path)
                cell, = cells(result, program=name, mode='native')
                self.assertEqual((cell['state'], cell['reason']), ('ok', ''))
        with self.assertRaisesRegex(AssertionError, 'No such file'):
            measure('--native', 'program=/nonexistent.bpf.o')

    def test_receiver_set_down(self):
        for mode in ('--native', '--generic'):
            result = self.disturbed(mode, 'far', 'link', 'set', 'rx2', 'down')
            self.check_invalid(result, 'rx2 is set down', mode=mode[2:], receivers=2)
            self.assertIn('out2 got', cells(result, receivers=2)[0]['reason'])

    def test_egress_set_down(self):
        result = self.disturbed('--native', 'box', 'link', 'set', 'out1', 'down')
        self.check_invalid(result, 'out1 is set down', mode='native', receivers=2)

    def test_egress_deleted(self):
        result = self.disturbed('--native', 'box', 'link', 'del', 'out2')
        self.check_invalid(result, 'out2 is gone', mode='native', receivers=2)

    def test_generator_lost(self):
        for mode, change, reason in (('--native', ('set', 'gen0', 'down'), 'gen0 is set down'),
                                     ('--generic', ('set', 'gen0', 'down'), 'gen0 is set down'),
                                     ('--native', ('del', 'gen0'), 'gen0 is (gone|set down)|in0 is gone'),
                                     ('--generic', ('del', 'gen0'), 'gen0 is (gone|set down)|in0 is gone')):
            result = self.disturbed(mode, 'far', 'link', *change)
            self.check_invalid(result, reason, mode=mode[2:], receivers=2)

    def test_ring_overflow(self):
        result = measure('--native', '--programs', 'redirect_map_multi', '--receivers', '32',
                         '--batch', '256', '--pairs', '2', '--duration', '0.1')
        for cell in cells(result, mode='native', receivers=32):
            self.assertEqual(cell['state'], 'invalid')
            self.assertRegex(cell['reason'], r'the ring of (in0|rx\d+) overflowed')

    def test_pace(self):
        """Not more than so many a second, but for the eight that go at once; live frames have no pace."""
        result = measure('--programs', '=redirect_map', '--receivers', '1', '--source', 'packet',
                         '--pps', '5000', '--pairs', '2', '--duration', '0.05')
        for mode in ('native', 'generic'):
            cell, = cells(result, mode=mode, receivers=1, topology='x1')
            self.assertEqual((cell['state'], cell['reason']), ('ok', ''))
            frames = cell['frames_per_block']
            self.assertLessEqual(max(cell['samples']), 5000e-6 * frames / (frames - 8))
        result = measure('--native', '--programs', '=redirect_map', '--receivers', '1', '--source',
                         'live', '--pps', '5000')
        cell, = cells(result, topology='x1')
        self.assertEqual(cell['state'], 'empty')
        self.assertRegex(cell['reason'], '^live frames come as fast as they can')

    def orders(self, seed):
        """In which order the programs of each block ran, and whether the stream holds all samples."""
        with Run('--native', '--programs', 'redirect_map_multi', '--receivers', '1', '--pairs', '6',
                 '--duration', '0.02', '--seed', seed) as run:
            blocks = []
            line = run.line()
            while 'progress' in line:
                blocks.append(line['progress']['samples'])
                line = run.line()
        result = line['result']
        self.assertEqual(result['seed'], int(seed))
        for cell in cells(result, topology='x1'):
            if cell['state'] != 'empty':
                self.assertEqual(cell['samples'], [s['mpps'] for block in blocks for s in block
                                                   if s['program'] == cell['program']])
        return [[s['program'] for s in block] for block in blocks]

    def test_seed_and_stream(self):
        first = self.orders('7')
        self.assertEqual(len(first), 6)
        self.assertEqual(first, self.orders('7'))
        self.assertNotEqual(first, self.orders('8'))

    def test_stopped_is_partial(self):
        with Run('lpm-trie', '--duration', '30', '--warmup', '0') as run:
            run.wait_progress()
            result = run.stop()
        self.assertTrue(result['partial'])
        self.assertEqual([r['op'] for r in result['results']], ['noop'])
        self.assertTrue(result['results'][0]['samples'])


def inside(script):
    """Runs a shell script in a network namespace with those interfaces; its output."""
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run(['unshare', '-n', 'sh', '-c', INTERFACES + script], text=True,
                              capture_output=True, env={**os.environ, 'BENCH': BENCH,
                                                        'BUILD': BUILD, 'TMP': directory})
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout


class RealInterfaces(unittest.TestCase):
    def test_rows(self):
        out = inside('$BENCH --in ethA --out ethB --pktgen-dev ethAp --programs '
                     'redirect_map,xmcast-fold --pairs 2 --duration 0.02')
        result = json.loads(out.splitlines()[-1])['result']
        for mode in ('native', 'generic'):
            for topology, receivers in (('A->B', {'ethB'}), ('A->veth', {'xmb'}),
                                        ('A->B+veth', {'ethB', 'xmb'})):
                cell, = cells(result, program='xmcast-fold', mode=mode, topology=topology)
                self.assertEqual((cell['state'], cell['reason']), ('ok', ''))
                counters = cell['counters']
                self.assertEqual({name.split('.')[0][:3] if name[0] == 'x' else name
                                  for name in counters['received']}, receivers)
                self.assertEqual(set(counters['received'].values()), {counters['sent']})
        self.assertEqual(result['environment']['drivers']['in'], 'veth')
        self.assertIn('ethB', result['environment']['drivers']['interfaces'])

    def test_without_a_sender_generic_is_empty(self):
        out = inside('$BENCH --generic --in ethA --out ethB --pairs 2')
        for cell in json.loads(out.splitlines()[-1])['result']['cells']:
            self.assertEqual(cell['state'], 'empty')
            self.assertIn('--pktgen-dev', cell['reason'])

    def beside(self, sender, group, words):
        """The cells of a run beside somebody who sends to the group through that interface."""
        out = inside(("""
        ip addr add 192.0.2.9/24 dev %s && ip route add %s dev %s
        python3 -c 'import socket
        s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        s.sendto(bytes(32), ("%s", 5000))
        print(flush=True)
        while True: s.sendto(bytes(32), ("%s", 5000))' >$TMP/sends &
        sender=$!
        until [ -s $TMP/sends ]; do kill -0 $sender; sleep 0.02; done
        $BENCH --in ethA --out ethB %s || rc=1
        kill $sender
        """ % (sender, group, sender, group, group, words)).replace('\n        ', '\n'))
        return json.loads(out.splitlines()[-1])['result']['cells']

    def test_others_send_through_an_egress(self):
        found = self.beside('ethB', '239.9.9.9', '--native --programs =redirect_map --pairs 2')
        cell, = [c for c in found if c['topology'] == 'A->B']
        self.assertEqual(cell['state'], 'invalid')
        self.assertRegex(cell['reason'],
                         'ethB got .* copies; somebody else sends through ethB, too: sysctl')

    def test_others_send_through_the_sender(self):
        found = self.beside('ethAp', '239.9.9.9', '--pktgen-dev ethAp --native '
                            '--programs =redirect_map --pairs 2')
        cell, = [c for c in found if c['topology'] == 'A->B']
        self.assertEqual(cell['state'], 'invalid')
        self.assertRegex(cell['reason'],
                         'saw .* frames sent; somebody else sends through ethAp, too: sysctl')

    def test_from_elsewhere(self):
        found = self.beside('ethAp', '239.1.0.1', '--source external --pairs 3 --programs '
                            '=redirect_map_multi,=xmcast-fold')
        self.assertEqual(len(found), 2 * 3 * 2)
        for cell in found:
            self.assertEqual((cell['state'], cell['reason'], cell['source']), ('ok', '', 'external'))
            counters = cell['counters']
            self.assertIsNone(counters['sent'])
            self.assertGreater(counters['seen'], 0)
            self.assertEqual(set(counters['received'].values()), {counters['seen']})
            self.assertEqual(cell['counted']['sent'], 'not known here')
            self.assertEqual(set(cell['counted']['received']), set(counters['received']))
            if cell['topology'] == 'A->B':
                self.assertEqual(cell['counted']['received']['ethB'], 'tx_packets of its driver')
            self.assertEqual(len(cell['samples']), 3)

    def test_nobody_sends(self):
        out = inside('$BENCH --source external --native --in ethA --out ethB --programs '
                     '=redirect_map --pairs 2')
        for cell in json.loads(out.splitlines()[-1])['result']['cells']:
            if cell['topology'] == 'A->B+veth':
                self.assertEqual((cell['state'], cell['reason']),
                                 ('empty', 'it has one destination'))
                continue
            self.assertEqual(cell['state'], 'invalid')
            self.assertIn('no frame for 239.1.0.1 came', cell['reason'])
        for cell in measure('--source', 'external', '--receivers', '1')['cells']:
            self.assertEqual(cell['state'], 'empty')
            self.assertRegex(cell['reason'], '--in and --out')

    def test_the_state_before(self):
        """Flags, allmulti and promiscuity, XDP, queues: as it was; and no veth is left."""
        out = inside("""
        state() { ip -d -j link; for i in ethA ethB ethAp; do ethtool -k $i; done; }
        state >$TMP/before
        $BENCH --in ethA --out ethB --pktgen-dev ethAp --programs =xmcast-fold --pairs 2 \
            --duration 0.02 >/dev/null
        state >$TMP/after
        diff $TMP/before $TMP/after && echo same
        """)
        self.assertTrue(out.endswith('same\n'), out)

    def test_an_ingress_with_a_program(self):
        out = inside("""
        ip link set ethA xdpgeneric obj $BUILD/bpf/bench_traffic.bpf.o sec xdp || exit 1
        $BENCH --in ethA --out ethB || true
        """)
        self.assertRegex(json.loads(out.splitlines()[-1])['error'],
                         r'--in ethA: the XDP program \w+ \(id \d+\) is attached')

    def test_not_there_or_down(self):
        for words, say in (('--in ethX --out ethB', 'ethX: there is no such'),
                           ('--in ethA --out ethX', 'ethX: there is no such'),
                           ('--in ethA --out ethB', 'ip link set ethB up'),
                           ('--in ethA', '--out')):
            out = inside('ip link set ethB down; $BENCH %s || true' % words)
            self.assertIn(say, json.loads(out.splitlines()[-1])['error'])

    def test_killed(self):
        """No program stays on the interface, and no veth."""
        inside("""
        $BENCH --native --in ethA --out ethB --pairs 50 --programs =redirect_map >/dev/null &
        worker=$!
        tries=0
        until ip -d link show ethA | grep -q prog/xdp && ip link | grep -q xmb; do
            sleep 0.02; tries=$((tries + 1)); [ $tries -lt 2000 ]
        done
        kill -KILL $worker
        tries=0
        while ip -d link show ethA | grep -q prog/xdp || ip link | grep -q xmb; do
            sleep 0.02; tries=$((tries + 1)); [ $tries -lt 2000 ]
        done
        ip link show ethA | grep -qv ALLMULTI
        """)


class NothingLeft(unittest.TestCase):
    def killed(self, *words):
        # Programs that receivers run are held by their links, so they end with the namespaces.
        with Run(*words) as run:
            run.wait_progress(1)
            held = held_by(run.process.pid)
            self.assertTrue({kind for kind, _ in held} == {'prog', 'map'})
            run.process.send_signal(signal.SIGKILL)
            run.process.wait()
            until(lambda: not any(is_there(*one) for one in held), 'programs and maps are gone')

    def test_killed_throughput(self):
        self.killed('--native', *ONE, *LONG)
        self.killed('--generic', *ONE, *LONG)

    def test_killed_lpm(self):
        self.killed('lpm-trie-update', '--duration', '60')
        self.killed('lpm-trie-free', '--duration', '60')


class Reader(unittest.TestCase):
    def test_ends_when_nobody_reads(self):
        with Run('lpm-trie', '--duration', '30') as run:
            run.wait_progress()
            run.process.stdout.close()
            begin = time.monotonic()
            run.process.wait(20)
            self.assertLess(time.monotonic() - begin, 20)


if __name__ == '__main__':
    unittest.main(verbosity=2)
