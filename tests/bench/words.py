#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What xmcast-bench says where it will not or cannot measure, and which kernel it met."""
import json
import os
import subprocess
import unittest

from bench import BENCH


def run(*words, without=''):
    """The last message, and the exit code; `without`: a capability that it lacks."""
    cut = ['setpriv', '--bounding-set=' + without, '--inh-caps=-all'] if without else []
    done = subprocess.run([*cut, BENCH, *words], stdout=subprocess.PIPE, text=True, timeout=60)
    return json.loads(done.stdout.splitlines()[-1]), done.returncode


class Words(unittest.TestCase):
    def test_a_free_that_takes_long_must_be_allowed(self):
        """Case 42, where 67 s is what was published for 100 million entries."""
        message, code = run('lpm-trie-free', '--nr-entries', '100000000')
        self.assertRegex(message['error'], 'about 67 s.*--allow-long-free')
        self.assertNotEqual(code, 0)

    def test_the_call_and_its_errno_are_named(self):
        """Case 5, not what the kernel might lack, but what was done and what came back."""
        message, code = run('lpm-trie-lookup', '--nr-entries', '10', without='-bpf,-sys_admin')
        self.assertRegex(message['error'], 'trie of 10 entries: Operation not permitted')
        self.assertNotEqual(code, 0)

    def test_the_namespace_is_named(self):
        """Case 40, an interface that is missing is mostly one of another network namespace."""
        message, code = run('--in', 'nosuch0', '--out', 'nosuch1')
        self.assertIn('--in nosuch0: there is no such interface in this network namespace, ' +
                      os.readlink('/proc/self/ns/net'), message['error'])
        self.assertNotEqual(code, 0)

    def test_which_trie_was_met(self):
        """Case 44, tries honour BPF_NOEXIST since 6.13; stable kernels may have got it, too."""
        message, _ = run('lpm-trie-noop', '--nr-entries', '10', '--duration', '0.05',
                         '--warmup', '0')
        trie = message['result']['environment']['lpm_trie']
        release = tuple(int(n) for n in os.uname().release.split('.')[:2])
        self.assertIn(trie['noexist'], ('honoured',) if release >= (6, 13) else ('honoured', 'ignored'))
        self.assertIn('kernel', message['result']['environment'])


unittest.main()
