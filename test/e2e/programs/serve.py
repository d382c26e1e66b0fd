# SPDX-License-Identifier: Apache-2.0
"""serve.py MODEL: runs a model in threads until its standard input ends, and compares each result or error with the
first.

Prints "ready" after the first results, at the end "runs N failed N" and "differ N". --rest: seconds between
two runs of a thread; --idle: the first run comes when a line is read.
"""

import argparse
import os
import sys
import threading
import time

import numpy as np

import ortprogram

parser = argparse.ArgumentParser()
parser.add_argument("model")
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--sessions", type=int, default=1)
parser.add_argument("--pool", type=int, default=1)
parser.add_argument("--parallel", action="store_true")
parser.add_argument("--bytes", action="store_true")
parser.add_argument("--rest", type=float, default=0)
parser.add_argument("--idle", action="store_true")
parser.add_argument("--reject", action="store_true", help="each run is followed by one with an input of a wrong shape")
parser.add_argument("--fork", action="store_true", help="the runs are made by a child")
parser.add_argument("--library", help="a library of custom operators")
parser.add_argument("--times")
args = parser.parse_args()
args.profile = None
args.provider = "CPUExecutionProvider"

account = ortprogram.Account(args.times)
feeds = ortprogram.feeds(args.model)
wrong = {name: np.zeros((3, 3, 3), value.dtype) for name, value in feeds.items()}
sessions = [ortprogram.session(args.model, args, number) for number in range(args.sessions)]
ended, differ = threading.Event(), []


def result(run, *rest):
    try:
        return ortprogram.checksum(run(*rest))
    except Exception as why:
        return str(why)


expected = None if args.idle else result(sessions[0].run, None, feeds)


def work(session):
    while not ended.is_set():
        if result(account.timed, session.run, None, feeds) != expected:
            differ.append(1)
        if args.reject:
            result(account.timed, session.run, None, wrong)
        if args.rest:
            ended.wait(args.rest)


if args.fork:
    child = os.fork()
    if child:
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print("ready", flush=True)
if args.idle:
    sys.stdin.readline()
    expected = result(account.timed, sessions[0].run, None, feeds)
threads = [threading.Thread(target=work, args=(sessions[i % args.sessions],)) for i in range(args.threads)]
for thread in threads:
    thread.start()
sys.stdin.read()
ended.set()
for thread in threads:
    thread.join()
account.close()
print("differ", len(differ), flush=True)
