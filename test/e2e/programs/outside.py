# SPDX-License-Identifier: Apache-2.0
"""Does something else for a known time before each inference: one function for each kind of thing. Prints how long each
took, as JSON. outside.py MODEL"""

import collections
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import onnxruntime

picture = np.zeros((64, 64), np.float32)
lock = threading.Lock()
server = socket.create_server(("127.0.0.1", 0))


def scale():
    end = time.perf_counter() + 1.0
    while time.perf_counter() < end:
        np.kron(picture, np.ones((8, 8), np.float32))


def serve():
    connection, _ = server.accept()
    time.sleep(0.8)
    connection.sendall(b"x")
    connection.close()


def fetch():
    thread = threading.Thread(target=serve)
    thread.start()
    with socket.create_connection(server.getsockname()) as connection:
        connection.recv(1)
    thread.join()


def keep(is_held):
    with lock:
        is_held.set()
        time.sleep(0.8)


def wait():
    is_held = threading.Event()
    thread = threading.Thread(target=keep, args=(is_held,))
    thread.start()
    is_held.wait()
    with lock:
        pass
    thread.join()


def burn(is_over):
    n = 0
    while not is_over:
        n += 1


def step():
    is_over = []
    thread = threading.Thread(target=burn, args=(is_over,))
    thread.start()
    end = time.perf_counter() + 0.6
    while time.perf_counter() < end:
        sum(range(1000))
    is_over.append(True)
    thread.join()


def nap():
    time.sleep(0.3)


def stop():
    waker = subprocess.Popen(["sh", "-c", f"sleep 0.5; kill -CONT {os.getpid()}"])
    os.kill(os.getpid(), signal.SIGSTOP)
    waker.wait()


session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
feed = {
    one.name: np.zeros([d if isinstance(d, int) else 1 for d in one.shape], np.float32) for one in session.get_inputs()
}
session.run(None, feed)
took = collections.defaultdict(float, port=server.getsockname()[1])
# what happens once is no finding
for function in (scale, *(fetch, wait, step) * 4, nap, stop):
    begin = time.perf_counter()
    function()
    took[function.__name__] += time.perf_counter() - begin
    session.run(None, feed)
print(json.dumps(took))
