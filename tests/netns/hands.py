#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""hands.py SOCKET IDL READ...: calls every method of the description as a user without any privilege:
those named READ are answered, every other one is refused for want of it. A method that the
description gains is a finding until somebody has decided on it."""
import os
import re
import sys

from talk import answer, call, connect

PATH, IDL, READ = sys.argv[1], sys.argv[2], sys.argv[3:]
NOBODY = 65534
methods = re.findall(r"^method (\w+)", open(IDL).read(), re.M)
assert set(READ) <= set(methods), set(READ) - set(methods)

os.setgroups([])
os.setresgid(NOBODY, NOBODY, NOBODY)
os.setresuid(NOBODY, NOBODY, NOBODY)
wrong = []
for method in methods:
    with connect(PATH) as s:
        s.sendall(call(method, more=True))
        reply = answer(s)
    error = reply.get("error", "answered")
    refused = error == "org.varlink.service.PermissionDenied"
    print(method, error)
    # A reading method may miss its parameters, but not the privilege.
    if refused == (method in READ):
        wrong.append(method)
assert not wrong, f"not as decided: {wrong}"
