# SPDX-License-Identifier: Apache-2.0
"""Generations by a plain loop: decoding.py HOW MODEL TIMES [--prompts 16,64,256] [--tokens N]. HOW: row (one after
the other), heard (the same, each behind an encoder; MODEL is two), turns (one token of each in turn), threads (one
first, then the others), whole (each step takes all tokens, without the cache), mixed (a token of each, in an order that
changes; with values of the runtime: values, bound to the session: bound).

Prints the tokens. Writes to TIMES, for each generation: the length of the prompt, and begin and end of each call that
made a token; of the encoder's call, if there is one."""

import argparse
import functools
import json
import random
import threading
import time

import numpy
import onnxruntime

now = time.monotonic_ns


def kept(numbers):
    return onnxruntime.OrtValue.ortvalue_from_numpy(numbers)


class Held:
    """A generation whose cache stays in values of the runtime."""

    def __init__(self, session, prompt, how):
        self.own, self.how = Generation(session, prompt), how
        self.prompt, self.tokens, self.times, self.heard = prompt, self.own.tokens, self.own.times, []
        self.past = {name: kept(value) for name, value in self.own.past.items()}

    def bound(self, inputs):
        binding = self.own.session.io_binding()
        for name, value in inputs.items():
            binding.bind_ortvalue_input(name, value)
        for output in self.own.session.get_outputs():
            binding.bind_output(output.name, "cpu")
        self.own.session.run_with_iobinding(binding)
        return list(binding.get_outputs())

    def step(self):
        inputs = {"input_ids": kept(self.own.next), **self.past}
        begin = now()
        if self.how == "bound":
            logits, *present = self.bound(inputs)
        else:
            logits, *present = self.own.session.run_with_ort_values(None, inputs)
        self.times.append([begin, now()])
        self.past = dict(zip(self.past, present))
        self.tokens.append(int(logits.numpy()[0, -1].argmax()))
        self.own.next = numpy.array([[self.tokens[-1]]])


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
    parser.add_argument("how", choices=["row", "heard", "turns", "threads", "whole", "mixed", "values", "bound"])
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
    kind = functools.partial(Held, how=args.how) if args.how in ("values", "bound") else Generation
    all = [kind(session, int(prompt)) for prompt in args.prompts.split(",")]

    def run(generation):
        for _ in range(args.tokens):
            generation.whole() if args.how == "whole" else generation.step()

    if args.how in ("turns", "mixed", "values", "bound"):
        order = random.Random(3)
        for _ in range(args.tokens):
            for generation in all if args.how == "turns" else order.sample(all, len(all)):
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
