#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""watch.py BUILD [programs...]: what watching programs costs, with so many of them (1, 24 and 100 by default).

Prints, for `inftrace watch` and `inftrace top`: their own CPU time at 1,000 inferences a second of all programs
together, and how often they wake up; what an inference costs a program among the others; how long ending takes.
$BASELINE is a build folder to compare with, for `top`. Needs root."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import runtime

# It looks at each program less and less often, and at the end of a minute once in 64 s.
RATE, SETTLE_S, MEASURE_S = 1000, 60, 20
NAME = "watched_by_bench.py"
PROGRAM = """
import sys, time, numpy as np, onnxruntime as ort
options = ort.SessionOptions(); options.intra_op_num_threads = 1
session = ort.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
feed = {i.name: np.ones([d if isinstance(d, int) else 1 for d in i.shape], np.float32) for i in session.get_inputs()}
rate = float(sys.argv[2])
print("ready", flush=True)
if rate:
    while True: session.run(None, feed); time.sleep(1 / rate)
for line in sys.stdin:
    laps = []
    for _ in range(60):
        begin = time.thread_time_ns()
        for _ in range(500): session.run(None, feed)
        laps.append((time.thread_time_ns() - begin) / 500e3)
    laps.sort(); print(laps[len(laps) // 4], flush=True)
"""


class Programs:
    """n that work at a rate, and one that is measured."""

    def __init__(self, python, model, n):
        script = os.path.join(os.path.dirname(model), NAME)
        with open(script, "w") as file:
            file.write(PROGRAM)
        words = [python, script, model]
        start = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.others = [subprocess.Popen([*words, str(RATE / n)], **start) for _ in range(n)]
        self.one = subprocess.Popen([*words, "0"], **start)
        for program in self.all:
            program.stdout.readline()

    @property
    def all(self):
        return [*self.others, self.one]

    def inference_us(self):
        self.one.stdin.write("\n")
        self.one.stdin.flush()
        return float(self.one.stdout.readline())

    def end(self):
        for program in self.all:
            program.kill()
            program.wait()


def usage(pid):
    """CPU time in ns, and wake-ups, of the process and those of its children that are not bound to new programs."""
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        pids = [pid, *map(int, file.read().split())]
    cpu = wakes = 0
    for one in pids:
        with open(f"/proc/{one}/comm") as file:
            if file.read() == "inftrace-next\n":  # wakes up with every program that the machine starts
                continue
        with open(f"/proc/{one}/schedstat") as file:
            cpu += int(file.read().split()[0])
        with open(f"/proc/{one}/status") as file:
            wakes += int(re.search(r"^voluntary_ctxt_switches:\s(\d+)", file.read(), re.M)[1])
    return cpu, wakes


def is_probed(program):
    with open(f"/proc/{program.pid}/maps") as file:
        return "[uprobes]" in file.read()


def measure(name, command, programs):
    plain = programs.inference_us()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not all(map(is_probed, programs.others)):  # at its first inference; the measured one has none now
        time.sleep(0.1)
    time.sleep(SETTLE_S)
    before, began = usage(process.pid), time.monotonic()
    time.sleep(MEASURE_S)
    after, took = usage(process.pid), time.monotonic() - began
    watched = programs.inference_us()
    with open(f"/proc/{process.pid}/status") as file:
        memory = int(re.search(r"^VmRSS:\s+(\d+)", file.read(), re.M)[1]) / 1024
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.wait()
    print(
        f"{name:14} {len(programs.others):4} programs: {(after[0] - before[0]) / took / 1e7:5.2f} % of a core, "
        f"{(after[1] - before[1]) / took:4.0f} wake-ups/s, {memory:4.0f} MiB; an inference {plain:.2f} us, "
        f"watched {watched - plain:+.2f} us; ending {time.monotonic() - began:.2f} s",
        flush=True,
    )


def main():
    build = sys.argv[1]
    ort, folder = runtime.Runtime(build), tempfile.mkdtemp(prefix="inftrace-bench-")
    python, model = ort.python, ort.model(folder, "tiny")
    own = os.path.join(build, "inftrace")
    commands = {
        "watch": [own, "watch", "--metrics", "0", "--name", NAME],
        "top": [own, "top", "--json", "-l", "inference", "--name", NAME],
    }
    if os.environ.get("BASELINE"):
        commands["top, before"] = [os.path.join(os.environ["BASELINE"], "inftrace"), *commands["top"][1:]]
    for n in map(int, sys.argv[2:] or ["1", "24", "100"]):
        for name, command in commands.items():  # in new ones each: the kernel's mark of probes stays in a program
            programs = Programs(python, model, n)
            measure(name, command, programs)
            programs.end()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
