#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's packet generator as a source, native and generic. For machines that have it."""
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bench import cells, measure  # noqa: E402

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
        self.assertEqual({c['state'] for c in result['cells'] if c['receivers']}, {'ok'})
        self.assertEqual({c['source'] for c in cells(result, mode='generic', receivers=1)},
                         {'pktgen' if UNSHARES else 'packet'})
        self.assertEqual({c['source'] for c in cells(result, mode='native', receivers=1)},
                         {'live'})


if __name__ == '__main__':
    subprocess.run('modprobe pktgen || busybox modprobe pktgen', shell=True, capture_output=True)
    if not os.path.exists('/proc/net/pktgen/pgctrl'):
        print('1..0 # SKIP this kernel has no pktgen')
        sys.exit(0)
    unittest.main(verbosity=2)
