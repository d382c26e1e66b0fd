# SPDX-License-Identifier: Apache-2.0
"""requesting.py MODEL: requests that sleep and wait for a lock before their inference. Prints for how many seconds."""

import json
import sys
import threading
import time

import inftrace
import numpy
import onnxruntime

session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
(given,) = session.get_inputs()
inputs = {given.name: numpy.zeros([1 if isinstance(n, str) else n for n in given.shape], numpy.float32)}
lock, held, wanted = threading.Lock(), threading.Event(), threading.Event()


def hold():
    """Takes the lock, says so, and keeps it until 100 ms after somebody wants it."""
    while True:
        with lock:
            held.set()
            wanted.wait()
            wanted.clear()
            time.sleep(0.1)
        while held.is_set():
            time.sleep(0.001)


def nap(seconds):
    time.sleep(seconds)


def wait():
    held.wait()
    wanted.set()
    lock.acquire()
    held.clear()
    lock.release()


def timed(function, *args):
    began = time.monotonic()
    function(*args)
    return time.monotonic() - began


def handle(n):
    held.wait()
    began = time.monotonic()
    with inftrace.slice("handle"):
        slept = timed(nap, 0.6 if n == 7 else 0.1)
        waited = timed(wait)
        session.run(None, inputs)
    return {"wall": time.monotonic() - began, "nap": slept, "wait": waited}


threading.Thread(target=hold, daemon=True).start()
took = [handle(n) for n in range(10)]
print(json.dumps({"all": {key: sum(one[key] for one in took) for key in took[0]}, "slow": took[7]}))
