# SPDX-License-Identifier: Apache-2.0
"""Requests of an engine of onnxruntime-genai: genaiengine.py FOLDER TIMES [--prompts 16,64] [--tokens 20,5]. Prints the
tokens of each; the first one goes on at the end.

Writes to TIMES, for each turn: the length of its prompt, how many tokens were cached before, when it was handed over,
and begin and end of each call that made a token."""

import argparse
import json
import time

import numpy
import onnxruntime_genai as genai

now = time.monotonic_ns
parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("times")
parser.add_argument("--prompts", default="16,64,16,30,48,20")
parser.add_argument("--tokens", default="20,20,14,17,12,9")
args = parser.parse_args()
engine = genai.Engine(genai.Model(args.folder))
buffer = engine.create_event_buffer(64)
told, requests = [], []


class Turn:
    def __init__(self, request, prompt, n_tokens, cached=0):
        self.prompt, self.cached, self.calls, self.request = prompt, cached, [], request
        options = genai.TurnOptions(request)
        options.set_max_generated_tokens(n_tokens)
        options.set_min_generated_tokens(n_tokens)
        self.begin = now()
        request.begin_turn(numpy.arange(3, prompt + 3, dtype=numpy.int32), options)
        self.tokens = []


def run(turns, close=True):
    """A request that stays open keeps its place in the batch."""
    while engine.has_pending_requests():
        begin = now()
        events = engine.run(buffer)
        end = now()
        for event in events:
            turn = next(turn for turn in turns if turn.request == event.request)
            if event.token is not None:
                turn.tokens.append(event.token)
                turn.calls.append([begin, end])
            if close and event.finish_reason != genai.FinishReason.NONE:
                turn.request.close()
    for turn in turns:
        print(*turn.tokens)
        told.append([turn.prompt, turn.cached, turn.begin, turn.calls])


def request():
    options = genai.RequestOptions()
    options.set_max_session_tokens(200)
    requests.append(engine.create_request(options=options))
    return requests[-1]


sizes = [(int(n), int(many)) for n, many in zip(args.prompts.split(","), args.tokens.split(","))]
run([Turn(request(), *size) for size in sizes])
alone = request()
run([Turn(alone, 10, 6)], close=False)
run([Turn(alone, 7, 5, cached=16)])
with open(args.times, "w") as out:
    json.dump(told, out)
