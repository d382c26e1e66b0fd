# SPDX-License-Identifier: Apache-2.0
"""Collects garbage after each inference, and prints for how long by its own clock. usage: garbage.py MODEL"""

import gc
import json
import sys
import time

import numpy as np
import onnxruntime

vocabulary = {str(i): [i, {"id": i}] for i in range(200000)}
took, began = [], []


def note(phase, info):
    if phase == "start":
        began.append(time.perf_counter())
    else:
        took.append(time.perf_counter() - began[-1])


session = onnxruntime.InferenceSession(sys.argv[1])
feeds = {value.name: np.zeros(value.shape, np.float32) for value in session.get_inputs()}
session.run(None, feeds)
gc.callbacks.append(note)
for _ in range(25):
    gc.collect()
    session.run(None, feeds)
print(json.dumps({"took": sum(took)}))
