# SPDX-License-Identifier: Apache-2.0
"""keep.py WHAT MODEL: runs a model and keeps each of its "outputs", or each "session", or neither ("no-outputs",
"no-sessions"): what it does not keep is given back before the next one."""

import gc

import onnxruntime

import ortprogram

args = ortprogram.arguments("what", "model")
feeds = ortprogram.feeds(args.model)
kept = []
session = ortprogram.session(args.model, args)
values = {name: onnxruntime.OrtValue.ortvalue_from_numpy(array) for name, array in feeds.items()}
for _ in range(args.runs):
    if args.what.endswith("sessions"):
        session = None
        gc.collect()
        session = ortprogram.session(args.model, args)
    outputs = session.run_with_ort_values(None, values)
    if args.what == "sessions":
        kept.append(session)
    elif args.what == "outputs":
        kept.append(outputs)
    del outputs
print("runs", args.runs, "failed", 0)
