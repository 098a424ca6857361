#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What libxdp's dispatcher costs, where it works; elsewhere why it does not. And how lpm-trie-free is
timed: by fentry where the kernel allows that."""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bench import XMCASTCTL, cells, measure  # noqa: E402

MUST_WORK = os.environ.get('XM_IN_VM')  # Debian's kernels allow extensions
PINS = '/sys/fs/bpf/xdp'


def pins():
    return sorted(os.listdir(PINS)) if os.path.exists(PINS) else []


class Dispatcher(unittest.TestCase):
    def test_price(self):
        before = pins()
        result = measure('--programs', '=xmcast-fold,=xmcast-fold-dispatcher', '--receivers', '1',
                         '--pairs', '3', '--duration', '0.04')
        self.assertEqual(pins(), before)
        found = cells(result, program='xmcast-fold-dispatcher')
        self.assertEqual([c['topology'] for c in found], ['x1', 'x1'])
        for cell in found:
            if MUST_WORK or cell['state'] != 'empty':
                self.assertEqual((cell['state'], cell['reason']), ('ok', ''))
                self.assertEqual(cell['counters']['seen'], cell['counters']['sent'])
            else:
                self.assertRegex(cell['reason'], "^needs libxdp's dispatcher: .+")
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            json.dump(result, file)
            file.flush()
            out = subprocess.run([XMCASTCTL, 'bench', 'show', file.name], check=True, text=True,
                                 capture_output=True).stdout
        print(out)
        for cell in found:
            self.assertRegex(out, r"dispatcher: xmcast-fold x1 %s behind libxdp's.*: ratio"
                             % cell['mode'] if cell['state'] == 'ok' else "needs libxdp's")

    def free(self, *words):
        """Milliseconds, the least since other work only adds, and how they were measured."""
        row, = measure('lpm-trie-free', '--duration', '1', '--warmup', '0', *words)['results']
        self.assertEqual(row['state'], 'ok')
        return 1000 / max(row['samples']), row['method']

    def agree(self, told):
        by_fentry, by_tracepoints = map(min, told.values())
        return abs(math.log(by_fentry / by_tracepoints)) < math.log(1.5)

    def test_free(self):
        """Both methods time the same: the order of turns is that of a pair and its mirror. Other work
        only adds, so that the least of more and more readings come together; or never do."""
        told = {}
        for _ in range(8 if os.environ.get('XM_IN_VM') else 1):
            for words in ((), ('--tracepoints',), ('--tracepoints',), ()):
                ms, method = self.free(*words)
                told.setdefault(method, []).append(ms)
            if len(told) != 2 or self.agree(told):
                break
        for method, readings in told.items():
            print('# free of 10,000 entries, by %s: %s ms' %
                  (method, ' and '.join('%.2f' % ms for ms in readings)), flush=True)
        if os.environ.get('XM_IN_VM'):
            self.assertEqual(len(told), 2, told)
            self.assertIn('fentry', next(iter(told)))
            self.assertTrue(self.agree(told), told)
        else:
            self.assertTrue(all('bpf_map_free_deferred' in method for method in told))


if __name__ == '__main__':
    unittest.main(verbosity=2)
