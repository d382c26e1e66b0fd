# SPDX-License-Identifier: Apache-2.0
"""children.py WAY MODEL: runs models in child processes, started in each way that Python has."""

import multiprocessing
import os
import subprocess
import sys

import ortprogram


def infer(model, runs):
    session, feeds = ortprogram.session(model), ortprogram.feeds(model)
    sums = [ortprogram.checksum(session.run(None, feeds)) for _ in range(runs)]
    return os.getpid(), " ".join(sums)


def run_fork(args, session, feeds):
    """A child made by fork alone: parent and child use the parent's session."""
    for number in range(args.threads):
        child = os.fork()
        if child == 0:
            print("child", ortprogram.checksum(session.run(None, feeds)), flush=True)
            os._exit(number)
        print("status", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        print("parent", ortprogram.checksum(session.run(None, feeds)), flush=True)


def main():
    args = ortprogram.arguments("way", "model")
    session, feeds = ortprogram.session(args.model, args), ortprogram.feeds(args.model)
    print("parent", ortprogram.checksum(session.run(None, feeds)), flush=True)
    if args.way in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(args.way).Pool(args.threads) as pool:
            for _, sums in pool.starmap(infer, [(args.model, args.runs)] * args.threads, chunksize=1):
                print("child", sums, flush=True)
            pool.close()
            pool.join()
    elif args.way == "os.fork":
        run_fork(args, session, feeds)
    else:
        program = [
            sys.executable,
            os.path.join(os.path.dirname(os.path.abspath(__file__)), "infer.py"),
            "run",
            args.model,
            "--runs",
            str(args.runs),
        ]
        if args.way == "subprocess":
            for _ in range(args.threads):
                print(subprocess.run(program, stdout=subprocess.PIPE, check=True).stdout.decode(), end="", flush=True)
        elif args.way == "exec":
            sys.stdout.flush()
            os.execv(program[0], program)
    print("parent", ortprogram.checksum(session.run(None, feeds)), flush=True)


if __name__ == "__main__":
    main()
