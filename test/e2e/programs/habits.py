# SPDX-License-Identifier: Apache-2.0
"""habits.py HABIT MODEL: a program with one habit that costs time or memory, or (good) without any.

HABIT: good, busy (inferences without a pause), keep (every output is kept), batches (small and large ones),
odd (each tenth input is larger, and takes longer), even (none is), fading (inputs become tiny), rare (long pauses),
quiet (the same, and pool threads do not spin in them), lazy (an operator prepares itself when it first runs),
lock (two sessions whose operators share a lock), apart (one session after the other), raw (graph
optimization is off), fresh (no arena)."""

import threading
import time

import numpy as np
import onnxruntime

import ortprogram

args = ortprogram.arguments("habit", "model")
feeds = ortprogram.feeds(args.model)
kept = []


def run(session, feeds=feeds):
    return session.run(None, feeds)


def rest(seconds=0.004):
    """As a server between requests."""
    time.sleep(seconds)


def good(session):
    for _ in range(args.runs):
        run(session)
        rest()


def busy(session):
    for _ in range(args.runs):
        run(session)


def keep(session):
    for _ in range(args.runs):
        kept.append(run(session))
        rest()


def batches(session):
    for size, n in ((1, args.runs), (args.runs, 20)):
        batch = {name: np.repeat(value[:1], size, axis=0) for name, value in feeds.items()}
        for _ in range(n):
            run(session, batch)
            rest()


def fading(session):
    """As a signal does, until its numbers are subnormal."""
    for loudness in (1, 1e-38):
        for _ in range(args.runs):
            run(session, {name: value * np.float32(loudness) / 4 for name, value in feeds.items()})


def rare(session):
    for _ in range(args.runs):
        run(session)
        rest(0.02)


def quiet():
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = args.pool
    settings.add_session_config_entry("session.intra_op.allow_spinning", "0")
    rare(onnxruntime.InferenceSession(args.model, settings, providers=["CPUExecutionProvider"]))


def raw():
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    busy(onnxruntime.InferenceSession(args.model, settings, providers=["CPUExecutionProvider"]))


def fresh():
    settings = onnxruntime.SessionOptions()
    settings.enable_cpu_mem_arena = False
    busy(onnxruntime.InferenceSession(args.model, settings, providers=["CPUExecutionProvider"]))


def guarded(n, prepare=0):
    """n sessions of a model whose operator, written in Python, holds a lock while it waits for something."""
    from onnxruntime_extensions import PyCustomOpDef, get_library_path, onnx_op

    lock, prepared = threading.Lock(), []

    @onnx_op(op_type="Guarded", inputs=[PyCustomOpDef.dt_float], outputs=[PyCustomOpDef.dt_float])
    def guarded(x):
        with lock:
            time.sleep(0.1 if len(x) > 4 else 0.003 if prepared else prepare)
            prepared.append(True)
        return x

    settings = onnxruntime.SessionOptions()
    settings.register_custom_ops_library(get_library_path())
    settings.intra_op_num_threads = 1
    return [onnxruntime.InferenceSession(args.model, settings, providers=["CPUExecutionProvider"]) for _ in range(n)]


def lazy():
    good(guarded(1, 0.2)[0])


def odd():
    session = guarded(1)[0]
    for i in range(args.runs):
        run(session, {name: np.repeat(value, 1 if i % 10 else 100) for name, value in feeds.items()})


def even():
    busy(guarded(1)[0])


def lock():
    sessions = guarded(2)
    busy(sessions[0])  # alone
    threads = [threading.Thread(target=busy, args=[session]) for session in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def apart():
    for session in guarded(2):
        busy(session)


if args.habit in ("quiet", "lazy", "odd", "even", "lock", "apart", "raw", "fresh"):
    globals()[args.habit]()
else:
    globals()[args.habit](ortprogram.session(args.model, args))
