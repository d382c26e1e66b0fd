# SPDX-License-Identifier: Apache-2.0
"""What programs do with the generators of onnxruntime-genai: genaicalls.py FOLDER TIMES. Prints the tokens.

Writes to TIMES, for each generation: the length of its prompt, how many tokens were cached before, sequences at a time,
when the prompt began to go in, and begin and end of each call that made a token."""

import json
import sys
import time

import numpy
import onnxruntime_genai as genai

now = time.monotonic_ns
folder, times = sys.argv[1:]
model = genai.Model(folder)
told = []


def generator(length, **search):
    params = genai.GeneratorParams(model)
    params.set_search_options(max_length=length, min_length=length, do_sample=False, **search)
    return genai.Generator(model, params)


def make(of, n_tokens, prompt=0, cached=0, parts=1, batch=1):
    if cached and prompt and int(genai.__version__.split(".")[1]) > 8:  # which leaves the last token out otherwise
        of.get_logits()
    begin, calls = now(), []
    for part in numpy.array_split(numpy.arange(3, prompt + 3, dtype=numpy.int32), parts):
        if prompt:
            of.append_tokens(numpy.tile(part, (batch, 1)) if batch > 1 else part)
    for _ in range(n_tokens):
        since = now()
        of.generate_next_token()
        calls.append([since, now()])
    told.append([prompt or 1, cached, batch, begin, calls])


one = generator(200)
make(one, 10, prompt=20)
make(one, 5, prompt=7, cached=30)  # as a chat goes on
one.rewind_to(25)
make(one, 4, prompt=6, cached=25)
try:
    one.append_tokens(numpy.arange(500, dtype=numpy.int32))
except Exception as error:
    print(error)
print(*one.get_sequence(0))
del one
chunks = generator(100)
make(chunks, 6, prompt=30, parts=3)
print(*chunks.get_sequence(0))
many = generator(50, batch_size=3)
make(many, 8, prompt=12, batch=3)
for i in range(3):
    print(*many.get_sequence(i))
long = generator(400)
make(long, 300, prompt=16)
print(*long.get_sequence(0))
with open(times, "w") as out:
    json.dump(told, out)
