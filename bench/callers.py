#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""callers.py BUILD: what it takes the agent to find the calling line of an inference: in a program without Python, also
below ten frames of a runtime, and below one and three frames of a runtime's package."""

import ctypes
import os
import sys

import players

BUDGETS = {
    "without Python": 30,
    "without Python, below ten frames of the runtime": 100,
    "one frame of the runtime": 100,
    "three frames of the runtime": 160,
}
WRAPPER = """
def run(library, depth):
    return run(library, depth - 1) if depth else library.caller_probe(1)
"""


def main(build):
    library = ctypes.PyDLL(os.path.join(build, "bench", "caller_probe.so"))
    library.caller_probe.restype = library.caller_probe_below.restype = ctypes.c_int64
    package = {}
    exec(compile(WRAPPER, "/usr/lib/python3/dist-packages/onnxruntime/session.py", "exec"), package)
    native = [library.caller_probe(0), library.caller_probe_below(10)]
    found = [*native, package["run"](library, 0), package["run"](library, 2)]
    for (what, budget), picoseconds in zip(BUDGETS.items(), found):
        if picoseconds < 0:
            players.left_out(f"the calling line, {what}", "this Python cannot be read")
        else:
            players.row(f"the calling line, {what}", picoseconds / 1000, "ns", budget)


main(*sys.argv[1:])
