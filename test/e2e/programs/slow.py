# SPDX-License-Identifier: Apache-2.0
"""slow.py MODEL: does what standard input says, line by line, and prints "done" after each.

run N: N inferences; one NAME VALUE: one in which a number among the inputs (NAME) is VALUE, or in which the input NAME
has VALUE rows; beside N: N inferences or more while another session makes as many; pin CPU: all threads to one CPU;
evict: mapped weights leave memory.
"""

import argparse
import contextlib
import ctypes
import os
import sys
import threading

import numpy as np
import onnxruntime

import ortprogram

parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("--pool", type=int, default=1)
parser.add_argument("--mapped", action="store_true", help="weights stay in their file")
args = parser.parse_args()

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = args.pool
options.log_severity_level = 4
if args.mapped:
    options.add_session_config_entry("session.disable_prepacking", "1")
sessions = [onnxruntime.InferenceSession(args.model, options, providers=["CPUExecutionProvider"]) for _ in range(2)]
feeds = ortprogram.feeds(args.model)


def run(times, session=sessions[0], /, **changed):
    for _ in range(int(times)):
        session.run(None, dict(feeds, **changed))


def one(name, value):
    old = feeds[name]
    new = np.resize(old, (int(value), *old.shape[1:])) if old.ndim else np.array(int(value), old.dtype)
    run(1, **{name: new})


def beside(times):
    ended, others = threading.Event(), []

    def work():
        while not ended.is_set():
            run(1, sessions[1])
            others.append(1)

    thread = threading.Thread(target=work)
    thread.start()
    run(times)
    while len(others) < int(times):  # on a busy machine it may hardly have begun
        run(1)
    ended.set()
    thread.join()


def pin(cpu):
    for tid in os.listdir("/proc/self/task"):
        with contextlib.suppress(ProcessLookupError):  # one that has just ended
            os.sched_setaffinity(int(tid), [int(cpu)])


def evict():
    """MADV_PAGEOUT for every mapping of the weights, then the file's pages leave the page cache."""
    libc = ctypes.CDLL(None, use_errno=True)
    weights = os.path.splitext(args.model)[0] + ".bin"
    with open("/proc/self/maps") as maps:
        for line in maps:
            if line.rstrip().endswith(weights):
                begin, end = (int(part, 16) for part in line.split()[0].split("-"))
                libc.madvise(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), 21)
    with open(weights, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


for line in sys.stdin:
    word, *rest = line.split()
    {"run": run, "one": one, "beside": beside, "pin": pin, "evict": evict}[word](*rest)
    print("done", flush=True)
