#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The whole table: under 5 minutes, --quick under 40 s, and no cell is invalid; one to
eight members (case 39)."""
import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bench import measure  # noqa: E402

failed = False
for words, most in (['--quick'], 40), ([], 300):
    begin = time.monotonic()
    result = measure(*words)
    seconds = time.monotonic() - begin
    bad = [c for c in result['cells'] if c['state'] == 'invalid']
    measured = [c for c in result['cells'] if c['state'] == 'ok']
    print('%s: %d cells in %.0f s (bar: %d s), %d invalid' %
          (' '.join(words) or 'the whole table', len(measured), seconds, most, len(bad)))
    for cell in bad:
        print('  %s/%s/%s: %s' % (cell['program'], cell['topology'], cell['mode'], cell['reason']))
    failed = failed or bad or not measured or seconds > most
sys.exit(bool(failed))
