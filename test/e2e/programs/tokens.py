# SPDX-License-Identifier: Apache-2.0
"""Generations that a program names itself: tokens.py MODEL TIMES. First those of a runtime of its own, two requests in
batches and a third one whose prompt comes in two parts; then of a model without a cache, by ONNX Runtime.

Writes to TIMES, for each generation: the length of the prompt, in how many parts, when it began to go in, and begin and
end of each call that made a token."""

import json
import sys
import time

import inftrace
import numpy
import onnxruntime

now = time.monotonic_ns
own = inftrace.slice(kind="inference", model="own")


def run(parts):
    """parts: request, position, tokens, results."""
    begin = now()
    with own:
        for request, position, n, results in parts:
            inftrace.tokens(request, n, position, results)
        time.sleep(0.001)
    return [begin, now()]


def in_batches():
    calls = [run([(7, 0, 12, 1), (9, 0, 5, 1)])]
    calls += [run([(7, 12 + i, 1, 1), (9, 5 + i, 1, 1)]) for i in range(9)]
    return [[12, 1, calls[0][0], calls], [5, 1, calls[0][0], calls]]


def in_parts():
    begin, _ = run([(9, 0, 64, 0)])
    calls = [run([(9, None, 36, 1)]), *(run([(9, None, 1, 1)]) for i in range(4))]
    return [[100, 2, begin, calls]]


def by_runtime(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    (of,) = session.get_inputs()
    feed = {of.name: numpy.zeros([size if isinstance(size, int) else 1 for size in of.shape], numpy.float32)}
    calls = []
    for i in range(6):
        inftrace.tokens(1, 20 if not i else 1, 0 if not i else 19 + i)
        begin = now()
        session.run(None, feed)
        calls.append([begin, now()])
    return [[20, 1, calls[0][0], calls]]


generations = [*in_batches(), *in_parts(), *by_runtime(sys.argv[1])]
with open(sys.argv[2], "w") as out:
    json.dump(generations, out)
