# SPDX-License-Identifier: Apache-2.0
"""annotated.py MODEL LIBRARY FILE: runs a model until standard input ends; from the moment when FILE exists, inside
slices called "step", by libinftrace at LIBRARY. Prints like serve.py."""

import ctypes
import os
import sys
import threading
import time

import ortprogram

model, library, when = sys.argv[1:]
feeds = ortprogram.feeds(model)
session = ortprogram.session(model)
expected = ortprogram.checksum(session.run(None, feeds))
runs, differ, ended = 0, 0, threading.Event()
inftrace = step = None

print("ready", flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
while not ended.is_set():
    if not inftrace and os.path.exists(when):
        inftrace = ctypes.CDLL(library)
        inftrace.inftrace_intern.restype = ctypes.c_void_p
        step = ctypes.c_void_p(inftrace.inftrace_intern(b"step"))
    if inftrace:
        inftrace.inftrace_begin_on(step)
    differ += ortprogram.checksum(session.run(None, feeds)) != expected
    if inftrace:
        inftrace.inftrace_end_on(None)
    runs += 1
    time.sleep(0.001)
print("runs %d failed 0\ndiffer %d" % (runs, differ))
