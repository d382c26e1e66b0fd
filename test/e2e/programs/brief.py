# SPDX-License-Identifier: Apache-2.0
"""brief.py MODEL IDLE CHILDREN: copies itself after the runtime is loaded. So many copies do nothing once they have run
the model; at a line of the standard input, so many follow one another, each of which runs it for a second. Prints
"ready", and then how often the latter ran it."""

import os
import sys
import time

import ortprogram

feeds = ortprogram.feeds(sys.argv[1])


def copy(seconds):
    """How often it ran the model; None: this is not waited for."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid and not seconds:
        return pid
    if pid:
        os.waitpid(pid, 0)
        n = int(os.read(reader, 20))
        os.close(reader)
        os.close(writer)
        return n
    session = ortprogram.session(sys.argv[1])
    end, n = time.monotonic() + seconds, 0
    while not n or time.monotonic() < end:
        session.run(None, feeds)
        n += 1
        time.sleep(0.01)
    os.write(writer, b"%d" % n)
    while not seconds:
        time.sleep(60)
    os._exit(0)


idle = [copy(0) for _ in range(int(sys.argv[2]))]
print("ready", flush=True)
sys.stdin.readline()
print(sum(copy(1) for _ in range(int(sys.argv[3]))), flush=True)
sys.stdin.readline()
for pid in idle:
    os.kill(pid, 9)
