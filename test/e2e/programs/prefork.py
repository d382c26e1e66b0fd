# SPDX-License-Identifier: Apache-2.0
"""prefork.py MODEL: a server with three workers until its standard input ends. A worker ends after some runs and is
replaced. Prints "ready" when the first workers run, at the end "runs 0 failed 0" and "differ N": workers whose results
differed."""

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
