# SPDX-License-Identifier: Apache-2.0
"""no_models_later.py MODEL: serves with one session while others come and go; when a line is read, it makes a session
from bytes that are no model. Its other sessions are older than that."""

import sys
import threading

import onnxruntime

import ortprogram

feeds = ortprogram.feeds(sys.argv[1])
session, others = ortprogram.session(sys.argv[1]), [ortprogram.session(sys.argv[1]) for _ in range(3)]
expected = ortprogram.checksum(session.run(None, feeds))
account, ended, differ = ortprogram.Account(), threading.Event(), 0
print("ready", flush=True)


def follow():
    global others
    sys.stdin.readline()
    others.pop()
    try:
        onnxruntime.InferenceSession(b"no model" * 20, providers=["CPUExecutionProvider"])
    except Exception:
        others.pop()
    sys.stdin.read()
    ended.set()


follower = threading.Thread(target=follow)
follower.start()
while not ended.wait(0.005):
    differ += ortprogram.checksum(account.timed(session.run, None, feeds)) != expected
follower.join()
account.close()
print("differ", differ, flush=True)
