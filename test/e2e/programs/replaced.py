# SPDX-License-Identifier: Apache-2.0
"""replaced.py MODEL OTHER: runs MODEL 4 times, puts OTHER in its place and runs that 6 times, then twice more, in a new
session each time."""

import os
import shutil
import sys
import time

import ortprogram


def run(runs):
    session, feeds = ortprogram.session(model), ortprogram.feeds(other)
    for _ in range(runs):
        session.run(None, feeds)
    time.sleep(0.5)  # the recorder looks at the file while its session is young


model, other = sys.argv[1:]
run(4)
shutil.copy(other, model + ".new")
os.replace(model + ".new", model)
run(6)
run(2)
