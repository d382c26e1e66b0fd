# SPDX-License-Identifier: Apache-2.0
"""handled.py MODEL: runs a model under a stream of the Python package until standard input ends. Prints how often it
ran, and how many inferences are in reports."""

import sys
import threading

import inftrace
import ortprogram

session, feeds = ortprogram.session(sys.argv[1]), ortprogram.feeds(sys.argv[1])
is_over = threading.Event()
threading.Thread(target=lambda: (sys.stdin.read(), is_over.set()), daemon=True).start()
expected, runs, differ = ortprogram.checksum(session.run(None, feeds)), 0, 0
with inftrace.stream(session, rate="50ms") as stream:
    print("ready", flush=True)
    while not is_over.is_set():
        differ += ortprogram.checksum(session.run(None, feeds)) != expected
        runs += 1
reports = list(stream)
print("samples %d lost %d" % (sum(report.samples for report in reports), sum(report.lost for report in reports)))
print("differ %d\nruns %d failed 0" % (differ, runs))
