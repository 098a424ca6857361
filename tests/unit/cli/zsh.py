#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: zsh.py DIRECTORY: an interactive zsh with the completions of DIRECTORY completes a verb and a
group when Tab is typed."""

import os
import pty
import select
import sys
import time

DEADLINE = 30


def typed(seen):
    """What stands there after all backspaces."""
    out = bytearray()
    for byte in seen:
        if byte == 8:
            del out[-1:]
        else:
            out.append(byte)
    return bytes(out)


def wait_for(fd, text, seen=b''):
    end = time.monotonic() + DEADLINE
    while text not in typed(seen) and time.monotonic() < end:
        if select.select([fd], [], [], 0.1)[0]:
            seen += os.read(fd, 65536)
    if text not in typed(seen):
        print('wrong: no', text, 'in', typed(seen)[-300:])
        sys.exit(1)


def main():
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update(TERM='dumb', PS1='ready> ')
        os.execvp('zsh', ['zsh', '-f', '-i'])
    os.write(fd, b'PS1="re""ady> "; fpath=(%s $fpath); autoload -Uz compinit; compinit -u -D; echo do""ne\n'
             % sys.argv[1].encode())
    wait_for(fd, b'done')
    os.write(fd, b'echo xmcastctl; xmcastctl del-g\t239.10.0.2\t')
    wait_for(fd, b'del-group 239.10.0.2')
    os.write(fd, b'\x15exit\n')
    os.close(fd)
    os.waitpid(pid, 0)


main()
