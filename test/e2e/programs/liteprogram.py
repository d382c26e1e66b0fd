# SPDX-License-Identifier: Apache-2.0
"""liteprogram.py HOW MODEL...: a program of TensorFlow Lite, by the package tflite-runtime or ai-edge-litert.

HOW: infer (one interpreter), threads (8, with an interpreter each), two (a second model, in turn), bytes (from memory),
loop (control flow), fails (some of the inferences fail), resized (other shapes, in turn), signatures (two subgraphs),
again (interpreters that come and go), compiled (CompiledModel), forked (a child goes on), serve (until standard input
ends), cost (prints the time of an inference). Standard output is the same in every run. --plain: without XNNPACK.
--nodes FILE: the graph's nodes as the runtime has them."""

import argparse
import hashlib
import json
import os
import sys
import threading
import time

import numpy as np

try:
    from ai_edge_litert import interpreter as lite
except ImportError:
    from tflite_runtime import interpreter as lite

parser = argparse.ArgumentParser()
parser.add_argument("how")
parser.add_argument("model", nargs="*")
parser.add_argument("--runs", type=int, default=5)
parser.add_argument("--times")
parser.add_argument("--nodes")
parser.add_argument("--plain", action="store_true")
args = parser.parse_args()
lines, runs, failed = [], 0, 0


def interpreter(model, allocate=True, **given):
    if args.plain:
        kinds = getattr(lite, "OpResolverType", None)
        given["experimental_op_resolver_type"] = kinds.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    made = lite.Interpreter(**({"model_path": model} if isinstance(model, str) else {"model_content": model}), **given)
    if allocate:
        made.allocate_tensors()
    return made


def feed(made, seed=1):
    for one in made.get_input_details():
        random = np.random.default_rng(seed)
        value = random.standard_normal(one["shape"]) if one["dtype"] == np.float32 else np.zeros(one["shape"])
        made.set_tensor(one["index"], value.astype(one["dtype"]))


def checksum(made):
    values = [made.get_tensor(one["index"]).tobytes() for one in made.get_output_details()]
    return hashlib.sha256(b"".join(values)).hexdigest()[:16]


def timed(made):
    global runs, failed
    start = time.monotonic_ns()
    try:
        made.invoke()
    except RuntimeError:
        failed += 1
        raise
    finally:
        runs += 1
        lines.append("%d %d %d\n" % (start, time.monotonic_ns(), threading.get_native_id()))


def infer():
    made = interpreter(args.model[0])
    for turn in range(args.runs):
        feed(made, turn)
        timed(made)
        print(checksum(made))
    if args.nodes:
        names = {one["index"]: one["name"] for one in made.get_tensor_details()}
        with open(args.nodes, "w") as out:
            json.dump([(names[one["outputs"][0]], one["op_name"]) for one in made._get_ops_details()], out)


loop = infer


def threads():
    sums = []

    def work():
        made = interpreter(args.model[0])
        feed(made)
        for _ in range(args.runs):
            made.invoke()
            sums.append(checksum(made))

    all_of_them = [threading.Thread(target=work) for _ in range(8)]
    for thread in all_of_them:
        thread.start()
    for thread in all_of_them:
        thread.join()
    print(len(sums), len(set(sums)))


def two():
    both = [interpreter(model) for model in args.model]
    for turn in range(args.runs):
        for made in both:
            feed(made, turn)
            timed(made)
            print(checksum(made))


def bytes():
    with open(args.model[0], "rb") as file:
        made = interpreter(file.read())
    for turn in range(args.runs):
        feed(made, turn)
        timed(made)
        print(checksum(made))


def fails():
    made = interpreter(args.model[0])
    given, shape = made.get_input_details()
    made.set_tensor(given["index"], np.ones((2, 4), np.float32))
    for wanted in ([4, 2], [3, 5], [2, 4], [7, 7], [8, 1]):
        made.set_tensor(shape["index"], np.array(wanted, np.int32))
        try:
            timed(made)
            print(made.get_tensor(made.get_output_details()[0]["index"]).shape)
        except RuntimeError:
            print("failed")


def resized():
    made = interpreter(args.model[0])
    for turn in range(args.runs):
        made.resize_tensor_input(made.get_input_details()[0]["index"], [1 + turn % 3, 16])
        made.allocate_tensors()
        feed(made, turn)
        timed(made)
        print(checksum(made))


def signatures():
    made = interpreter(args.model[0], allocate=False)
    for key in ("negate", "absolute"):
        runner = made.get_signature_runner(key)
        for turn in range(args.runs):
            print(runner(x=np.full((1, 4), -1.5 - turn, np.float32))["y"].tolist())


def again():
    for turn in range(args.runs):
        made = interpreter(args.model[turn % len(args.model)])
        feed(made, turn)
        timed(made)
        print(checksum(made))
        del made


def compiled():
    from ai_edge_litert.compiled_model import CompiledModel

    made = CompiledModel.from_file(args.model[0])
    given, results = made.create_input_buffers(0), made.create_output_buffers(0)
    for turn in range(args.runs):
        given[0].write(np.random.default_rng(turn).standard_normal((1, 32, 32, 3)).astype(np.float32))
        made.run_by_index(0, given, results)
        print(results[0].read(10, np.float32).tolist())


def forked():
    made = interpreter(args.model[0])
    feed(made)
    timed(made)
    child = os.fork()
    for _ in range(args.runs):
        timed(made)
    if not child:
        os._exit(0)
    print(os.waitpid(child, 0)[1], checksum(made))


def serve():
    made = interpreter(args.model[0])
    feed(made)
    made.invoke()
    first, differ, ended = checksum(made), 0, threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    print("ready", flush=True)
    while not ended.is_set():
        timed(made)
        differ += checksum(made) != first
        time.sleep(0.002)
    print("differ", differ)


def cost():
    made, best = interpreter(args.model[0], num_threads=1), []
    feed(made)
    for _ in range(args.runs):
        start = time.perf_counter_ns()
        for _ in range(200):
            made.invoke()
        best.append((time.perf_counter_ns() - start) / 200)
    print("least %.0f ns" % min(best))


globals()[args.how]()
if args.times:
    with open(args.times, "w") as out:
        out.writelines(lines)
print("runs", runs, "failed", failed, flush=True)
