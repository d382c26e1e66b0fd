# SPDX-License-Identifier: Apache-2.0
"""torchprogram.py HOW: a program of PyTorch.

HOW: infer (a small network; the profiler of PyTorch runs, too), nested (a module that runs the ONNX file --model by
ONNX Runtime in the folder --folder), tour (one model of each odd kind), fork (children of fork, and a loader with
workers), stale (operators whose numbers lie where tensors of others lay), serve (until standard input ends). Standard
output is the same in every run.
--profile FILE: what PyTorch's own profiler counted. --times FILE: when each inference began and ended."""

import argparse
import collections
import json
import os
import sys
import threading
import time

import torch

parser = argparse.ArgumentParser()
parser.add_argument("how")
parser.add_argument("--runs", type=int, default=5)
parser.add_argument("--times")
parser.add_argument("--folder")
parser.add_argument("--model")
parser.add_argument("--profile")
args = parser.parse_args()
torch.manual_seed(0)
torch.set_num_threads(1)
lines, runs, failed = [], 0, 0


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv, self.act = torch.nn.Conv2d(width, width, 3, padding=1), torch.nn.ReLU()

    def forward(self, x):
        return x + self.act(self.conv(x))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = torch.nn.Conv2d(3, 4, 3)
        self.blocks = torch.nn.Sequential(Block(4), Block(4))
        self.head = torch.nn.Linear(4, 3)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


class Fussy(torch.nn.Module):
    """An inner module raises; the second time the outer one handles it."""

    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 2)
        self.catches = False

    def forward(self, x):
        try:
            return self.inner(x)
        except RuntimeError:
            if not self.catches:
                raise
            return x


class Picky(torch.nn.Module):
    def forward(self, x):
        raise ValueError("nothing but zeroes")


class Tree(torch.nn.Module):
    """Calls itself."""

    def forward(self, depth):
        return 1 if not depth else self(depth - 1) + self(depth - 1)


class Stream(torch.nn.Module):
    """A generator: the call ends before its body begins."""

    def __init__(self):
        super().__init__()
        self.step = torch.nn.Linear(2, 2)

    def forward(self, n):
        for _ in range(n):
            yield self.step(torch.ones(1, 2))


class Trainee(torch.nn.Linear):
    pass


class Shared(torch.nn.Linear):
    pass


class Careless(torch.nn.Module):
    """In training mode, with gradients."""

    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Dropout(0.5))

    def forward(self, x):
        return {"logits": self.inner(x)}


class Careful(Careless):
    pass


class Chatty(torch.nn.Module):
    def forward(self, x):
        for i in range(40):
            x = x * 1.01 if i % 3 else x + 1
        return x


class Computes(Chatty):
    """As many small operators, and one that takes most of the time, with others inside."""

    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 16, 3)

    def forward(self, x):
        self.convolution(torch.ones(1, 3, 128, 128))
        return super().forward(x)


class Converts(torch.nn.Module):
    def forward(self, x):
        return x.double().mul_(2).float()


class Mixed(torch.nn.Module):
    """Half of it has no data."""

    def __init__(self):
        super().__init__()
        self.here, self.away = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4, device="meta")

    def forward(self, x):
        return self.away(self.here(x).to("meta"))


def timed(model, *inputs):
    global runs, failed
    start = time.monotonic_ns()
    try:
        return model(*inputs)
    except (RuntimeError, ValueError):
        failed += 1
        raise
    finally:
        runs += 1
        lines.append("%d %d %d\n" % (start, time.monotonic_ns(), threading.get_native_id()))


class Asks(torch.nn.Module):
    """Runs another runtime inside, after a session that it refuses."""

    def __init__(self, run):
        super().__init__()
        self.before, self.run = torch.nn.Linear(2, 2), run

    def forward(self, x):
        self.before(x)
        return torch.from_numpy(self.run()[0])


def nested():
    sys.path.append(args.folder)
    import numpy as np
    import onnxruntime

    session = onnxruntime.InferenceSession(args.model, providers=["CPUExecutionProvider"])
    with np.load(args.model.replace(".onnx", ".npz")) as arrays:
        given = {name: arrays[name] for name in arrays.files}

    def ask():
        try:
            onnxruntime.InferenceSession("/nonexistent.onnx")
        except Exception as error:  # noqa: BLE001
            print(type(error).__name__)
        return session.run(None, given)

    model = Asks(ask).eval()
    with torch.no_grad():
        for _ in range(args.runs):
            print("%.4f" % timed(model, torch.ones(1, 2)).sum())


class Stale(torch.nn.Module):
    """4096, beside 1, looks like the address of a tensor to who looks at a stack."""

    def forward(self, x):
        for _ in range(40):
            x = x.view(4096, 1).expand(4096, 1).reshape(4096, 1) + torch.zeros(4096, 1)
        return x


def stale():
    given = [torch.zeros(4) + i for i in range(300)]  # before any module
    with torch.no_grad():
        for _ in range(args.runs):
            print("%.1f" % timed(Stale(), torch.ones(4096, 1)).sum())
    print(len(given))


def infer():
    model, x = Net().eval(), torch.rand(2, 3, 16, 16)
    with torch.no_grad():
        if not args.profile:
            for _ in range(args.runs):
                print("%.4f" % timed(model, x).sum())
            return
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True) as profile:
            for _ in range(args.runs):
                y = timed(model, x)
    print("%.4f" % y.sum())
    with open(args.profile, "w") as out:
        # its tables leave out an operator whose only part has the same name
        events = profile.profiler.kineto_results.events()
        shapes = [[event.name(), *filter(None, event.shapes())] for event in events]
        json.dump([collections.Counter(event.name() for event in events), shapes], out)


def fails():
    fussy = Fussy()
    for width in (4, 3, 4):
        try:
            print(list(timed(fussy, torch.ones(1, width)).shape))
        except RuntimeError:
            print("failed")
    fussy.catches = True
    print(list(timed(fussy, torch.ones(1, 3)).shape))
    try:
        timed(Picky(), torch.ones(1))
    except ValueError as why:
        print(why)


def trains():
    model = Trainee(4, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        timed(model, torch.ones(1, 4)).sum().backward()
        optimizer.step()
    print("%.4f" % model.weight.sum())


def shares():
    model = Shared(8, 8)

    def work():
        with torch.no_grad():
            for _ in range(25):
                model(torch.ones(4, 8))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def passes():
    """Modules that live for one call; their addresses come again."""
    for i in range(100):
        with torch.no_grad():
            (torch.nn.Tanh, torch.nn.Sigmoid)[i % 2]()(torch.ones(1))


def habits():
    careless, careful, mixed, chatty, converts = Careless(), Careful().eval(), Mixed(), Chatty(), Converts()
    computes = Computes()
    for _ in range(30):
        careless(torch.ones(2, 64))
    for size in (2, 2, 32) * 10:
        with torch.inference_mode():
            careful(x=torch.ones(size, 64))
    with torch.no_grad():
        for _ in range(120):  # medians of microseconds
            chatty(torch.ones(4))
            computes(torch.ones(4))
        for _ in range(30):
            mixed(torch.ones(2, 4))
        for _ in range(10):
            converts(torch.ones(1000, 1000))
        mixed.to("meta")
        for _ in range(3):
            mixed(torch.ones(2, 4, device="meta"))
    careful.train()
    for _ in range(5):
        sum(careful(torch.ones(2, 64))["logits"].sum() for _ in range(2)).backward()
    print(all(parameter.grad is not None for parameter in careful.parameters()))


def tour():
    fails()
    print(timed(Tree(), 3))
    print(len(list(timed(Stream(), 4))))
    trains()
    shares()
    passes()
    scripted = torch.jit.script(torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU()))
    with torch.no_grad():
        print("%s" % list(timed(scripted, torch.ones(2, 4)).shape))
        traced = torch.jit.trace(torch.nn.Sequential(torch.nn.Tanh()), torch.ones(2))
        print("%s" % list(timed(traced, torch.ones(2)).shape))


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return torch.full((4,), float(i))


def fork():
    model = Net().eval()
    with torch.no_grad():
        model(torch.rand(1, 3, 8, 8))
        for _ in range(2):
            child = os.fork()
            if not child:
                for _ in range(args.runs):
                    model(torch.rand(1, 3, 8, 8))
                os._exit(0)
            print(os.waitpid(child, 0)[1])
        loaded = torch.utils.data.DataLoader(Numbers(), batch_size=4, num_workers=2)
        print([list(batch.shape) for batch in loaded])
        model(torch.rand(1, 3, 8, 8))


def serve():
    model, x, differ, ended = Net().eval(), torch.rand(1, 3, 16, 16), 0, threading.Event()
    with torch.no_grad():
        first = model(x)
        threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
        print("ready", flush=True)
        while not ended.is_set():
            differ += not torch.equal(timed(model, x), first)
            time.sleep(0.002)
    print("differ", differ)


globals()[args.how]()
if args.times:
    with open(args.times, "w") as out:
        out.writelines(lines)
print("runs", runs, "failed", failed, flush=True)
