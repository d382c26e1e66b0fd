# SPDX-License-Identifier: Apache-2.0
"""Spends known shares of its time in its functions, once it is told to begin; prints what each took, as JSON."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

took = {}


def timed(function):
    begin = time.perf_counter()
    function()
    took[function.__name__] = time.perf_counter() - begin


def spin():
    end = time.perf_counter() + 1.2
    while time.perf_counter() < end:
        pass


def rest():
    time.sleep(1.6)


def wait():
    lock = threading.Lock()
    lock.acquire()
    threading.Timer(0.8, lock.release).start()
    with lock:
        pass


def receive():
    one, other = socket.socketpair()
    threading.Timer(0.4, lambda: one.sendall(b"x")).start()
    other.recv(1)


def read():
    end, other = os.pipe()
    threading.Timer(0.6, lambda: os.write(other, b"x")).start()
    os.read(end, 1)


def share():
    """The GIL, with a thread that wants it all the time."""
    end = time.perf_counter() + 1
    other = threading.Thread(target=burn, args=(end,))
    other.start()
    while time.perf_counter() < end:
        pass
    other.join()


def burn(end):
    while time.perf_counter() < end:
        pass


def halt():
    """A child lets it go on."""
    child = subprocess.Popen(["sh", "-c", f"sleep 0.6; kill -CONT {os.getpid()}"])
    os.kill(os.getpid(), signal.SIGSTOP)
    child.wait()


print("ready", flush=True)
sys.stdin.readline()
for each in (spin, rest, wait, receive, read, share, halt):
    timed(each)
print(json.dumps(took), flush=True)
sys.stdin.readline()
