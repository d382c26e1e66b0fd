#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""bytes.py BUILD: the bytes of an operator in a recording, plain and compressed, beside ONNX Runtime's own profiler. An
operator is two packets, its begin and its end. The figures do not depend on the speed of the machine."""

import glob
import os
import shutil
import sys

import players
import runtime

OPERATORS, INFERENCES = 100, 2000


def recorded(program, argv, inftrace, path, *options):
    """Bytes of the recording of this many inferences, and its number of operators."""
    around = [inftrace, "record", "--quiet", "--force", "--output", path, *options, "--"]
    player = players.Player([program, *argv], around)
    player.turn(INFERENCES)
    player.end()
    n_inferences = players.report(inftrace, path)["models"][0]["inferences"]["count"]
    size = os.path.getsize(path)
    os.unlink(path)
    return size / (n_inferences * OPERATORS), n_inferences


def profiled(program, argv, prefix):
    player = players.Player([program, *argv, prefix])
    player.turn(INFERENCES)
    player.end()
    (path,) = glob.glob(prefix + "*")
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        n_operators = sum(line.count(b"_kernel_time") for line in file)
    return size / n_operators, n_operators


def main(build):
    folder = players.folder()
    inftrace, program = os.path.join(build, "inftrace"), os.path.join(build, "bench/model_run")
    try:
        measured = runtime.Runtime(build)
        argv = [measured.library, measured.model(folder, "chain")]
        plain, n = recorded(program, argv, inftrace, os.path.join(folder, "plain.pftrace"), "--no-compress")
        compressed, _ = recorded(program, argv, inftrace, os.path.join(folder, "compressed.pftrace"))
        json, n_profiled = profiled(program, argv, os.path.join(folder, "profile"))
        print(
            f"chain of {OPERATORS}, {n} inferences: {plain:.1f} bytes of the file for an operator, "
            f"compressed {compressed:.1f}; "
            f"ONNX Runtime {measured.version}: {json:.0f} ({n_profiled} operators)"
        )
        peers = [("its profiler's JSON", json / 2)]
        players.row("file, plain: a packet (an operator has two)", plain / 2, "bytes", 24, None, peers)
        players.row("file, compressed: a packet", compressed / 2, "bytes", 10, None, peers)
    except runtime.Missing as why:
        players.left_out("bytes of a recording", why)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
