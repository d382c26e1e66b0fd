# SPDX-License-Identifier: Apache-2.0
"""Runs for a while, then executes its own interpreter again, which does the same in another function."""

import os
import sys
import time


def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def before():
    spin(0.7)


def after():
    spin(0.7)


if len(sys.argv) > 1:
    after()
else:
    before()
    os.execv(sys.executable, [sys.executable, __file__, "again"])
