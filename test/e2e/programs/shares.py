# SPDX-License-Identifier: Apache-2.0
"""Spends known shares of its time in its functions, once it is told to begin; prints what each took, as JSON."""

import json
import socket
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


print("ready", flush=True)
sys.stdin.readline()
for each in (spin, rest, wait, receive):
    timed(each)
print(json.dumps(took), flush=True)
sys.stdin.readline()
