# SPDX-License-Identifier: Apache-2.0
"""threeruntimes.py TFLITE ONNX FOLDER...: runs a model with LiteRT and another with ONNX Runtime and OpenVINO, 20 times
each, in turn. FOLDER: where to find the packages that this Python lacks. Last argument --serve: then runs the one that
the last line of standard input names, until that ends."""

import sys
import threading
import time

sys.path += sys.argv[3:]

import numpy as np
import onnxruntime
import openvino
from ai_edge_litert import interpreter

lite = interpreter.Interpreter(model_path=sys.argv[1])
lite.allocate_tensors()
session = onnxruntime.InferenceSession(sys.argv[2], providers=["CPUExecutionProvider"])
request = openvino.Core().compile_model(sys.argv[2], "CPU", {"INFERENCE_NUM_THREADS": "1"}).create_infer_request()
with np.load(sys.argv[2].replace(".onnx", ".npz")) as arrays:
    given = {name: arrays[name] for name in arrays.files}
runs = {
    "litert": lite.invoke,
    "onnxruntime": lambda: session.run(None, given),
    "openvino": lambda: request.infer(given),
}
for _ in range(20):
    for run in runs.values():
        run()
print("ok", flush=True)


def listen():
    global now
    for line in sys.stdin:
        now = line.strip()
    now = None


if sys.argv[-1] == "--serve":
    now = "litert"
    threading.Thread(target=listen, daemon=True).start()
    while now:
        runs[now]()
        time.sleep(0.002)
