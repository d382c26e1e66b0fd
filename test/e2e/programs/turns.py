# SPDX-License-Identifier: Apache-2.0
"""turns.py MODEL...: each of two threads runs all models in turn, until standard input ends or --runs times.

Prints "ready" when the sessions are made, at the end "runs N failed N" and "differ N". --times: a file for one line a
run; --rest: seconds between two runs of a thread."""

import argparse
import itertools
import sys
import threading

import ortprogram

parser = argparse.ArgumentParser()
parser.add_argument("model", nargs="+")
parser.add_argument("--runs", type=int)
parser.add_argument("--rest", type=float, default=0)
parser.add_argument("--times")
args = parser.parse_args()

account = ortprogram.Account(args.times)
models = [(ortprogram.session(model), ortprogram.feeds(model)) for model in args.model]
expected = [ortprogram.checksum(session.run(None, feeds)) for session, feeds in models]
ended, differ = threading.Event(), []


def work():
    for _ in range(args.runs) if args.runs else itertools.count():
        for (session, feeds), own in zip(models, expected):
            differ.extend([1] * (ortprogram.checksum(account.timed(session.run, None, feeds)) != own))
            if ended.wait(args.rest):
                return


threads = [threading.Thread(target=work) for _ in range(2)]
print("ready", flush=True)
for thread in threads:
    thread.start()
if not args.runs:
    sys.stdin.read()
    ended.set()
for thread in threads:
    thread.join()
account.close()
print("differ", len(differ), flush=True)
