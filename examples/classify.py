#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""classify.py MODEL [PICTURES]: an ordinary program that runs a model with ONNX Runtime; it does not use inftrace.

Loads an image classifier, runs it on pictures of noise, one at a time, and prints the most frequent class."""

import collections
import sys

import numpy as np
import onnxruntime


def main(path, pictures=50):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    image = session.get_inputs()[0]
    random = np.random.default_rng(1)
    classes = collections.Counter()
    for _ in range(int(pictures)):
        picture = random.standard_normal((1, *image.shape[1:]), dtype=np.float32)
        (scores,) = session.run(None, {image.name: picture})
        classes[int(scores.argmax())] += 1
    ((best, n),) = classes.most_common(1)
    print(f"{pictures} pictures, {len(classes)} classes; most often class {best}, {n} times")


main(*sys.argv[1:])
