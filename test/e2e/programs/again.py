# SPDX-License-Identifier: Apache-2.0
"""again.py COMMAND...: starts the command again whenever it ends, until SIGUSR1, which it passes on."""

import signal
import subprocess
import sys

ends = []
child = None


def on_signal(*_):
    ends.append(True)
    if child:
        child.send_signal(signal.SIGUSR1)


signal.signal(signal.SIGUSR1, on_signal)
while not ends:
    child = subprocess.Popen(sys.argv[1:])
    if ends:
        child.send_signal(signal.SIGUSR1)
    child.wait()
