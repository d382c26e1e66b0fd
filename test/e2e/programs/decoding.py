# SPDX-License-Identifier: Apache-2.0
"""Generations by a plain loop: decoding.py HOW MODEL TIMES [--prompts 16,64,256] [--tokens N]. HOW: row (one after
the other), heard (the same, each behind an encoder; MODEL is two), turns (one token of each in turn), threads (one
first, then the others), whole (each step takes all tokens, without the cache).

Prints the tokens. Writes to TIMES, for each generation: the length of the prompt, and begin and end of each call that
made a token; of the encoder's call, if there is one."""

import argparse
import json
import threading
import time

import numpy
import onnxruntime

now = time.monotonic_ns


class Generation:
    def __init__(self, session, prompt):
        self.session, self.prompt, self.tokens, self.times = session, prompt, [], []
        self.past = {
            of.name: numpy.zeros([1, of.shape[1], 0, of.shape[3]], numpy.float32)
            for of in session.get_inputs()
            if of.name.startswith("past")
        }
        self.next = numpy.array([[3 + i % 900 for i in range(prompt)]])
        self.heard = []

    def hear(self, encoder):
        sound = numpy.ones([1, 80, 3000], numpy.float32)
        begin = now()
        (self.past["heard"],) = encoder.run(None, {"sound": sound})
        self.heard = [begin, now()]

    def step(self):
        begin = now()
        logits, *present = self.session.run(None, {"input_ids": self.next, **self.past})
        self.times.append([begin, now()])
        self.past.update(zip(self.past, present))
        self.tokens.append(int(logits[0, -1].argmax()))
        self.next = numpy.array([[self.tokens[-1]]])

    def whole(self):
        nothing = {name: value[:, :, :0] for name, value in self.past.items()}
        logits = self.session.run(None, {"input_ids": self.next, **nothing})[0]
        self.tokens.append(int(logits[0, -1].argmax()))
        self.next = numpy.append(self.next, [[self.tokens[-1]]], axis=1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("how", choices=["row", "heard", "turns", "threads", "whole"])
    parser.add_argument("model")
    parser.add_argument("times")
    parser.add_argument("--prompts", default="16,64,256")
    parser.add_argument("--tokens", type=int, default=40)
    args = parser.parse_args()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session, *encoders = (
        onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        for path in args.model.split(",")
    )
    all = [Generation(session, int(prompt)) for prompt in args.prompts.split(",")]

    def run(generation):
        for _ in range(args.tokens):
            generation.whole() if args.how == "whole" else generation.step()

    if args.how == "turns":
        for _ in range(args.tokens):
            for generation in all:
                generation.step()
    elif args.how == "threads":
        run(all[0])  # what runs beside a session's first inference has no shapes in Python
        threads = [threading.Thread(target=run, args=(generation,)) for generation in all[1:]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    else:
        for generation in all:
            for encoder in encoders:
                generation.hear(encoder)
            run(generation)
    for generation in all:
        print(*generation.tokens)
    with open(args.times, "w") as out:
        json.dump([[of.prompt, of.times, *([of.heard] if of.heard else [])] for of in all], out)


main()
