# SPDX-License-Identifier: Apache-2.0
"""Spends known time in known lines, one function for each kind, and prints how long each took, as JSON."""

import json
import os
import signal
import socket
import subprocess
import threading
import time


def timed(function):
    def run():
        begin = time.perf_counter()
        function()
        took[function.__name__] = time.perf_counter() - begin

    run()
    return function


took = {}
lock = threading.Lock()


@timed
def spin():
    end = time.perf_counter() + 0.6
    while time.perf_counter() < end:
        pass


class Sleeper:
    def sleep(self):
        time.sleep(0.4)


@timed
def sleeps():
    Sleeper().sleep()


@timed
def waits_for_lock():
    holder = threading.Thread(target=lambda: (lock.acquire(), time.sleep(0.5), lock.release()), name="holder")
    holder.start()
    while not lock.locked():
        time.sleep(0.001)
    with lock:
        pass
    holder.join()


@timed
def waits_for_socket():
    server = socket.create_server(("127.0.0.1", 0))
    took["port"] = server.getsockname()[1]
    client = socket.create_connection(server.getsockname())
    peer, _ = server.accept()
    threading.Timer(0.5, lambda: peer.sendall(b"x")).start()
    client.recv(1)


@timed
def reads_pipe():
    child = subprocess.Popen(["sleep", "0.4"], stdout=subprocess.PIPE)
    os.read(child.stdout.fileno(), 1)
    child.wait()


def burn(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


@timed
def fights_for_gil():
    other = threading.Thread(target=burn, args=(1.0,), name="burner")
    other.start()
    burn(1.0)
    other.join()


@timed
def is_stopped():
    subprocess.Popen(["sh", "-c", f"sleep 0.4; kill -CONT {os.getpid()}"])
    os.kill(os.getpid(), signal.SIGSTOP)


def deep(n):
    return deep(n - 1) if n else burn(0.2)


@timed
def recurses():
    deep(800)


took["pid"] = os.getpid()
print(json.dumps(took))
