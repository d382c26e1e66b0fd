# SPDX-License-Identifier: Apache-2.0
"""ovprogram.py HOW MODEL: a program of OpenVINO.

HOW: infer (one request), threads (32, with a request each), queue (four requests at a time, two streams), two (a
second model, MODEL2, in turn), devices (by AUTO and by HETERO), fails (a model of its own, some of whose inferences
fail), cached (compiled twice, with a cache), texts (from a file and as a text, in turn), shapes (inputs of all types,
given in all ways), pictures (of eight sizes in turn, or of one with --runs 1), sizes (one request; --nodes: the
shapes of inputs of each node), tiny (nodes that take no time, with PERF_COUNT and without), decode (a decoder with
its cache outside and inside; with MODEL2, eight requests of each in turns), serve (until standard input ends).
Standard output is the same in every run. --nodes FILE: the nodes that ran, by OpenVINO's own profile."""

import argparse
import hashlib
import importlib
import json
import os
import random
import sys
import tempfile
import threading
import time

import numpy as np
import openvino as ov
from openvino import _offline_transformations

parser = argparse.ArgumentParser()
parser.add_argument("how")
parser.add_argument("model", nargs="*")
parser.add_argument("--runs", type=int, default=5)
parser.add_argument("--times")
parser.add_argument("--nodes")
args = parser.parse_args()
core = ov.Core()
lines, runs, failed = [], 0, 0


def feeds(model):
    with np.load(os.path.splitext(model)[0] + ".npz") as arrays:
        return {name: arrays[name] for name in arrays.files}


def checksum(results):
    return hashlib.sha256(b"".join(value.tobytes() for value in results.values())).hexdigest()[:16]


def compiled(model, **config):
    return core.compile_model(core.read_model(model), "CPU", {"INFERENCE_NUM_THREADS": "1", **config})


def timed(request, inputs):
    global runs, failed
    start = time.monotonic_ns()
    try:
        return request.infer(inputs)
    except RuntimeError:
        failed += 1
        raise
    finally:
        runs += 1
        lines.append("%d %d %d\n" % (start, time.monotonic_ns(), threading.get_native_id()))


def infer():
    request = compiled(args.model[0], **({"PERF_COUNT": "YES"} if args.nodes else {})).create_infer_request()
    inputs = feeds(args.model[0])
    for _ in range(args.runs):
        print(checksum(timed(request, inputs)))
    if args.nodes:
        nodes = [
            (node.node_name, node.node_type, str(node.status).endswith("EXECUTED"))
            for node in request.get_profiling_info()
        ]
        with open(args.nodes, "w") as out:
            json.dump(nodes, out)


def pictures():
    request = compiled(args.model[0]).create_infer_request()
    for run in range(args.runs):
        for side in range(8, 24, 2) if args.runs > 1 else [8] * 40:
            print(run, checksum(timed(request, {"x": np.full((1, 3, side, side), 0.5, np.float32)})))


def sizes():
    model, own = compiled(args.model[0]), {}
    request = model.create_infer_request()
    for _ in range(args.runs):
        print(checksum(request.infer(feeds(args.model[0]))))
    for node in model.get_runtime_model().get_ops():
        shapes = [input.get_partial_shape() for input in node.inputs()]
        own[node.get_friendly_name()] = [list(shape.to_shape()) if shape.is_static else None for shape in shapes]
    with open(args.nodes, "w") as out:
        json.dump(own, out)


def let_go():
    """A stream's thread lets go of the queue behind wait_all(). If it is the last one to do so, it asks for the
    interpreter, and aborts the process where that has ended: on a busy machine, with inftrace and without."""

    def runs(task):
        with open("/proc/self/task/%s/stat" % task) as file:
            return file.read().rpartition(")")[2].split()[0] == "R"

    while any(runs(task) for task in os.listdir("/proc/self/task") if int(task) != os.getpid()):
        time.sleep(0.001)


def queue():
    model = compiled(args.model[0], NUM_STREAMS="2", INFERENCE_NUM_THREADS="2")
    requests, sums = ov.AsyncInferQueue(model, 4), []
    requests.set_callback(lambda request, _: sums.append(float(sum(map(np.sum, request.results.values())))))
    for _ in range(args.runs):
        inputs, start = feeds(args.model[0]), time.monotonic_ns()
        requests.start_async(inputs)
        lines.append("%d %d %d\n" % (start, time.monotonic_ns(), threading.get_native_id()))
    requests.wait_all()
    let_go()
    # which threads share an inference may differ, and with them the last digits
    print(len(sums), max(sums) - min(sums) <= 1e-3 * abs(max(sums)))


def threads():
    """One inference first: OpenVINO's binding deadlocks when two threads make its first ones, as each waits for the
    other's interpreter lock or for the making of a constant."""
    model, sums = compiled(args.model[0]), []
    model.create_infer_request().infer(feeds(args.model[0]))

    def work():
        request = model.create_infer_request()
        sums.append([checksum(request.infer(feeds(args.model[0]))) for _ in range(args.runs)])

    all_of_them = [threading.Thread(target=work) for _ in range(32)]
    for thread in all_of_them:
        thread.start()
    for thread in all_of_them:
        thread.join()
    print(len(sums), all(mine == sums[0] for mine in sums))


def devices():
    for device in ("AUTO", "AUTO:CPU", "HETERO:CPU"):
        request = core.compile_model(core.read_model(args.model[0]), device).create_infer_request()
        for _ in range(args.runs):
            print(checksum(timed(request, feeds(args.model[0]))))


def two():
    requests = [compiled(model).create_infer_request() for model in args.model]
    for turn in range(args.runs):
        for model, request in zip(args.model, requests):
            print(checksum(timed(request, feeds(model))))


def texts():
    """Models given as texts, and built in the program, at addresses that models from a file had before."""
    file = core.read_model(args.model[0])
    with tempfile.TemporaryDirectory() as folder:
        ov.save_model(file, os.path.join(folder, "saved.xml"))
        with (
            open(os.path.join(folder, "saved.xml"), "rb") as xml,
            open(os.path.join(folder, "saved.bin"), "rb") as weights,
        ):
            text, data = xml.read(), weights.read()
    for _ in range(args.runs):
        for model in (args.model[0], text):
            given = (model,) if model is args.model[0] else (model, ov.Tensor(np.frombuffer(data, np.uint8).copy()))
            request = core.compile_model(core.read_model(*given), "CPU").create_infer_request()
            print(len(timed(request, feeds(args.model[0]))))
            del request


def cached():
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2):
            request = compiled(args.model[0], CACHE_DIR=folder).create_infer_request()
            for _ in range(args.runs):
                print(checksum(timed(request, feeds(args.model[0]))))
            del request


def fails():
    ops = operations()
    data, shape = ops.parameter([-1, 4], np.float32), ops.parameter([2], np.int64)
    model = ov.Model([ops.reshape(data, shape, False)], [data, shape], "reshaper")
    request = core.compile_model(model, "CPU").create_infer_request()
    for wanted in ([4, 2], [3, 5], [2, 4], [7, 7], [8, 1]):
        try:
            (result,) = timed(request, [np.ones((2, 4), np.float32), np.array(wanted, np.int64)]).values()
            print(result.shape)
        except RuntimeError:
            print("failed")


LAYOUT = getattr(ov, "Layout", None) or importlib.import_module("openvino.runtime").Layout


def operations():
    try:
        from openvino import opset8
    except ImportError:
        from openvino.runtime import opset8
    return opset8


def of_types(name, types, shape):
    ops = operations()
    inputs = [ops.parameter(shape, np.dtype(of).type) for of in types]
    return core.compile_model(ov.Model([ops.convert(of, "f32") for of in inputs], inputs, name), "CPU")


def shapes():
    types = "f4 i8 u1 ? f2 i4 u2 u4 u8 i1 f8 i2".split()
    model = of_types("typed", types, [-1, -1])

    def arrays(n):
        return [np.ones((n, i + 1), of) for i, of in enumerate(types)]

    for n in (3, 5):
        print(checksum(model(arrays(n))), checksum(model.create_infer_request().infer(arrays(n + 1))))
    queue = ov.AsyncInferQueue(model, 2)
    for n in (7, 8):
        queue.start_async(arrays(n))
    queue.wait_all()
    request = of_types("own", ["f4"] * 2, [-1, 2]).create_infer_request()
    for rows in (4, 2):
        for i in range(2):
            request.get_input_tensor(i).shape = [rows + i, 2]
            request.get_input_tensor(i).data[:] = 1
        request.infer()
        print(checksum(request.results))
    larger = ov.Tensor(np.ones((10, 2), np.float32))
    request.set_input_tensor(1, ov.Tensor(larger, [0, 0], [6, 2]))
    request.infer()
    print(checksum(request.results))
    batch = operations().parameter([-1, 3], np.float32)
    batch.set_layout(LAYOUT("NC"))
    request = core.compile_model(ov.Model([operations().abs(batch)], [batch], "batched"), "CPU").create_infer_request()
    for n in (4, 2):  # they become one tensor in the call
        request.set_input_tensors([ov.Tensor(np.ones((1, 3), np.float32)) for _ in range(n)])
        request.infer()
        print(checksum(request.results))
    request.set_input_tensor(ov.Tensor(np.ones((7, 3), np.float32)))
    request.infer()
    print(checksum(request.results))
    scalar = of_types("scalar", ["f4"], [])
    print(checksum(scalar([np.float32(1)])))
    many = of_types("many", ["f4"] * 20, [-1])
    print(checksum(many([np.ones(9, np.float32)] * 20)))
    for n in (1, 2):  # requests that follow each other at the same address
        print(checksum(core.compile_model(core.read_model(args.model[0]), "AUTO")(feeds(args.model[0]))))


class Generation:
    """keeps: the model keeps its cache, and gets a mask."""

    def __init__(self, model, past, prompt, keeps):
        self.request, self.past, self.prompt, self.keeps = model.create_infer_request(), past, prompt, keeps
        self.cache = {name: np.zeros([1, 4, 0, 16], np.float32) for name in past}
        self.tokens, self.made, self.calls = np.array([[3 + i % 900 for i in range(prompt)]]), [], []

    def step(self):
        n = self.prompt + len(self.made)
        more = {"mask": np.ones([1, n], np.int64)} if self.keeps else self.cache
        start = time.monotonic_ns()
        self.request.infer({"input_ids": self.tokens, **more})
        self.calls.append([start, time.monotonic_ns()])
        outputs = range(1 if self.keeps else 1 + len(self.past))
        logits, *present = (self.request.get_output_tensor(i).data.copy() for i in outputs)
        self.cache = dict(zip(self.past, present))
        self.made.append(int(logits[0, -1].argmax()))
        self.tokens = np.array([[self.made[-1]]])


def decode():
    """Three prompts: by a model whose cache goes in and comes out, and by one that keeps it and gets a mask."""
    ops, times, at_once = operations(), [], len(args.model) > 1
    plain, stateful = core.read_model(args.model[0]), core.read_model(args.model[0])
    past = [of.any_name for of in plain.inputs if of.any_name.startswith("past")]
    outputs = [of.any_name for of in plain.outputs if of.any_name != "logits"]
    stateful.reshape({"input_ids": [1, -1], **dict.fromkeys(past, [1, 4, -1, 16])})
    mask = ops.parameter([1, -1], np.int64, name="mask")
    mask.output(0).get_tensor().set_names({"mask"})
    stateful.add_parameters([mask])
    stateful.add_results([ops.result(ops.convert(mask, "f32"))])
    _offline_transformations.apply_make_stateful_transformation(stateful, dict(zip(past, outputs)))
    for model, keeps in ((plain, False), (stateful, True)):
        model = core.compile_model(model, "CPU", {"INFERENCE_NUM_THREADS": "1"})
        prompts = (16, 16, 40, 17, 16, 64, 16, 31) if at_once else (16, 5, 40)
        all = [Generation(model, past, prompt, keeps) for prompt in prompts]
        if at_once:
            order = random.Random(3)
            for n in range(args.runs):
                for one in order.sample(all, len(all)) if n else all:
                    one.step()
        else:
            for of in range(args.runs * len(all)):
                all[of // args.runs].step()
        for one in all:
            print(*one.made)
            times.append([one.prompt, one.calls])
    with open(args.nodes, "w") as out:
        json.dump(times, out)


def tiny():
    """A hundred nodes that take next to no time, with OpenVINO's own profile and without."""
    ops = operations()
    for is_timed in ("YES", "NO"):
        data = chain = ops.parameter([1, 4], np.float32)
        for _ in range(100):
            chain = ops.roll(chain, ops.constant(np.int64(1)), ops.constant(np.int64(1)))
        config = {"INFERENCE_NUM_THREADS": "1", "PERF_COUNT": is_timed}
        model = core.compile_model(ov.Model([chain], [data], "timed " + is_timed), "CPU", config)
        request = model.create_infer_request()
        for _ in range(args.runs):
            print(checksum(timed(request, {0: np.ones((1, 4), np.float32)})))


def serve():
    request, inputs = compiled(args.model[0]).create_infer_request(), feeds(args.model[0])
    first, differ, ended = checksum(request.infer(inputs)), 0, threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    print("ready", flush=True)
    while not ended.is_set():
        differ += checksum(timed(request, inputs)) != first
        time.sleep(0.002)
    print("differ", differ)


globals()[args.how]()
if args.times:
    with open(args.times, "w") as out:
        out.writelines(lines)
if args.how != "queue":
    print("runs", runs, "failed", failed, flush=True)
