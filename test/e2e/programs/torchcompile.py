# SPDX-License-Identifier: Apache-2.0
"""torchcompile.py: modules and functions that torch.compile compiles, one of them in pieces, again for other sizes, or
in vain. Standard output is the same in every run.
--profile FILE: how many graphs PyTorch itself counted for each. --serve: one function, until standard input ends."""

import argparse
import json
import sys
import threading
import time

import torch
import torch._dynamo

parser = argparse.ArgumentParser()
parser.add_argument("--profile")
parser.add_argument("--serve", action="store_true")
args = parser.parse_args()
torch.manual_seed(0)
torch.set_num_threads(1)
counted = {}


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(8, 4)

    def forward(self, x):
        return torch.relu(self.inner(x)) * 2


class Pieces(torch.nn.Module):
    """Two graphs: what lies between them cannot be compiled."""

    def forward(self, x):
        x = x + 1
        torch._dynamo.graph_break()
        return x * 2


class Refused(torch.nn.Module):
    def forward(self, x):
        x = x + 1
        torch._dynamo.graph_break()
        return x * 3


@torch.compile(backend="eager")
def inside(x):
    return x * 3


def add(x):
    """Calls another compiled one by Python, between two graphs."""
    x = x + 1
    torch._dynamo.graph_break()
    return inside(x)


def broken(x):
    torch._dynamo.graph_break()
    raise ValueError("no luck")


class Runner:
    def step(self, x):
        return x + 2


class Plain(torch.nn.Module):
    def forward(self, x):
        return x * 4


plain = Plain()


def run(name, compiled, sizes):
    torch._dynamo.utils.counters.clear()
    for n in sizes:
        try:
            print(name, n, round(float(compiled(torch.ones(n, 8)).sum()), 4))
        except Exception as why:
            print(name, n, type(why).__name__)
    counted[name] = torch._dynamo.utils.counters["stats"]["unique_graphs"]


def serve():
    """No operator of PyTorch outside of the function."""
    step, x, runs, ended = torch.compile(Runner().step, backend="eager"), torch.ones(2, 8), 1, threading.Event()
    first = step(x)
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    print("ready", flush=True)
    while not ended.is_set():
        last, runs = step(x), runs + 1
        time.sleep(0.002)
    print("differ", int(not torch.equal(first, last)))
    print("runs", runs, "failed 0")
    sys.exit()


with torch.no_grad():
    if args.serve:
        serve()
    run("Net", torch.compile(Net(), backend="eager", dynamic=False), [2, 2, 2, 5, 5, 7, 2])
    run("Pieces", torch.compile(Pieces(), backend="eager"), [2, 2, 2])
    run("Refused", torch.compile(Refused(), backend="eager", fullgraph=True), [2, 2])
    run("add", torch.compile(add, backend="eager"), [2, 2])
    run("broken", torch.compile(broken, backend="eager"), [2, 2])
    run("Runner.step", torch.compile(Runner().step, backend="eager"), [2, 2])
    run("Plain", torch.compile(plain.forward, backend="eager"), [2, 2])
    print(round(float(plain(torch.ones(2, 8)).sum()), 4))
if args.profile:
    with open(args.profile, "w") as file:
        json.dump(counted, file)
