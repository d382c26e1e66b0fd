# SPDX-License-Identifier: Apache-2.0
"""forked.py HOW MODEL: a child of fork uses the session of its parent, whose pool threads it does not have. HOW
"ends": it runs; "hangs": executed in parallel, its first inference never ends, and the parent kills it; "releases":
children release the session alone, until one waits for the threads that it does not have, and is killed."""

import os
import signal
import sys
import time

import ortprogram


def has_ended(child, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if os.waitpid(child, os.WNOHANG)[0]:
            return True
        time.sleep(0.002)
    return False


def release(session, feeds):
    """The child that did not end; 0: all did."""
    for _ in range(100):
        session.run(None, feeds)
        child = os.fork()
        if child == 0:
            sys.exit(0)  # which releases it
        if not has_ended(child, 2):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return child
    return 0


def main():
    args = ortprogram.arguments("how", "model")
    args.pool, args.parallel = 2, args.how != "ends"
    session, feeds = ortprogram.session(args.model, args), ortprogram.feeds(args.model)
    for _ in range(args.runs):
        session.run(None, feeds)
    if args.how == "releases":
        print(os.getpid(), release(session, feeds), flush=True)
        return
    child = os.fork()
    if child == 0:
        for _ in range(args.runs):
            session.run(None, feeds)
        os._exit(0)
    if args.how == "hangs":
        time.sleep(2)
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    print(os.getpid(), child, flush=True)


if __name__ == "__main__":
    main()
