# SPDX-License-Identifier: GPL-2.0-or-later
"""The control socket, as tests speak to it: one message at a time, and also such as no client sends."""
import json
import socket

CONTROL = "io.xmcast.Control."


def connect(path):
    s = socket.socket(socket.AF_UNIX)
    s.connect(path)  # without a timeout yet: waits while the daemon has many to accept
    s.settimeout(30)
    return s


def call(method, more=False, **parameters):
    """The message that calls a method of ours, or of another interface by its whole name."""
    name = method if "." in method else CONTROL + method
    return json.dumps({"method": name, "more": more, "parameters": parameters}).encode() + b"\0"


def answer(s):
    """The next message; None when the daemon closed."""
    data = b""
    while not data.endswith(b"\0"):
        try:
            piece = s.recv(65536)
        except ConnectionError:
            return None
        if not piece:
            return None
        data += piece
    return json.loads(data.split(b"\0")[0])


def ask(path, method, **parameters):
    """The answer's parameters; None when nobody answers or it is an error."""
    try:
        with connect(path) as s:
            s.sendall(call(method, **parameters))
            reply = answer(s)
    except OSError:
        return None
    return reply.get("parameters") if reply and "error" not in reply else None
