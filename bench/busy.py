#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""busy.py BUILD [--busy N] [--cycles N] [--window S] [--work MS] [--threads N] [--ways WORD,...]: what recording
changes in the times that a program measures itself, on a busy machine.

N programs that compute run beside a program of ONNX Runtime that takes the time around each `run`. Windows with and
without recording alternate: each cycle has one of each way, in a random order. In the ways with `record` each window is
a program of its own. "control" is a second window without recording: what differs there differs by chance. The brackets
contain 95 % of the figures of cycles that are drawn again.

By hand: it takes ten minutes, and another program that wakes up now and then disturbs it. `taskset -c 1 nice -n -20` in
front of it keeps others away: then all of it, the recorder included, shares one CPU. An inference whose time is half a
tick of the kernel loses its CPU every second time: its median is any time between the two, also without recording."""

import argparse
import array
import contextlib
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import time

import players
import runtime

RUNNING = ("plain", "control", "inject-inference", "inject-operator", "attach-inference", "attach-operator")
STARTED = ("fresh", "record-inference", "record-operator")
SETTLE_S, PAUSE_S, DRAWS = 0.5, 0.5, 500

MAKER = """
import sys
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper

noise = np.random.default_rng(3)
nodes, weights, last = [], [], "x"
for i in range(12):
    weights.append(numpy_helper.from_array(noise.standard_normal((256, 256)).astype(np.float32) / 16, f"w{i}"))
    nodes.append(helper.make_node("MatMul", [last, f"w{i}"], [f"m{i}"], name=f"/layer{i}/MatMul"))
    nodes.append(helper.make_node("Relu", [f"m{i}"], [f"r{i}"], name=f"/layer{i}/Relu"))
    last = f"r{i}"
x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, ["rows", 256]) for n in ("x", last))
model = helper.make_model(helper.make_graph(nodes, "layers", [x], [y], weights),
                          opset_imports=[helper.make_opsetid("", 13)])
model.ir_version = 7
onnx.save(model, sys.argv[1])
"""

# argv: MODEL THREADS, then CPU milliseconds of an inference: prints the rows that take them;
# or rows, a file, and seconds: writes pairs of nanoseconds of CLOCK_MONOTONIC, the begin and the end of each inference
CALLER = """
import array, sys, time
import numpy as np, onnxruntime

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = int(sys.argv[2])
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])

def feeds(rows):
    return {"x": np.ones((rows, 256), np.float32)}

def cpu_ms(rows):
    took = []
    for _ in range(15):
        began = time.process_time_ns()
        session.run(None, feeds(rows))
        took.append(time.process_time_ns() - began)
    return sorted(took)[7] / 1e6

if len(sys.argv) == 4:
    rows, wanted = 8, float(sys.argv[3])
    while cpu_ms(rows) < wanted:
        rows += max(1, rows // 16)
    print(rows)
    sys.exit()
x, now, times, until = feeds(int(sys.argv[3])), time.monotonic_ns, array.array("q"), float(sys.argv[5])
with open(sys.argv[4], "wb") as file:
    end = now() + int(until * 1e9)
    while now() < end:
        began = now()
        session.run(None, x)
        times.extend((began, now()))
        if len(times) >= 128:
            file.write(times)
            file.flush()
            times = array.array("q")
    file.write(times)
"""


def times_of(path, since=0, until=1 << 62):
    """Nanoseconds of each inference that began and ended in between."""
    pairs = array.array("q")
    with open(path, "rb") as file:
        data = file.read()
    pairs.frombytes(data[: len(data) // 16 * 16])
    return [end - began for began, end in zip(pairs[::2], pairs[1::2]) if since <= began and end <= until]


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.inftrace = os.path.join(options.build, "inftrace")
        self.runtime = runtime.Runtime(options.build)
        self.model, self.times = os.path.join(folder, "layers.onnx"), os.path.join(folder, "times")
        subprocess.run([self.runtime.python, "-c", MAKER, self.model], check=True)
        made = subprocess.run(self.caller(options.work), check=True, stdout=subprocess.PIPE, text=True)
        self.rows = made.stdout.strip()
        self.running = None

    def caller(self, *words):
        return [self.runtime.python, "-c", CALLER, self.model, str(self.options.threads), *map(str, words)]

    def ours(self, *words):
        output = os.path.join(self.folder, "r.pftrace")
        return [self.inftrace, words[0], "--quiet", "--force", "-o", output, *words[1:]]

    def recorded_window(self, *words):
        """The times while `attach` records: from its first event until it ends."""
        progress = os.path.join(self.folder, "progress")
        length = str(self.options.window + SETTLE_S)
        command = self.ours("attach", "--duration", length + "s", "--progress", progress, *words)
        recorder = subprocess.Popen([*command, str(self.running.pid)])
        while recorder.poll() is None and not self.has_begun(progress):
            time.sleep(0.05)
        since = time.monotonic_ns() + int(SETTLE_S * 1e9)
        until = since + int(self.options.window * 1e9)
        if recorder.wait():
            sys.exit(f"{' '.join(command)}: status {recorder.returncode}")
        os.unlink(progress)
        return since, min(until, time.monotonic_ns())

    @staticmethod
    def has_begun(progress):
        try:
            with open(progress) as file:
                return any(json.loads(line).get("inferences") for line in file if line.endswith("\n"))
        except OSError:
            return False

    def window(self, way):
        if way in STARTED:
            seconds = self.options.window
            level = ["-l", way.removeprefix("record-"), "--"]
            around = [] if way == "fresh" else self.ours("record", *level)
            subprocess.run([*around, *self.caller(self.rows, self.times + "-fresh", seconds)], check=True)
            return times_of(self.times + "-fresh")
        if way in ("plain", "control"):
            since = time.monotonic_ns()
            time.sleep(self.options.window)
            until = time.monotonic_ns()
        else:
            how, level = way.split("-")
            since, until = self.recorded_window("-l", level, *(["--inject"] if how == "inject" else []))
        time.sleep(PAUSE_S)
        return times_of(self.times, since, until)

    def cycles(self):
        """[{way: times of its window}]"""
        ways, found = self.options.ways.split(","), []
        if set(ways) & set(RUNNING):
            self.running = subprocess.Popen(self.caller(self.rows, self.times, 1e6))
            while not os.path.exists(self.times) or not os.path.getsize(self.times):
                time.sleep(0.1)
        for i in range(self.options.cycles):
            found.append({way: self.window(way) for way in random.sample(ways, len(ways))})
            print(f"\r{i + 1} of {self.options.cycles} cycles", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        return found

    def close(self):
        if self.running:
            self.running.kill()
            self.running.wait()


def together(cycles, way):
    return [one for cycle in cycles for one in cycle[way]]


def change(of):
    """Percent by which a figure of all times of a way differs."""
    return lambda cycles, way, base: 100 * (of(together(cycles, way)) / of(together(cycles, base)) - 1)


def lost(times):
    """The percentage that took three times as long as the fastest tenth: they lost the CPU."""
    limit = 3 * sorted(times)[len(times) // 10]
    return 100 * sum(one > limit for one in times) / len(times)


def in_pairs(cycles, way, base):
    """Percent: the median over cycles of the ratio of the medians of two windows."""
    ratios = [statistics.median(cycle[way]) / statistics.median(cycle[base]) for cycle in cycles]
    return 100 * (statistics.median(ratios) - 1)


FIGURES = {
    "median": change(statistics.median),
    "median, in pairs": in_pairs,
    "mean": change(statistics.fmean),
    "lost the CPU": lambda cycles, way, base: lost(together(cycles, way)) - lost(together(cycles, base)),
}


def drawn(figure, cycles, way, base):
    """The figure, and the interval of 95 % of those of cycles drawn again."""
    draws = sorted(figure([random.choice(cycles) for _ in cycles], way, base) for _ in range(DRAWS))
    return figure(cycles, way, base), draws[DRAWS // 40], draws[-DRAWS // 40 - 1]


def put(options, cycles):
    for way in options.ways.split(","):
        times = together(cycles, way)
        usual, mean = statistics.median(times) / 1e6, statistics.fmean(times) / 1e6
        print(f"{way}: {len(times)} inferences, median {usual:.2f} ms, mean {mean:.2f}, lost {lost(times):.1f} %")
        base = "fresh" if way in STARTED else "plain"
        if way == base:
            continue
        for name, figure in FIGURES.items():
            low = drawn(figure, cycles, way, base)
            players.row(f"busy: {way}, {name}", low, "%", 5 if name.startswith("median") else None)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--busy", type=int, default=8)
    parser.add_argument("--cycles", type=int, default=16)
    parser.add_argument("--window", type=float, default=5)
    parser.add_argument("--work", type=float, default=1.3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--ways", default="plain,control,inject-inference,inject-operator")
    options, folder = parser.parse_args(), players.folder()
    try:
        bench = Bench(options, folder)
        with players.busy(options.busy), contextlib.closing(bench):
            cycles = bench.cycles()
        put(options, cycles)
    finally:
        shutil.rmtree(folder)


main()
