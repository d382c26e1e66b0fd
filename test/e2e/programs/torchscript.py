# SPDX-License-Identifier: Apache-2.0
"""torchscript.py FILE [make]: scripts of TorchScript; FILE is a model that it makes, or loads and runs. One call fails.
Standard output is the same in every run."""

import sys

import torch

torch.manual_seed(0)
torch.set_num_threads(1)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(8, 8)

    def forward(self, x):
        return torch.relu(self.inner(x)) * 2 + 1

    @torch.jit.export
    def twice(self, x):
        return x * 2


@torch.jit.script
def add(x):
    return torch.relu(x + 1) * 2


unit = torch.jit.CompilationUnit("""
def outer(x, times: int = 3):
    return inner(x) * times
def inner(x):
    return torch.relu(x) + 1
""")

if len(sys.argv) > 2:
    torch.jit.script(Net().eval()).save(sys.argv[1])
    sys.exit()
with torch.no_grad():
    model = torch.jit.load(sys.argv[1])
    for n in (2, 2, 3):
        print("%.4f" % model(torch.ones(n, 8)).sum())
    print("%.4f" % model.twice(torch.ones(3)).sum())
    for n in (2, 2, 3):
        print("%.4f" % add(torch.ones(n, 8)).sum())
    try:
        model(torch.ones(2, 9))
    except RuntimeError as why:
        print(type(why).__name__)
    for n in (2, 2, 3):
        print("%.4f" % unit.outer(torch.ones(n, 4)).sum())
    print("%.4f" % unit.inner(torch.ones(5)).sum())
