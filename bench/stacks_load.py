# SPDX-License-Identifier: Apache-2.0
"""stacks_load.py CPU KIND THREADS: a program whose threads have 20 frames each. It ends with its standard input.

busy: threads that compute all the time; wake: that wake up each 10 ms; sleep: that sleep. turns: a player (player.h)
pinned to CPU, which answers each line "N RATE" with the mean nanoseconds of N rounds of known work, twice: a median
would leave out the stops of the program."""

import os
import sys
import threading
import time

DEPTH = 18


def deep(n, function):
    return function() if not n else deep(n - 1, function)


def busy():
    n = 0
    while True:
        n += 1


def wake():
    while True:
        time.sleep(0.01)
        sum(range(300))


def sleep():
    time.sleep(1e6)


def work():
    n = 0
    for number in range(40000):
        n += number
    return n


def turns():
    print("ready", flush=True)
    for line in sys.stdin:
        n = int(line.split()[0])
        began = time.perf_counter_ns()
        for _ in range(n):
            work()
        mean = (time.perf_counter_ns() - began) / n
        print(mean, mean, flush=True)
    os._exit(0)


def main(cpu, kind, n):
    if kind == "turns":
        os.sched_setaffinity(0, [int(cpu)])
        deep(DEPTH, turns)
    for _ in range(int(n)):
        threading.Thread(target=deep, args=(DEPTH, globals()[kind]), daemon=True).start()
    print("ready", flush=True)
    sys.stdin.read()
    os._exit(0)


main(*sys.argv[1:])
