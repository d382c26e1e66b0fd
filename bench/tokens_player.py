# SPDX-License-Identifier: Apache-2.0
"""tokens_player.py CPU FOLDER: a player (player.h) in Python that makes tokens by onnxruntime-genai. Each turn is a
generation of N tokens; the prompt and the first ones are not measured."""

import statistics
import sys
import time

import numpy
import onnxruntime_genai
from others_player import pin

PROMPT, MORE = 16, 10


def turn(model, n):
    params = onnxruntime_genai.GeneratorParams(model)
    longest = PROMPT + MORE + n + 1
    params.set_search_options(max_length=longest, min_length=longest, do_sample=False)
    generator, times = onnxruntime_genai.Generator(model, params), []
    generator.append_tokens(numpy.arange(3, PROMPT + 3, dtype=numpy.int32))
    for _ in range(MORE):
        generator.generate_next_token()
    for _ in range(n):
        begin = time.perf_counter_ns()
        generator.generate_next_token()
        times.append(time.perf_counter_ns() - begin)
    return times


def main(cpu, folder):
    pin(int(cpu))
    model = onnxruntime_genai.Model(folder)
    print("ready", flush=True)
    for line in sys.stdin:
        times = turn(model, int(line.split()[0]))
        print(statistics.median(times), statistics.fmean(times), flush=True)


main(*sys.argv[1:])
