#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tokens.py BUILD [loop|genai]...: what recording costs for each token, at level inference: of a loop by the C API of
ONNX Runtime, beyond an inference of the same model whose inputs do not grow; of onnxruntime-genai in Python, with its
inference. Beside ONNX Runtime's own profiler."""

import json
import os
import shutil
import sys

import players
import runtime

HERE = os.path.dirname(os.path.abspath(__file__))
SETS, ROUNDS, TOKENS = 9, 15, 100


class Bench:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.inftrace = os.path.join(build, "inftrace")
        self.runtime = runtime.Runtime(build)
        self.model = self.runtime.model(folder, "decoder")

    def around(self):
        path = os.path.join(self.folder, "tokens.pftrace")
        return [self.inftrace, "record", "--quiet", "--force", "--level", "inference", "--output", path, "--"]

    def rounds(self, what, playing):
        """playing: by name, a function that makes a player."""
        rounds = players.Rounds()
        for _ in range(SETS):
            rounds.play({name: (make(), TOKENS) for name, make in playing.items()}, ROUNDS)
        print(what + ": " + rounds.describe())
        for name in playing:
            print("  %-14s %10.0f ns a token (%.0f to %.0f)" % (name, *rounds.figure(lambda times: times[name])))
        return rounds


def loop(bench):
    program = os.path.join(bench.build, "bench/token_run")

    def player(how, *profile, around=()):
        return lambda: players.Player([program, bench.runtime.library, bench.model, how, *profile], around)

    rounds = bench.rounds(
        "a loop by the C API, ONNX Runtime " + bench.runtime.version,
        {
            "tokens": player("tokens"),
            "recorded": player("tokens", around=bench.around()),
            "same": player("same"),
            "same recorded": player("same", around=bench.around()),
            "profiler": player("tokens", os.path.join(bench.folder, "profile")),
        },
    )
    players.row(
        "a token of a loop over ONNX Runtime, beyond its inference",
        rounds.figure(lambda times: (times["recorded"] - times["tokens"]) - (times["same recorded"] - times["same"])),
        "ns",
        200,
        None,
        [("ORT's profiler, with the inference", rounds.figure(lambda times: times["profiler"] - times["tokens"])[0])],
        "the inference: %.0f ns" % rounds.figure(lambda times: times["same recorded"] - times["same"])[0],
    )


def genai_folder(bench, name, **options):
    folder = os.path.join(bench.folder, name)
    past, present = "past_key_values.%d.", "present.%d."
    decoder = {
        "session_options": {"intra_op_num_threads": 1, "provider_options": [], **options},
        "filename": "model.onnx",
        "head_size": 16,
        "hidden_size": 64,
        "num_attention_heads": 4,
        "num_hidden_layers": 2,
        "num_key_value_heads": 4,
        "inputs": {"input_ids": "input_ids", "past_key_names": past + "key", "past_value_names": past + "value"},
        "outputs": {"logits": "logits", "present_key_names": present + "key", "present_value_names": present + "value"},
    }
    ids = {"bos_token_id": 1, "eos_token_id": 2, "pad_token_id": 2}
    model = {**ids, "type": "llama", "vocab_size": 64, "context_length": 2048, "decoder": decoder}
    os.makedirs(folder)
    shutil.copy(bench.model, os.path.join(folder, "model.onnx"))
    with open(os.path.join(folder, "genai_config.json"), "w") as file:
        json.dump({"model": model, "search": {"past_present_share_buffer": False}}, file)
    return folder


def genai(bench):
    python = runtime.environment(bench.build, "genai", ["onnxruntime-genai", "numpy"])
    program = os.path.join(HERE, "tokens_player.py")
    profiled = genai_folder(bench, "profiled", enable_profiling=os.path.join(bench.folder, "genai"))
    plain = genai_folder(bench, "plain")

    def player(folder, *around):
        return lambda: players.Player([program, folder], [*around, python])

    rounds = bench.rounds(
        "onnxruntime-genai in Python",
        {"tokens": player(plain), "recorded": player(plain, *bench.around()), "profiler": player(profiled)},
    )
    players.row(
        "a token of onnxruntime-genai, with its inference",
        rounds.figure(lambda times: times["recorded"] - times["tokens"]),
        "ns",
        350,
        None,
        [("ORT's profiler", rounds.figure(lambda times: times["profiler"] - times["tokens"])[0])],
    )


def main(build, *names):
    folder = players.folder()
    for name in names or ["loop", "genai"]:
        try:
            {"loop": loop, "genai": genai}[name](Bench(build, folder))
        except runtime.Missing as why:
            players.left_out("tokens of " + name, why)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
