# SPDX-License-Identifier: Apache-2.0
"""create.py HOW MODEL: creates --sessions sessions of a model, one after the other, and runs each of them once.

HOW: file, bytes (from memory), ort (converted to ORT's own format first), threads (--threads at a time), broken (of the
first half of the file: each fails), still (pool threads do not spin), kept (the same, and none is released),
processes (each in a child of its own), heirs (the same, after the parent has created one)."""

import os
import tempfile
import threading

import onnxruntime

import ortprogram

args = ortprogram.arguments("how", "model")
feeds = ortprogram.feeds(args.model)
account = ortprogram.Account(args.times)
sums, refused, kept = [], [], []


def create(model, n=args.sessions):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = args.pool
    if args.how in ("still", "kept"):
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    for _ in range(n):
        try:
            session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except Exception as why:
            refused.append(type(why).__name__)
            continue
        sums.append(ortprogram.checksum(account.timed(session.run, None, feeds)))
        if args.how == "kept":
            kept.append(session)


def create_in_children(model):
    """A child ends without a word: standard output is the parent's."""
    for _ in range(args.sessions):
        child = os.fork()
        if not child:
            create(model, 1)
            os._exit(len(refused))
        refused.extend([child] if os.waitpid(child, 0)[1] else [])


def converted(model, folder):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.optimized_model_filepath = os.path.join(folder, "model.ort")
    options.add_session_config_entry("session.save_model_format", "ORT")
    onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return options.optimized_model_filepath


with tempfile.TemporaryDirectory() as folder:
    model = args.model
    with open(model, "rb") as file:
        data = file.read()
    if args.how == "bytes":
        model = data
    elif args.how == "ort":
        model = converted(model, folder)
    elif args.how == "broken":
        model = os.path.join(folder, "broken.onnx")
        with open(model, "wb") as file:
            file.write(data[: len(data) // 2])
    if args.how == "heirs":
        create(model, 1)
    if args.how in ("heirs", "processes"):
        create_in_children(model)
    else:
        threads = [threading.Thread(target=create, args=[model]) for _ in range(args.threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
print(*sorted(sums), *refused)
account.close()
