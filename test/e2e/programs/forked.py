# SPDX-License-Identifier: Apache-2.0
"""forked.py HOW MODEL: a child of fork uses the session of its parent, whose pool threads it does not have. HOW
"ends": it runs; "hangs": executed in parallel, its first inference never ends, and the parent kills it."""

import os
import signal
import time

import ortprogram


def main():
    args = ortprogram.arguments("how", "model")
    args.pool, args.parallel = 2, args.how == "hangs"
    session, feeds = ortprogram.session(args.model, args), ortprogram.feeds(args.model)
    for _ in range(args.runs):
        session.run(None, feeds)
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
