# SPDX-License-Identifier: Apache-2.0
"""threeruntimes.py TFLITE ONNX FOLDER...: runs a model with LiteRT and another with ONNX Runtime and OpenVINO, 20 times
each, in turn. FOLDER: where to find the packages that this Python lacks."""

import sys

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
for _ in range(20):
    lite.invoke()
    session.run(None, given)
    request.infer(given)
print("ok")
