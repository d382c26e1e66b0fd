# SPDX-License-Identifier: Apache-2.0
"""no_models.py FOLDER: makes sessions from what is no model, from bytes and from paths, with good sessions and rejected
runs between. Prints each error."""

import gc
import os
import sys

import numpy as np
import onnxruntime

import ortprogram

folder = sys.argv[1]
with open(os.path.join(folder, "chain.onnx"), "rb") as file:
    model = file.read()
here = os.getcwd()
options = onnxruntime.SessionOptions()
options.log_severity_level = 4
options.optimized_model_filepath = os.path.join(here, "chain.ort")
options.add_session_config_entry("session.save_model_format", "ORT")
onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
print("worked: chain")
with open("chain.ort", "rb") as file:
    ort = file.read()

BYTES = {
    "garbage": bytes(range(100, 200)),
    "empty": b"",
    "one": b"x",
    "text": b"this is no model at all" * 40,
    "cut": model[: len(model) // 2],
    "ort": ort[: len(ort) // 2],
}
os.mkdir("directory.onnx")


def attempt(what, model):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        print("worked:", what)
    except Exception as error:
        print("failed: %s" % error)


good = ortprogram.session(os.path.join(folder, "chain.onnx"))
other = ortprogram.session(os.path.join(folder, "tiny.onnx"))
print("worked: good\nworked: other")
feeds = ortprogram.feeds(os.path.join(folder, "chain.onnx"))


def refuse():
    """A rejected run, and the release of a session: neither is a failed session."""
    global other
    try:
        good.run(None, {"x": np.zeros((3, 3), np.float32)})
    except Exception as error:
        print("run", type(error).__name__)
    other = None
    gc.collect()
    other = ortprogram.session(os.path.join(folder, "tiny.onnx"))
    print("worked: other")


for name, content in BYTES.items():
    attempt("bytes " + name, content)
    refuse()
    with open(name + ".onnx", "wb") as file:
        file.write(content)
    attempt("path " + name, name + ".onnx")
    refuse()
if int(onnxruntime.__version__.split(".")[1]) > 13:  # before, creations of this format are not seen
    attempt("path suffix", "chain.ort")
attempt("path missing", "missing.onnx")
refuse()
attempt("path directory", "directory.onnx")
refuse()
print("good", ortprogram.checksum(good.run(None, feeds)))
