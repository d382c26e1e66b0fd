# SPDX-License-Identifier: Apache-2.0
"""flood.py MODEL: asks for --runs inferences by RunAsync at once."""

import threading

import ortprogram

args = ortprogram.arguments("model")
session, feeds = ortprogram.session(args.model, args), ortprogram.feeds(args.model)
left, good, lock, done = args.runs, 0, threading.Lock(), threading.Event()


def callback(outputs, user_data, error):
    global left, good
    with lock:
        left, good = left - 1, good + (not error)
        if not left:
            done.set()


for number in range(args.runs):
    session.run_async(None, feeds, callback, number)
done.wait()
print("runs", args.runs, "failed", args.runs - good, flush=True)
