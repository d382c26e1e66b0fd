# SPDX-License-Identifier: Apache-2.0
"""Generations by onnxruntime-genai: genai.py FOLDER TIMES [--prompts 16,64] [--tokens N]; first in a row, then
a token of each in turn. FOLDER has a model and a genai_config.json, and no tokenizer.

Prints the tokens. Writes to TIMES, for each generation: the length of the prompt, 1, when it began to go in, and begin
and end of each call that made a token."""

import argparse
import json
import time

import numpy
import onnxruntime_genai

now = time.monotonic_ns
parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("times")
parser.add_argument("--prompts", default="16,64,16,30")
parser.add_argument("--tokens", type=int, default=20)
args = parser.parse_args()
model = onnxruntime_genai.Model(args.folder)


class Generation:
    def __init__(self, n):
        params = onnxruntime_genai.GeneratorParams(model)
        params.set_search_options(max_length=n + args.tokens, min_length=n + args.tokens, do_sample=False)
        self.generator, self.n, self.calls = onnxruntime_genai.Generator(model, params), n, []

    def step(self):
        begin = now()
        if not self.calls:
            self.generator.append_tokens(numpy.arange(3, self.n + 3, dtype=numpy.int32))
        self.generator.generate_next_token()
        self.calls.append([begin, now()])


def generations():
    return [Generation(int(n)) for n in args.prompts.split(",")]


in_a_row, in_turns = generations(), generations()
for generation in in_a_row:
    for _ in range(args.tokens):
        generation.step()
for _ in range(args.tokens):
    for generation in in_turns:
        generation.step()
for of in (*in_a_row, *in_turns):
    print(*of.generator.get_sequence(0))
with open(args.times, "w") as out:
    json.dump([[of.n, 1, of.calls[0][0], of.calls] for of in (*in_a_row, *in_turns)], out)
