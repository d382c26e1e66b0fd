#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""diff.py BUILD [--recordings N] [--inferences N] [--busy N] [--keep FOLDER]: how often `inftrace diff` is wrong.

Records one program again and again, in turn with the same program whose model has one operator that works on 5 % more
rows, and another real model (resnet18). Then compares recordings of one program with each other, one, three and five a
side: whatever is called different is a false alarm. Recordings of the two programs: the operators of that layer are to
be named. --busy starts so many programs beside it that use a CPU each. What differs from process to process is what is
measured, so each recording has a process of its own."""

import argparse
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import players
import runtime

ROWS, WIDTH, SLOW = 200, 256, 7
SIDES = (1, 3, 5)
DRAWS = 60  # comparisons of several recordings a side, and of the two programs

MAKER = """
import sys
import numpy as np, onnx
from onnx import TensorProto, helper, numpy_helper

path, n_rows, n_usual, width, slow = sys.argv[1], *map(int, sys.argv[2:])
noise = np.random.default_rng(3)
nodes, inputs, outputs, weights = [], [], [], []
for i in range(12):
    shape = [n_rows if i == slow else n_usual, width]
    weights.append(numpy_helper.from_array(noise.standard_normal((width, width)).astype(np.float32), f"w{i}"))
    inputs.append(helper.make_tensor_value_info(f"x{i}", TensorProto.FLOAT, shape))
    outputs.append(helper.make_tensor_value_info(f"z{i}", TensorProto.FLOAT, shape))
    nodes.append(helper.make_node("MatMul", [f"x{i}", f"w{i}"], [f"y{i}"], name=f"/layer{i}/MatMul"))
    nodes.append(helper.make_node("Sin", [f"y{i}"], [f"z{i}"], name=f"/layer{i}/Sin"))
graph = helper.make_graph(nodes, "branches", inputs, outputs, weights)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)])
model.ir_version = 7
onnx.save(model, path)
"""

PROGRAM = """
import sys
import numpy as np, onnxruntime

options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
session = onnxruntime.InferenceSession(sys.argv[1], options, providers=["CPUExecutionProvider"])
noise = np.random.default_rng(1)
feeds = {
    i.name: noise.standard_normal([n if isinstance(n, int) else 1 for n in i.shape]).astype(np.float32)
    for i in session.get_inputs()
}
for _ in range(int(sys.argv[2])):
    session.run(None, feeds)
"""


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.inftrace = os.path.join(options.build, "inftrace")
        self.runtime = runtime.Runtime(options.build)

    def make(self, name, rows):
        path = os.path.join(self.folder, name, "branches.onnx")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        numbers = [str(n) for n in (rows, ROWS, WIDTH, SLOW)]
        subprocess.run([self.runtime.python, "-c", MAKER, path, *numbers], check=True)
        return path

    def record(self, model, name, n_inferences):
        path = os.path.join(self.folder, name + ".pftrace")
        program = [self.runtime.python, "-c", PROGRAM, model, str(n_inferences)]
        command = [self.inftrace, "record", "--quiet", "--force", "--output", path, "--", *program]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return path

    def recordings(self):
        """{what: paths}, in turn."""
        models = {
            "same": self.make("same", ROWS),
            "resnet18": self.runtime.model(self.folder, "resnet18"),
            "slower": self.make("slower", ROWS * 105 // 100),
        }
        made = {what: [] for what in models}
        for i in range(self.options.recordings):
            for what, model in models.items():
                made[what].append(self.record(model, f"{what}-{i}", self.options.inferences))
            print(f"\r{i + 1} of {self.options.recordings} recordings of each", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        return made

    def named(self, base, new):
        """{name: change} of all that is called worse or better."""
        sides = [word for path in base for word in ("--base", path)] + list(new)
        done = subprocess.run([self.inftrace, "diff", "--json", *sides], stdout=subprocess.PIPE, check=False)
        diff, found = json.loads(done.stdout), {}
        for model in diff["models"]:
            rows = {row["base"]["name"]: row["time_ns"] for row in model["operators"]}
            found.update({**model["figures"], **model["phases"], **rows})
        found.update({row["scope"] + " " + row["name"]: row["max"] for row in diff["resources"]})
        return {name: value["change"] for name, value in found.items() if value["says"] in ("worse", "better")}

    def draws(self, paths, n_a_side):
        """Pairs of sides: all of single recordings, some of several, which were recorded in turn."""
        if n_a_side == 1:
            yield from (((a,), (b,)) for a, b in itertools.combinations(paths, 2))
            return
        for _ in range(DRAWS if len(paths) >= 2 * n_a_side else 0):
            drawn = sorted(random.sample(range(len(paths)), 2 * n_a_side))
            yield [paths[i] for i in drawn[::2]], [paths[i] for i in drawn[1::2]]

    def alarms(self, what, paths):
        for n_a_side in SIDES:
            found = [self.named(*sides) for sides in self.draws(paths, n_a_side)]
            wrong = [names for names in found if names]
            print(f"  {what:9s} {n_a_side} a side: {len(wrong):3d} of {len(found):3d} false", *wrong[:3])

    def finds(self, same, slower):
        for n_a_side in SIDES:
            counts = {"MatMul": 0, "Sin": 0, "others": 0}
            for _ in range(DRAWS if len(same) >= n_a_side else 0):
                drawn = random.sample(range(len(same)), n_a_side)
                found = self.named([same[i] for i in drawn], [slower[i] for i in drawn])
                counts["MatMul"] += found.pop(f"/layer{SLOW}/MatMul", 0) > 0
                counts["Sin"] += found.pop(f"/layer{SLOW}/Sin", 0) > 0
                counts["others"] += bool(found)
            print(f"  slower    {n_a_side} a side: of {DRAWS}, {counts}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--recordings", type=int, default=16)
    parser.add_argument("--inferences", type=int, default=500)
    parser.add_argument("--busy", type=int, default=0)
    parser.add_argument("--keep", help="a folder for the recordings")
    options = parser.parse_args()
    random.seed(1)
    folder = options.keep or tempfile.mkdtemp(prefix="inftrace-diff-")
    os.makedirs(folder, exist_ok=True)
    try:
        bench = Bench(options, folder)
        with players.busy(options.busy):
            made = bench.recordings()
        print(f"inftrace diff, {options.recordings} recordings of {options.inferences} inferences, {options.busy} busy")
        for what, paths in made.items():
            bench.alarms(what, paths)
        bench.finds(made["same"], made["slower"])
    except runtime.Missing as missing:
        print("left out:", missing)
    finally:
        if not options.keep:
            shutil.rmtree(folder)


main()
