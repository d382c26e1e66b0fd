# SPDX-License-Identifier: Apache-2.0
"""prefork.py MODEL: a server that keeps three workers, each of which ends after some runs and is replaced, until its
standard input ends. Prints "ready" when the first workers are there, at the end "runs 0 failed 0" and how many of them
"differ"ed."""

import os
import select
import sys
import time

import ortprogram

feeds = ortprogram.feeds(sys.argv[1])
expected = None


def work(runs):
    session = ortprogram.session(sys.argv[1])
    sums = set()
    for _ in range(runs):
        sums.add(ortprogram.checksum(session.run(None, feeds)))
        time.sleep(0.002)
    os._exit(len(sums) != 1)


workers, n, differ = set(), 0, 0
while not select.select([sys.stdin], [], [], 0)[0]:
    while len(workers) < 3:
        n += 1
        pid = os.fork()
        if not pid:
            work(100 + 100 * (n % 3))
        workers.add(pid)
        if n == 3:
            print("ready", flush=True)
    pid, status = os.wait()
    workers.remove(pid)
    differ += status != 0
for pid in workers:
    differ += os.waitpid(pid, 0)[1] != 0
print("runs 0 failed 0\ndiffer", differ, flush=True)
