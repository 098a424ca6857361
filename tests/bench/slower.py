#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A copy of a program that a busy loop makes 10 % slower: at least 18 of 20 runs must find it.
usage: slower.py [RUNS]"""
import json
import os
import subprocess
import sys
import sysconfig
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from bench import cells, measure, verdict  # noqa: E402

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 20
TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..')
WORDS = ['--native', '--receivers', '2', '--programs', '=redirect_map_multi', '--duration', '1']
PLANT = 0.10
COUNT = 'static __always_inline void count(void)'
SPIN = '''static __always_inline void spin(void)
{
	for (int i = 0; i < SPINS; i++)
		asm volatile("" : "+r"(i));
}

'''


def build(directory, spins):
    """redirect_map_multi with so many turns of a busy loop."""
    with open(os.path.join(TOP, 'bpf/bench_reference.bpf.c')) as source:
        text = source.read()
    begin = text.index('SEC("xdp")\nint redirect_map(')
    end = text.index('SEC("xdp")\nint redirect_map_multi(')
    text = text[:begin] + text[end:]
    text = text.replace(COUNT, SPIN + COUNT).replace('\tcount();\n', '\tcount();\n\tspin();\n')
    path = os.path.join(directory, 'slow.bpf.c')
    with open(path, 'w') as out:
        out.write(text)
    output = path[:-1] + 'o'
    subprocess.run(['clang', '-g', '-O2', '-target', 'bpf', '-mcpu=v3', '-DSPINS=%d' % spins,
                    '-I', TOP, '-idirafter', '/usr/include/' + sysconfig.get_config_var('MULTIARCH'),
                    '-Wno-address-of-packed-member', '-c', path, '-o', output], check=True)
    return output


def compare(directory, pairs, program):
    path = os.path.join(directory, 'result.json')
    result = measure(*WORDS, '--pairs', str(pairs), 'program=' + program)
    for name in ('redirect_map_multi', 'slow'):
        cell, = cells(result, program=name, mode='native', receivers=2)
        if cell['state'] != 'ok':
            raise AssertionError('%s: %s' % (name, cell['reason']))
    with open(path, 'w') as out:
        json.dump(result, out)
    return verdict(path, 'redirect_map_multi/x2/native', 'slow/x2/native')


found = 0
ratios = []
with tempfile.TemporaryDirectory() as directory:
    # How many turns make it, by halves: a CPU hides the first ones behind its other work.
    few, many = 1, 400
    for _ in range(7):
        spins = (few + many) // 2
        _, ratio = compare(directory, 60, build(directory, spins))
        if ratio['median'] > 1 - PLANT:
            few = spins
        else:
            many = spins
    program = build(directory, spins)
    for run in range(RUNS):
        said, ratio = compare(directory, 40, program)
        found += said == 'slower'
        ratios.append(ratio['median'])
ratios.sort()
median = ratios[len(ratios) // 2]
print('%d of %d runs found the planted slow-down; ratio: median %.3f, busy loop of %d turns' %
      (found, RUNS, median, spins))
sys.exit(found < RUNS * 0.9 or abs(1 - PLANT - median) > PLANT / 3)
