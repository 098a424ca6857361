#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads OpenMetrics text from standard input and holds it against the specification (OpenMetrics
1.0) and the rules that `promtool check metrics` has for names. Arguments: names of families that
must be there, and FILE.json, a Grafana dashboard that may only ask for names that there are."""

import json
import re
import sys

SAMPLE = re.compile(r'^([a-z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (-?[0-9.]+(?:e[+-]?[0-9]+)?)$')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,|$)')
SUFFIXES = {'counter': ('_total',), 'gauge': ('',), 'info': ('_info',)}
# promtool: base units only, no type in a name, no metric called like a suffix of another type
NON_BASE = re.compile(r'_(milliseconds|microseconds|minutes|hours|days|kilobytes|megabytes|kibibytes|'
                      r'bits|percent|ms|us|kb|mb)(_|$)')
TYPE_IN_NAME = re.compile(r'_(counter|gauge|histogram|summary)(_|$)')
problems = []


def problem(line, text):
    problems.append(f'line {line}: {text}')


def labels_of(line, text):
    """The labels of a sample, checked."""
    found, at = {}, 0
    while at < len(text or ''):
        match = LABEL.match(text, at)
        if not match:
            problem(line, f'labels are malformed: {text}')
            return found
        if match[1] in found or match[1].startswith('__'):
            problem(line, f'label {match[1]} is reserved or there twice')
        found[match[1]] = match[2]
        at = match.end()
    return found


def check_name(line, name, kind):
    if not re.fullmatch(r'xmcast_[a-z][a-z0-9_]*', name):
        problem(line, f'{name} is not snake case with the prefix xmcast_')
    if NON_BASE.search(name) or TYPE_IN_NAME.search(name):
        problem(line, f'{name}: no base unit, or the type in the name')
    if name.endswith(('_total', '_info', '_count', '_sum', '_bucket')):
        problem(line, f'{name}: a family does not end so')
    if kind not in SUFFIXES:
        problem(line, f'{name} has type {kind}')


def check(lines):
    families, series, family = {}, set(), None
    for number, line in enumerate(lines, 1):
        if line.startswith('# TYPE '):
            name, kind = line[7:].split(' ')
            if name in families:
                problem(number, f'family {name} is there twice')
            families[name], family = {'type': kind, 'help': False, 'samples': 0}, name
            check_name(number, name, kind)
        elif line.startswith('# HELP '):
            name, text = line[7:].split(' ', 1)
            if name != family or families[name]['help'] or not text.endswith('.'):
                problem(number, f'HELP of {name} is misplaced, double, or no sentence')
            families[name]['help'] = True
        elif line == '# EOF':
            if number != len(lines):
                problem(number, 'something stands behind EOF')
        else:
            match = SAMPLE.match(line)
            if not match or family is None:
                problem(number, f'is no sample: {line}')
                continue
            kind = families[family]['type']
            if match[1] not in [family + suffix for suffix in SUFFIXES.get(kind, ())]:
                problem(number, f'{match[1]} is not of the family {family} ({kind})')
            if kind == 'counter' and float(match[3]) < 0:
                problem(number, f'the counter {match[1]} is negative')
            key = (match[1], tuple(sorted(labels_of(number, match[2]).items())))
            if key in series:
                problem(number, f'the series is there twice: {line}')
            series.add(key)
            families[family]['samples'] += 1
    if not lines or lines[-1] != '# EOF':
        problem(len(lines), 'the end is not # EOF')
    for name, facts in families.items():
        if not facts['help']:
            problem(0, f'{name} has no HELP')
    return families, {name for name, _ in series}


def main():
    text = sys.stdin.read()
    if not text.endswith('\n') or '\r' in text:
        problem(0, 'lines end with \\n')
    families, names = check(text.split('\n')[:-1])
    for wanted in sys.argv[1:]:
        if not wanted.endswith('.json'):
            if wanted not in families:
                problem(0, f'there is no family {wanted}')
            continue
        with open(wanted, encoding='utf-8') as file:
            asked = set(re.findall(r'xmcast_[a-z_]+', ' '.join(
                target['expr'] for panel in json.load(file)['panels'] for target in panel['targets'])))
        # what happened never has no series yet
        known = names | {name + '_total' for name in families}
        for name in sorted(asked - known):
            problem(0, f'{wanted} asks for {name}, which nobody exports')
        if len(asked) < 10:
            problem(0, f'{wanted} asks for hardly anything')
    print('\n'.join(problems) or f'{len(families)} families, {len(names)} names: good')
    return bool(problems)


sys.exit(main())
