# SPDX-License-Identifier: Apache-2.0
"""sampler_peer PID: the time that psutil takes to sample a process, as lines "NAME MICROSECONDS"; medians of rounds."""

import statistics
import sys
import time

import psutil

ROUNDS, CALLS = 15, 200
process = psutil.Process(int(sys.argv[1]))


def cpu_and_memory():
    process.cpu_percent()
    process.memory_info()


def cpu_memory_and_threads():
    with process.oneshot():
        process.cpu_percent()
        process.memory_info()
        process.num_threads()


def median_us(call):
    rounds = []
    for _ in range(ROUNDS):
        began = time.perf_counter_ns()
        for _ in range(CALLS):
            call()
        rounds.append((time.perf_counter_ns() - began) / CALLS / 1000)
    return statistics.median(rounds)


for what in (cpu_and_memory, cpu_memory_and_threads):
    print(f"psutil-{psutil.__version__}:{what.__name__} {median_us(what):.2f}")
