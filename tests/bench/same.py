#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The same program twice, many times: at most 10 of 100 comparisons may claim a difference.
usage: same.py [RUNS]"""
import json
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bench import measure, verdict  # noqa: E402

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 100
WORDS = ['--native', '--receivers', '2', '--programs',
         '=redirect_map_multi,redirect_map_multi-again', '--pairs', '20', '--duration', '0.3']

claims = 0
widths = []
with tempfile.TemporaryDirectory() as directory:
    for run in range(RUNS):
        path = os.path.join(directory, 'result.json')
        with open(path, 'w') as out:
            json.dump(measure(*WORDS), out)
        said, ratio = verdict(path, 'redirect_map_multi/x2/native',
                              'redirect_map_multi-again/x2/native')
        claims += said != 'no difference detected'
        widths.append((ratio['high'] - ratio['low']) / 2)
widths.sort()
print('%d of %d comparisons of a program with itself claim a difference; half width of the '
      'interval: median %.3f' % (claims, RUNS, widths[len(widths) // 2]))
sys.exit(claims > RUNS / 10)
