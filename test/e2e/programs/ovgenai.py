# SPDX-License-Identifier: Apache-2.0
"""Generations by OpenVINO GenAI: ovgenai.py FOLDER TIMES. Makes a small decoder in FOLDER, and runs it with paged
attention, with a cache inside of the model, with beams, and with several requests at a time. Prints the tokens. Writes
to TIMES, for each generation: the length of its prompt, the tokens that it has made, nanoseconds to the first of them,
and for each further one, as the package has measured these. It has not where null is written; then the time for each
token is that of the steps that handed tokens out."""

import json
import os
import sys
import time

import numpy
import openvino
import openvino_genai as genai
from openvino import opset13 as ops
from openvino.op import assign, read_value, util

WIDTH, HEADS, WORDS, LAYERS, LONGEST = 64, 4, 500, 2, 2048
SIZE = WIDTH // HEADS
random = numpy.random.default_rng(0)


def weights(*shape):
    return ops.constant((random.standard_normal(shape) * 0.1).astype(numpy.float32))


def integers(*values):
    return ops.constant(numpy.array(values))


def of_heads(x, weight):
    x = ops.reshape(ops.matmul(x, weight, False, False), integers(0, 0, HEADS, SIZE), True)
    return ops.transpose(x, integers(0, 2, 1, 3))


class Decoder:
    """As those that optimum-intel exports: caches are variables, which beam_idx sorts."""

    def __init__(self):
        kinds = {"input_ids": "i64", "attention_mask": "i64", "position_ids": "i64", "beam_idx": "i32"}
        self.inputs, self.kept = {}, []
        for name, kind in kinds.items():
            input = ops.parameter([-1] if name == "beam_idx" else [-1, -1], getattr(openvino.Type, kind), name=name)
            input.output(0).get_tensor().set_names({name})
            self.inputs[name] = input

    def cached(self, name, new):
        batch = ops.gather(ops.shape_of(self.inputs["input_ids"]), integers(0), integers(0))
        nothing = ops.broadcast(ops.constant(numpy.float32(0)), ops.concat([batch, integers(HEADS, 0, SIZE)], 0))
        of = util.VariableInfo()
        of.data_shape, of.data_type, of.variable_id = (
            openvino.PartialShape([-1, HEADS, -1, SIZE]),
            openvino.Type.f32,
            name,
        )
        variable = util.Variable(of)
        sorted = ops.gather(read_value(nothing, variable), self.inputs["beam_idx"], integers(0))
        whole = ops.concat([sorted, new], 2)
        self.kept.append(assign(whole, variable))
        return whole

    def layer(self, i, x, mask):
        key, value = (
            self.cached(f"past_key_values.{i}.{of}present.{i}.{of}", of_heads(x, weights(WIDTH, WIDTH)))
            for of in ("key", "value")
        )
        query = of_heads(x, weights(WIDTH, WIDTH))
        seen = ops.scaled_dot_product_attention(query, key, value, mask, causal=False)
        seen = ops.reshape(ops.transpose(seen, integers(0, 2, 1, 3)), integers(0, 0, WIDTH), True)
        return ops.add(x, ops.matmul(seen, weights(WIDTH, WIDTH), False, False))

    def model(self):
        words, inputs = weights(WORDS, WIDTH), self.inputs
        x = ops.gather(words, inputs["input_ids"], integers(0))
        x = ops.add(x, ops.gather(weights(LONGEST, WIDTH), inputs["position_ids"], integers(0)))
        mask = ops.subtract(ops.convert(inputs["attention_mask"], "f32"), ops.constant(numpy.float32(1)))
        mask = ops.multiply(ops.unsqueeze(mask, integers(1, 2)), ops.constant(numpy.float32(1e9)))
        for i in range(LAYERS):
            x = self.layer(i, x, mask)
        logits = ops.matmul(x, words, False, True)
        logits.output(0).get_tensor().set_names({"logits"})
        return openvino.Model([ops.result(logits)], self.kept, list(inputs.values()), "decoder")


def make(folder):
    os.makedirs(folder, exist_ok=True)
    openvino.save_model(Decoder().model(), folder + "/openvino_model.xml", compress_to_fp16=False)
    ids = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 0}
    heads = {"num_attention_heads": HEADS, "num_key_value_heads": HEADS, "num_hidden_layers": LAYERS}
    of = {"model_type": "llama", "hidden_size": WIDTH, "vocab_size": WORDS, **heads, **ids}
    for name, content in (("config", of), ("generation_config", ids)):
        with open(f"{folder}/{name}.json", "w") as file:
            json.dump(content, file)


def wanted(tokens, **more):
    of = genai.GenerationConfig()
    of.max_new_tokens = of.min_new_tokens = tokens
    of.ignore_eos, of.do_sample = True, False
    for name, value in more.items():
        setattr(of, name, value)
    return of


def prompt(n, first=3):
    return openvino.Tensor(numpy.array([[first + i % 400 for i in range(n)]]))


def in_a_row(pipe, times, **more):
    for n in (16, 64, 5):
        made = pipe.generate(prompt(n), wanted(20, **more))
        print(*made.tokens[0])
        of = made.perf_metrics
        first, each = int(of.get_ttft().mean * 1e6), of.get_tpot().mean * 1e6
        times.append([n, 20 * more.get("num_beams", 1), first, each])


def at_once(folder, times):
    """A prompt goes in in parts; two have the same length; they end at different times."""
    scheduler = genai.SchedulerConfig()
    scheduler.cache_size, scheduler.max_num_batched_tokens, scheduler.dynamic_split_fuse = 1, 64, True
    pipe = genai.ContinuousBatchingPipeline(folder, scheduler, "CPU")
    requests = [(40, 12), (40, 6), (7, 30), (150, 9), (9, 20)]
    handles = [pipe.add_request(i, prompt(n, 3 + 50 * i), wanted(tokens)) for i, (n, tokens) in enumerate(requests)]
    made, ends = [[] for _ in handles], [[] for _ in handles]
    while pipe.has_non_finished_requests():
        pipe.step()
        end = time.monotonic_ns()
        for i, handle in enumerate(handles):
            if handle.can_read():
                for new in handle.read().values():
                    made[i] += new.generated_ids
                    ends[i].append(end)
    for i, (n, tokens) in enumerate(requests):
        print(*made[i])
        times.append([n, tokens, None, (ends[i][-1] - ends[i][0]) / (tokens - 1)])


def main():
    folder, path = sys.argv[1:]
    times = []
    if not os.path.exists(folder):
        make(folder)
    in_a_row(genai.LLMPipeline(folder, "CPU", ATTENTION_BACKEND="PA"), times)
    in_a_row(genai.LLMPipeline(folder, "CPU", ATTENTION_BACKEND="SDPA"), times)
    in_a_row(genai.LLMPipeline(folder, "CPU", ATTENTION_BACKEND="SDPA"), times, num_beams=3)
    at_once(folder, times)
    with open(path, "w") as out:
        json.dump(times, out)


main()
