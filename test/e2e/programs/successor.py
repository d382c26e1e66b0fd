# SPDX-License-Identifier: Apache-2.0
"""successor.py MODEL: runs the model until it reads a line, then executes itself anew, until its standard input ends.
Prints "ready" the first time, "again" each later time. SUCCESSOR: the interpreter to execute."""

import os
import select
import sys

import ortprogram

session = ortprogram.session(sys.argv[1])
feeds = ortprogram.feeds(sys.argv[1])
print(sys.argv[2] if len(sys.argv) > 2 else "ready", flush=True)
while not select.select([0], [], [], 0.002)[0]:
    session.run(None, feeds)
if os.read(0, 1):
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    os.execv(os.environ.get("SUCCESSOR", sys.executable), [sys.executable, sys.argv[0], sys.argv[1], "again"])
print("runs 0 failed 0\ndiffer 0", flush=True)
