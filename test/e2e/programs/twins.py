# SPDX-License-Identifier: Apache-2.0
"""twins.py MODEL [sandboxed]: runs the model until its standard input ends. For each line that it reads it forks a
child that runs the model as well; if sandboxed, under a seccomp filter that allows all calls. Prints "ready", "forked"
after the first run of a child, at the end "runs N failed 0" and "differ N"."""

import ctypes
import os
import select
import signal
import struct
import sys
import time

import ortprogram

NO_NEW_PRIVILEGES, SET_SECCOMP, ALLOW = 38, 22, (0x06, 0, 0, 0x7FFF0000)
feeds = ortprogram.feeds(sys.argv[1])
session = ortprogram.session(sys.argv[1])
expected = ortprogram.checksum(session.run(None, feeds))
counts = [0, 0]


def run():
    counts[0] += 1
    counts[1] += ortprogram.checksum(session.run(None, feeds)) != expected


def enter_sandbox():
    libc = ctypes.CDLL(None)
    code = ctypes.create_string_buffer(struct.pack("HBBI", *ALLOW))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", 1, ctypes.addressof(code)))
    assert libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0 and libc.prctl(SET_SECCOMP, 2, program, 0, 0) == 0


def child():
    signal.signal(signal.SIGTERM, lambda *_: os._exit(counts[1] != 0))
    if len(sys.argv) > 2:
        enter_sandbox()
    run()
    os.write(1, b"forked\n")
    while True:
        run()
        time.sleep(0.01)


children = []
print("ready", flush=True)
while True:
    if not select.select([0], [], [], 0.01)[0]:
        run()
    elif os.read(0, 1):
        children.append(os.fork())
        if not children[-1]:
            child()
    else:
        break
for pid in children:
    os.kill(pid, signal.SIGTERM)
    counts[1] += os.waitpid(pid, 0)[1] != 0
print("runs", counts[0], "failed 0\ndiffer", counts[1], flush=True)
