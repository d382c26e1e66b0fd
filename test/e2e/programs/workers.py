# SPDX-License-Identifier: Apache-2.0
"""workers.py MODEL CPU OTHER: three workers run a model; the first has CPU, the two others share OTHER and rest."""

import os
import sys
import time

import onnxruntime

import ortprogram

model, *cpus = sys.argv[1:]
feeds = ortprogram.feeds(model)
for n in range(3):
    if os.fork():
        continue
    os.sched_setaffinity(0, [int(cpus[n > 0])])
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, settings, providers=["CPUExecutionProvider"])
    for _ in range(40):
        session.run(None, feeds)
        if n:  # the first does not give its CPU away between two inferences
            time.sleep(0.08 + 0.02 * n)
    os._exit(0)
for _ in range(3):
    os.wait()
