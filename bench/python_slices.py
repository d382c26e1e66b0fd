#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python_slices.py BUILD: the cost of a slice of a Python program, recorded and not, beside a context manager that does
nothing, in CPU time. `python_slices.py --once` measures in this process."""

import json
import os
import shutil
import subprocess
import sys
import time

import players

SETS, ROUNDS, SLICES = 5, 15, 20000
PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../python")


class Nothing:
    __slots__ = ()

    def __enter__(self):
        pass

    def __exit__(self, *args):
        pass


def once():
    import inftrace

    kept, nothing = inftrace.slice("kept"), Nothing()

    def empty():
        for _ in range(SLICES):
            with nothing:
                pass

    def made():
        for _ in range(SLICES):
            with inftrace.slice("made"):
                pass

    def reused():
        for _ in range(SLICES):
            with kept:
                pass

    def instants():
        for _ in range(SLICES):
            inftrace.instant("instant")

    times = {way.__name__: [] for way in (empty, made, reused, instants)}
    for _ in range(ROUNDS):
        for way in (empty, made, reused, instants):
            begin = time.process_time_ns()
            way()
            times[way.__name__].append((time.process_time_ns() - begin) / SLICES)
    print(json.dumps({way: sorted(values)[len(values) // 2] for way, values in times.items()}))


def main(build):
    inftrace, folder = os.path.join(build, "inftrace"), players.folder()
    environment = {**os.environ, "INFTRACE_PROGRAM": inftrace, "PYTHONPATH": PACKAGE}
    found = {"off": [], "on": []}
    for number in range(SETS):
        path = os.path.join(folder, f"{number}.pftrace")
        for state, around in (("off", []), ("on", [inftrace, "record", "--quiet", "--output", path, "--"])):
            command = [*around, sys.executable, os.path.abspath(__file__), "--once"]
            found[state].append(json.loads(subprocess.check_output(command, env=environment)))
        if lost := players.report(inftrace, path)["losses"]["lost_events"]:
            sys.exit(f"{lost} annotations were lost: the figures would be wrong")
    shutil.rmtree(folder)
    for state, words in (("off", "nobody records"), ("on", "recorded")):
        empty = sorted(one["empty"] for one in found[state])[SETS // 2]
        for way, what, of in (
            ("made", f"with inftrace.slice(...): in Python, {words}", empty),
            ("reused", f"a slice of Python that is kept, {words}", empty),
            ("instants", f"an instant of Python, {words}", 0),
        ):
            values = sorted(one[way] - of for one in found[state])
            players.row(what, (values[SETS // 2], values[0], values[-1]), "ns", 1500, of or None)


if __name__ == "__main__":
    once() if sys.argv[1:] == ["--once"] else main(*sys.argv[1:])
