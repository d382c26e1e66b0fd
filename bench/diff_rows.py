#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""diff_rows.py BUILD [machines] [models]: what `inftrace diff` takes for rows of a fleet, 256 machines with 1,000
models each a side by default. Prints CPU time and memory, and how long Python takes to parse the same lines."""

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time

BEGIN_NS = 1790000000000000000


def write(path, machines, models, factor):
    noise = random.Random(factor)
    with open(path, "w") as out:
        for machine in range(machines):
            for model in range(models):
                buckets = [noise.randint(5, 60) for _ in range(24)]
                n = sum(buckets)
                row = {
                    "kind": "series",
                    "host": "host-%d" % machine,
                    "boot": "b",
                    "interval": 1,
                    "begin_ns": BEGIN_NS,
                    "end_ns": BEGIN_NS + 10**10,
                    "service": "service-%d" % (model % 20),
                    "model": "model-%d" % model,
                    "runtime": "onnxruntime",
                    "provider": "CPU",
                    "device": "cpu",
                    "inferences": n,
                    "inference_ns": int(n * 1e6 * factor),
                    "cpu_ns": n * 900000,
                    "durations": {"scale": 5, "first": -330 + model % 50, "buckets": buckets},
                }
                out.write(json.dumps(row, separators=(",", ":")) + "\n")


def main(build, machines=256, models=1000):
    with tempfile.TemporaryDirectory(prefix="inftrace-bench-") as folder:
        paths = [os.path.join(folder, name) for name in ("base.json", "new.json")]
        for path, factor in zip(paths, (1, 1.1)):
            write(path, int(machines), int(models), factor)
        subprocess.run([os.path.join(build, "inftrace"), "diff", *paths], stdout=subprocess.DEVNULL, check=False)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.process_time()
        for path in paths:
            with open(path) as file:
                for line in file:
                    json.loads(line)
        print(
            "%s machines x %s models a side: %.1f s of CPU, %.0f MiB; json.loads of the lines alone: %.1f s"
            % (machines, models, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, time.process_time() - began)
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
