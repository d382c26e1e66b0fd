# SPDX-License-Identifier: Apache-2.0
"""sandboxed.py WHAT MODEL: runs a model in a thread until its standard input ends, under a seccomp filter.

WHAT: nothing (allows all calls), threads (refuses new threads with EPERM), libraries (refuses executable memory with
EPERM), death (kills instead), thread (allows all, and applies to an idle thread alone). Prints "ready", at the end
"runs N failed 0" and "differ N"."""

import ctypes
import os
import struct
import sys
import threading

import ortprogram

NUMBER, ARGUMENT_2 = (0x20, 0, 0, 0), (0x20, 0, 0, 32)
ALLOW, REFUSE, KILL = (0x06, 0, 0, 0x7FFF0000), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x80000000)
CLONE, CLONE3, MMAP, SECCOMP, TSYNC, PR_SET_NO_NEW_PRIVS = 56, 435, 9, 317, 1, 38
FILTERS = {
    "nothing": [ALLOW],
    "threads": [NUMBER, (0x15, 1, 0, CLONE), (0x15, 0, 1, CLONE3), REFUSE, ALLOW],
    "libraries": [NUMBER, (0x15, 0, 3, MMAP), ARGUMENT_2, (0x45, 0, 1, 4), REFUSE, ALLOW],
    "thread": [ALLOW],
    "death": [NUMBER, (0x15, 1, 0, CLONE), (0x15, 0, 1, CLONE3), KILL, ALLOW],
}


def enter(lines):
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in lines))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(lines), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    whose = 0 if sys.argv[1] == "thread" else TSYNC
    assert libc.syscall(SECCOMP, 1, whose, program) == 0, os.strerror(ctypes.get_errno())


feeds = ortprogram.feeds(sys.argv[2])
session = ortprogram.session(sys.argv[2])
expected = ortprogram.checksum(session.run(None, feeds))
ended, counts = threading.Event(), [0, 0]


def work():
    while not ended.wait(0.005):
        counts[0] += 1
        counts[1] += ortprogram.checksum(session.run(None, feeds)) != expected


thread = threading.Thread(target=work)
thread.start()
if sys.argv[1] == "thread":
    entered = threading.Event()
    idle = threading.Thread(target=lambda: (enter(FILTERS["thread"]), entered.set(), ended.wait()))
    idle.start()
    entered.wait()
else:
    enter(FILTERS[sys.argv[1]])
print("ready", flush=True)
sys.stdin.read()
ended.set()
thread.join()
print("runs", counts[0], "failed 0")
print("differ", counts[1], flush=True)
