# SPDX-License-Identifier: Apache-2.0
"""Requests of an engine of onnxruntime-genai before 0.18: genaisteps.py FOLDER TIMES. Prints the tokens of each.

Writes to TIMES, for each request: the length of its prompt, when it was handed over, and the end of each call that
returned the request."""

import json
import sys
import time

import numpy
import onnxruntime_genai as genai

now = time.monotonic_ns
folder, times = sys.argv[1:]
model = genai.Model(folder)
engine, told, made = genai.Engine(model), [], []
for prompt, n_tokens in (16, 20), (64, 20), (16, 14), (30, 17), (48, 12), (20, 9):
    params = genai.GeneratorParams(model)
    params.set_search_options(max_length=prompt + n_tokens, min_length=prompt + n_tokens, do_sample=False)
    request = genai.Request(params)
    told.append([prompt, now(), []])
    request.add_tokens(numpy.arange(3, prompt + 3, dtype=numpy.int32))
    engine.add_request(request)
    request.set_opaque_data(len(made))
    made.append((request, []))
while engine.has_pending_requests():
    request = engine.step()
    end = now()
    at = request.get_opaque_data()
    while request.has_unseen_tokens():
        made[at][1].append(request.get_unseen_token())
        told[at][2].append(end)
    if request.is_done():
        engine.remove_request(request)
for _, tokens in made:
    print(*tokens)
with open(times, "w") as out:
    json.dump(told, out)
