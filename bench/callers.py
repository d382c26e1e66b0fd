#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""callers.py BUILD: what it takes the agent to find the calling line of an inference: in a program without Python, and
below one and three frames of a runtime's package."""

import ctypes
import os
import sys

import players

BUDGETS = {"without Python": 30, "one frame of the runtime": 100, "three frames of the runtime": 160}
WRAPPER = """
def run(library, depth):
    return run(library, depth - 1) if depth else library.caller_probe(1)
"""


def main(build):
    library = ctypes.PyDLL(os.path.join(build, "bench", "caller_probe.so"))
    library.caller_probe.restype = ctypes.c_int64
    package = {}
    exec(compile(WRAPPER, "/usr/lib/python3/dist-packages/onnxruntime/session.py", "exec"), package)
    found = [library.caller_probe(0), package["run"](library, 0), package["run"](library, 2)]
    for (what, budget), picoseconds in zip(BUDGETS.items(), found):
        if picoseconds < 0:
            players.left_out(f"the calling line, {what}", "this Python cannot be read")
        else:
            players.row(f"the calling line, {what}", picoseconds / 1000, "ns", budget)


main(*sys.argv[1:])
