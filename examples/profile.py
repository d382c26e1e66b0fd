#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""profile.py MODEL [RUNS]: a program that measures its own inferences with inftrace while it runs.

Prints the latency of the first 10 inferences, then a line for each second. Its slices are recorded beside the
operators when it runs under `inftrace record`; then it does without the reports."""

import sys

import inftrace
import numpy as np
import onnxruntime


def print_report(report):
    if report:
        print(f"{report.samples} inferences of {report.model}, median {report.stats()['p50_us']:.0f} us")


def run(session, n):
    image = session.get_inputs()[0]
    for _ in range(n):
        with inftrace.slice("preprocess"):
            picture = np.ones([size if isinstance(size, int) else 1 for size in image.shape], np.float32)
        session.run(None, {image.name: picture})


def main(path, runs="1000"):
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    try:
        with inftrace.profile(session, samples=10) as report:
            run(session, 10)
        print_report(report)
        with inftrace.stream(session, rate="1s", callback=print_report):
            run(session, int(runs))
    except inftrace.Error as error:
        print(error)
        run(session, int(runs))


main(*sys.argv[1:])
