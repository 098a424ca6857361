#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""bench show and bench compare on files whose answer is known (cases 37, 38). usage: compare.py XMCASTCTL"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

XMCASTCTL = sys.argv.pop()


def cell(program, samples, topology='x2', mode='native', state='ok', **more):
    return {'label': 'v1', 'program': program, 'topology': topology, 'mode': mode, 'receivers': 2,
            'source': 'live', 'state': state, 'reason': '' if state == 'ok' else 'because',
            'counters': {'sent': 1, 'seen': 1, 'received': {'out1': 1}}, 'samples': samples, **more}


def throughput(*cells, frame_size=64, kernel='6.1'):
    return {'version': 1, 'kind': 'throughput', 'environment': {'kernel': kernel, 'cpu': 'C'},
            'seed': 1, 'partial': False, 'settings': {'pairs': 8, 'frame_size': frame_size},
            'cells': list(cells)}


def lpm(op, samples):
    return {'version': 1, 'kind': 'lpm-trie', 'environment': {}, 'settings': {},
            'results': [{'op': op, 'nr_entries': 10, 'prefix_len': 32, 'producers': 1,
                         'order': 'o', 'method': 'm', 'state': 'ok', 'reason': '',
                         'throughput_ops': {'mean': 2e6, 'sd': 1e5},
                         'latency_ns': {'mean': 500.0, 'sd': 25.0}, 'samples': samples}]}


SLOW = [1.00, 1.01, 1.02, 0.99, 1.00, 1.01, 0.98, 1.00]
FAST = [1.25 * x for x in SLOW]


class Bench(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()
        self.addCleanup(self.dir.cleanup)

    def file(self, name, value):
        path = os.path.join(self.dir.name, name)
        with open(path, 'w') as out:
            out.write(value if isinstance(value, str) else json.dumps(value))
        return path

    def run_(self, *words):
        done = subprocess.run([XMCASTCTL, 'bench', *words], capture_output=True, text=True,
                              env={**os.environ, 'XMCAST_SOCKET': '/nonexistent/socket'})
        return done.returncode, done.stdout, done.stderr

    def compare(self, *words):
        code, out, err = self.run_('compare', '--json', *words)
        self.assertEqual((code, err), (0, ''))
        return json.loads(out)['comparisons']

    def test_paired_in_one_file(self):
        # Sample i of both drifts alike; only in pairs it cancels.
        drift = [1, 3, 2, 5, 4, 8, 6, 7]
        path = self.file('a', throughput(cell('old', drift), cell('new', [1.5 * x for x in drift])))
        row, = self.compare(path + ':old/x2/native', path + ':new/x2/native')
        self.assertTrue(row['paired'])
        self.assertEqual(row['verdict'], 'faster')
        for key in ('median', 'low', 'high'):
            self.assertAlmostEqual(row['ratio'][key], 1.5)

    def test_blocks_without_a_sample_leave_their_pair(self):
        path = self.file('a', throughput(cell('old', [1, None, 3, 4, 5]),
                                         cell('new', [2, 90, 6, None, 10])))
        row, = self.compare(path + ':old', path + ':new')
        self.assertAlmostEqual(row['ratio']['low'], 2)
        self.assertAlmostEqual(row['ratio']['high'], 2)

    def test_unpaired_across_files(self):
        a = self.file('a', throughput(cell('p', SLOW)))
        b = self.file('b', throughput(cell('p', FAST), kernel='6.12'))
        row, = self.compare(a, b)
        self.assertFalse(row['paired'])
        self.assertEqual(row['verdict'], 'faster')
        self.assertAlmostEqual(row['ratio']['median'], 1.25)
        code, out, _ = self.run_('compare', b, a)
        self.assertEqual(code, 0)
        self.assertIn('slower', out)
        self.assertIn('Not paired', out)
        self.assertIn('environment differs: kernel: "6.12", then "6.1"', out)

    def test_no_difference(self):
        a = self.file('a', throughput(cell('p', SLOW)))
        b = self.file('b', throughput(cell('p', SLOW[4:] + [1.005, 1.0, 0.995, 1.01])))
        row, = self.compare(a, b)
        self.assertEqual(row['verdict'], 'no difference detected')

    def test_reused_samples_are_called_so(self):
        a = self.file('a', throughput(cell('p', SLOW)))
        b = self.file('b', throughput(cell('p', SLOW)))
        row, = self.compare(a, b)
        self.assertTrue(row['reused'])
        self.assertIn('reused', row['verdict'])

    def test_fail_below(self):
        a = self.file('a', throughput(cell('p', FAST)))
        b = self.file('b', throughput(cell('p', SLOW)))
        self.assertEqual(self.run_('compare', a, b, '--fail-below', '0.97')[0], 1)
        self.assertEqual(self.run_('compare', a, b, '--fail-below', '0.7')[0], 0)
        self.assertEqual(self.run_('compare', b, a, '--fail-below', '0.97')[0], 0)

    def test_not_comparable(self):
        good = self.file('good', throughput(cell('p', SLOW), cell('p', SLOW, topology='x4'),
                                            cell('bad', SLOW, state='invalid')))
        big = self.file('big', throughput(cell('p', SLOW), frame_size=1518))
        trie = self.file('trie', lpm('lookup', [1e6, 1.1e6]))
        for words, say in [((good + ':p/x2/native', good + ':p/x4/native'), 'topology'),
                           ((good + ':p/x2/native', good + ':bad'), 'invalid'),
                           ((good, big), 'frame_size'), ((good, trie), 'kind'),
                           ((good + ':p', good + ':p/x2'), 'write more'),
                           ((good + ':nothing', good), 'no row nothing'),
                           ((good, good + '.missing'), 'No such file')]:
            code, out, err = self.run_('compare', *words)
            self.assertEqual((code, out), (1, ''), words)
            self.assertIn(say, err)

    def test_damaged_files(self):
        """One clear line each, from show and from compare, whichever of the two it is."""
        good = self.file('good', throughput(cell('p', SLOW)))
        broken = throughput(cell('p', SLOW))
        broken['cells'].append(7)
        text = json.dumps(throughput(cell('p', SLOW)))
        for damaged, say in [
                ('', 'not a result'), ('{', 'line 1'), ('{}', 'not a result'), ('[]', 'not a result'),
                ('\x7fELF\x02\x01', 'not a result'), (text[:len(text) // 2], 'damaged: line 1'),
                ('{"version": 2, "kind": "throughput", "cells": []}', 'version is 2'),
                ('{"version": 1, "kind": "dinner", "cells": []}', 'dinner'),
                ('{"version": 1, "kind": "throughput"}', 'damaged'),
                ('{"version": 1, "kind": "lpm-trie", "cells": []}', 'no results'),
                (json.dumps(broken), 'row 2'),
                (json.dumps(throughput(cell('p', ['1.0']))), 'row 1'),
                (json.dumps(throughput(cell('p', [-1.0]))), 'row 1'),
                (json.dumps(throughput(cell('p', SLOW, state='fine'))), 'row 1'),
                (json.dumps({**throughput(), 'cells': [{'state': 'ok'}]}), 'row 1')]:
            path = self.file('damaged', damaged)
            for words in (['show', path], ['compare', path, good], ['compare', good, path]):
                code, out, err = self.run_(*words)
                self.assertEqual((code, out, err.count('\n')), (1, '', 1), (words, damaged, err))
                self.assertIn(say, err)
                self.assertIn(path, err)
        for path in (self.dir.name, self.dir.name + '/nothing'):
            code, _, err = self.run_('show', path)
            self.assertEqual((code, err.count('\n')), (1, 1))
            self.assertIn(path, err)

    def test_show(self):
        path = self.file('a', throughput(
            cell('p', [2.0] * 8), cell('p', [0.5] * 8, mode='generic'),
            cell('p-again', [2.0] * 8), cell('q', [], state='invalid')))
        code, out, _ = self.run_('show', path)
        self.assertEqual(code, 0)
        self.assertRegex(out, r'v1\s+p\s+x2\s+2\.000 \+- 0\.000\s+0\.500 \+- 0\.000\n')
        self.assertRegex(out, r'q\s+x2\s+invalid')
        self.assertIn('invalid: q/x2/native: because', out)
        self.assertIn('noise: p x2 native against itself: ratio 1.000', out)
        code, out, _ = self.run_('show', '--csv', path)
        self.assertIn('"v1",p,x2,native,live,ok,2,2,2\n', out)
        self.assertIn('"v1",q,x2,native,live,invalid,,,\n', out)
        code, out, _ = self.run_('show', '--markdown', path)
        self.assertIn('| v1 | p | x2 | 2.000 +- 0.000 | 0.500 +- 0.000 |\n', out)
        code, out, _ = self.run_('show', '--json', path)
        self.assertEqual(json.loads(out)['cells'][0]['mpps'],
                         {'median': 2.0, 'low': 2.0, 'high': 2.0})

    def test_show_lpm(self):
        path = self.file('a', lpm('lookup', [2e6]))
        code, out, _ = self.run_('show', path)
        self.assertEqual(code, 0)
        self.assertRegex(out, r'lpm-trie-lookup\s+10\s+32\s+1\s+2\.000 \+- 0\.100 M\s+2\.000 \+- 0\.100 M\s+'
                              r'500\.0 ns \+- 25\.00 ns')
        path = self.file('b', lpm('free', [500.0]))
        self.assertIn('K', self.run_('show', path)[1])

    def test_usage(self):
        for words in (['compare'], ['compare', 'a'], ['show'], ['show', 'a', 'b'],
                      ['show', '--bogus', 'a']):
            self.assertEqual(self.run_(*words)[0], 2, words)

    def test_daemon_is_needed_to_measure_only(self):
        self.assertEqual(self.run_('--quick')[0], 3)


if __name__ == '__main__':
    unittest.main()
