#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""soak.py BUILD [minutes]: whether `inftrace watch` grows while programs come and go (60 minutes by default).

16 programs at a time run 25 inferences a second each and live for 2 to 20 s, under ever new names of models; now and
then one of them is a new interpreter instead of a copy. A receiver of OTLP is shut, so that its spool is full from the
first minutes on. Prints a line a minute, and what the second half comes to in an hour. Needs root."""

import mmap
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request

import runtime

PROGRAMS, RATE, NAMES = 16, 25, 3000
CHILD = "soaked_by_bench.py"


def work(model, counter, slot, seconds):
    import numpy as np
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    shapes = {i.name: [d if isinstance(d, int) else 1 for d in i.shape] for i in session.get_inputs()}
    feed = {name: np.ones(shape, np.float32) for name, shape in shapes.items()}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        session.run(None, feed)
        counter[slot] += 1
        time.sleep(1 / RATE)


def churn(models, shared):
    """Starts programs for ever; the memory has how many inferences all have run."""
    import onnxruntime  # noqa: F401, so that copies have it

    with open(shared, "r+b") as file:
        counter = memoryview(mmap.mmap(file.fileno(), 8 * (PROGRAMS + 1))).cast("Q")
    pids, number = {}, 0
    while True:
        for slot in range(PROGRAMS):
            if slot in pids.values():
                continue
            number += 1
            model = os.path.join(models, "model-%d.onnx" % (number % NAMES))
            if not os.path.exists(model):
                os.link(os.path.join(models, "tiny.onnx"), model)
            seconds = str(random.uniform(2, 20))
            pid = os.fork()
            if not pid:
                if number % 50 == 0:
                    os.execv(sys.executable, [sys.executable, __file__, "--work", model, shared, str(slot), seconds])
                work(model, counter, slot, float(seconds))
                os._exit(0)
            pids[pid] = slot
        pid, _ = os.wait()
        slot = pids.pop(pid)
        counter[PROGRAMS] += counter[slot]
        counter[slot] = 0


def state_of(pids):
    """CPU time in s, resident KiB, descriptors, links of BPF."""
    cpu = resident = fds = links = 0
    for pid in pids:
        with open("/proc/%d/schedstat" % pid) as file:
            cpu += int(file.read().split()[0]) / 1e9
        with open("/proc/%d/status" % pid) as file:
            resident += int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])
        for name in os.listdir("/proc/%d/fd" % pid):
            try:
                what = os.readlink("/proc/%d/fd/%s" % (pid, name))
            except FileNotFoundError:
                continue
            fds += 1
            links += "bpf" in what and "link" in what
    return cpu, resident, fds, links


def value(page, name):
    return sum(float(text) for text in re.findall(r"^%s(?:{[^\n]*})? (\S+)$" % name, page, re.M))


def slope(points):
    """Of (time, value), by least squares."""
    n, mean_x, mean_y = len(points), sum(p[0] for p in points) / len(points), sum(p[1] for p in points) / len(points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if n > 1 and spread else 0


def main(build, minutes):
    folder = tempfile.mkdtemp(prefix="inftrace-soak-")
    ort, shared = runtime.Runtime(build), os.path.join(folder, "counts")
    with open(shared, "wb") as file:
        file.write(bytes(8 * (PROGRAMS + 1)))
    ort.model(folder, "tiny")
    script = os.path.join(folder, CHILD)
    shutil.copy(__file__, script)
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        port, shut = one.getsockname()[1], other.getsockname()[1]
    words = [os.path.join(build, "inftrace"), "watch", "--name", CHILD, "--metrics", str(port), "--max-series", "300"]
    words += ["--lines", os.path.join(folder, "lines"), "--lines-size", "4M", "--spool", folder, "--spool-size", "2M"]
    watch = subprocess.Popen([*words, "--otlp", "http://127.0.0.1:%d" % shut], stdout=subprocess.DEVNULL)
    here = os.path.dirname(os.path.abspath(__file__))
    programs = subprocess.Popen([ort.python, script, "--churn", folder, shared], env={**os.environ, "PYTHONPATH": here})
    points, began, before = [], time.monotonic(), None
    try:
        for minute in range(1, minutes + 1):
            time.sleep(max(0, began + 60 * minute - time.monotonic()))
            with open("/proc/%d/task/%d/children" % (watch.pid, watch.pid)) as file:
                pids = [watch.pid, *map(int, file.read().split())]
            own, all_ = state_of(pids[:1]), state_of(pids)
            with urllib.request.urlopen("http://127.0.0.1:%d/metrics" % port) as answer:
                page = answer.read().decode()
            with open(shared, "rb") as file:
                ran = sum(struct.unpack("%dQ" % (PROGRAMS + 1), file.read()))
            now = time.monotonic()
            cpu = 100 * (own[0] - before[0]) / (now - before[1]) if before else 0
            before = own[0], now
            points.append((now / 3600, own[1], all_[1], all_[2], own[3], cpu))
            print(
                "%3d min: %.2f %% of a core, %.1f MiB (%.1f with children), %d descriptors, %d links; %d series, "
                "%d lost; %d inferences of %d"
                % (
                    *(minute, cpu, own[1] / 1024, all_[1] / 1024, all_[2], own[3]),
                    value(page, "inftrace_watch_series"),
                    value(page, "inftrace_watch_events_lost_total"),
                    value(page, "inftrace_inference_duration_seconds_count"),
                    ran,
                ),
                flush=True,
            )
        half = points[len(points) // 2 :]
        names = ("KiB", "KiB with children", "descriptors", "links", "% of a core")
        growth = ("%+.1f %s" % (slope([(p[0], p[i + 1]) for p in half]), name) for i, name in enumerate(names))
        print("an hour, as the second half was: " + ", ".join(growth))
    finally:
        programs.send_signal(signal.SIGTERM)
        watch.send_signal(signal.SIGINT)
        programs.wait()
        watch.wait()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    if sys.argv[1] == "--churn":
        signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
        churn(*sys.argv[2:])
    elif sys.argv[1] == "--work":
        with open(sys.argv[3], "r+b") as file:
            slots = memoryview(mmap.mmap(file.fileno(), 8 * (PROGRAMS + 1))).cast("Q")
        work(sys.argv[2], slots, int(sys.argv[4]), float(sys.argv[5]))
    else:
        main(os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 60)
