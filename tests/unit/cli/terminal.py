#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""xmcastctl on a terminal of 80 columns and 24 lines: top refreshes in place and obeys keys; colours
are there, and with NO_COLOR are not."""

import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

DEADLINE = 20


def run(words, keys=b'', until=b'', **environment):
    """What the program writes to its terminal; `keys` are typed once `until` was seen. Its exit code."""
    pid, fd = pty.fork()
    if pid == 0:
        os.environ.update({'TERM': 'xterm', **environment})
        os.execvp('xmcastctl', ['xmcastctl', *words])
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
    written, end = b'', time.monotonic() + DEADLINE
    while time.monotonic() < end:
        if keys and until in written:
            os.write(fd, keys)
            keys = b''
        if not select.select([fd], [], [], 0.1)[0]:
            continue
        try:
            more = os.read(fd, 65536)
        except OSError:
            break
        if not more:
            break
        written += more
    else:
        os.kill(pid, 9)
    return written, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def expect(what, condition):
    if not condition:
        print('wrong:', what)
        sys.exit(1)


def main():
    os.environ.pop('NO_COLOR', None)
    screen, code = run(['top', '--interval', '0.2'], b'q', b'GROUP')
    expect('q ends top', code == 0)
    expect('it uses the terminal', b'\x1b[' in screen and b'239.10.0.1 from eth0' in screen)
    screen, code = run(['top', '--interval', '0.2', '--count', '8'], b'n', b'by frames')
    expect('a key sorts', b'by frames' in screen and b'name' in screen and code == 0)
    coloured, code = run(['doctor'])
    expect('colours on a terminal', b'\x1b[31mproblem' in coloured and code == 2)
    plain, _ = run(['doctor'], NO_COLOR='1')
    expect('none with NO_COLOR', b'\x1b' not in plain and b'problem' in plain)
    plain, _ = run(['doctor'], TERM='dumb')
    expect('none on a dumb terminal', b'\x1b' not in plain and b'problem' in plain)


main()
