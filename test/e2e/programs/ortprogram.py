# SPDX-License-Identifier: Apache-2.0
"""Shared by the Python programs: options, feeds, checksums, and counts and times of runs.

Standard output is the same in every run, so that a run under a profiler can be compared byte for byte. Times go to the
file --times, one line a run: start and end by CLOCK_MONOTONIC, thread id.
"""

import argparse
import ctypes
import hashlib
import os
import threading
import time

import numpy as np
import onnxruntime


def arguments(*positional):
    parser = argparse.ArgumentParser()
    for name in positional:
        parser.add_argument(name)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--sessions", type=int, default=1)
    parser.add_argument("--pool", type=int, default=1, help="threads of the runtime's own pool")
    parser.add_argument("--parallel", action="store_true")
    parser.add_argument("--bytes", action="store_true", help="model from memory")
    parser.add_argument("--tag")
    parser.add_argument("--work", type=float, default=0, help="seconds of other work before each run")
    parser.add_argument("--provider", default="CPUExecutionProvider")
    parser.add_argument("--library", help="a library of custom operators")
    parser.add_argument("--load", nargs=2, help="a library, and a function of it that is called with 0")
    parser.add_argument("--profile", help="prefix of the profiles that the runtime writes itself")
    parser.add_argument("--times")
    args = parser.parse_args()
    if args.load:
        getattr(ctypes.CDLL(args.load[0]), args.load[1])(0)
    return args


def session(model, args=None, number=0):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = args.pool if args else 1
    if args and args.parallel:
        options.execution_mode = onnxruntime.ExecutionMode.ORT_PARALLEL
        options.inter_op_num_threads = 3
    if args and args.profile:
        options.enable_profiling = True
        options.profile_file_prefix = "%s-%d" % (args.profile, number)
    if args and args.bytes:
        with open(model, "rb") as file:
            model = file.read()
    if args and args.library:
        options.register_custom_ops_library(args.library)
    providers = list(dict.fromkeys([args.provider if args else "CPUExecutionProvider", "CPUExecutionProvider"]))
    return onnxruntime.InferenceSession(model, options, providers=providers)


def feeds(model):
    with np.load(os.path.splitext(model)[0] + ".npz") as arrays:
        return {name: arrays[name] for name in arrays.files}


def work(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sum(range(1000))


def checksum(outputs):
    digest = hashlib.sha256()
    for output in outputs:
        digest.update(
            repr(output.tolist()).encode() if output.dtype == object else np.ascontiguousarray(output).tobytes()
        )
    return digest.hexdigest()[:16]


class Account:
    """Counts runs from any thread and keeps their times."""

    def __init__(self, path=None):
        self.path, self.lock, self.lines, self.runs, self.failed = path, threading.Lock(), [], 0, 0

    def add(self, start, end, ok=True, thread=None):
        with self.lock:
            self.runs += 1
            self.failed += not ok
            self.lines.append("%d %d %d\n" % (start, end, thread or threading.get_native_id()))

    def timed(self, function, *args):
        start = time.monotonic_ns()
        try:
            result = function(*args)
        except Exception:
            self.add(start, time.monotonic_ns(), False)
            raise
        self.add(start, time.monotonic_ns())
        return result

    def close(self):
        if self.path:
            with open(self.path, "w") as out:
                out.writelines(self.lines)
        print("runs", self.runs, "failed", self.failed, flush=True)
