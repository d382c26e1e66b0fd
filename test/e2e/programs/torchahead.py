# SPDX-License-Identifier: Apache-2.0
"""torchahead.py make|run|many PACKAGE: a model that AOTInductor compiles ahead of time, and runs of it; one fails. A
program that was exported lies beside it, and runs, too. many: 25 copies of the model. Standard output is the same in
every run."""

import shutil
import sys

import torch

how, package = sys.argv[1:]
torch.manual_seed(0)
torch.set_num_threads(1)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(8, 8)

    def forward(self, x):
        return torch.relu(self.inner(x))


class Around(torch.nn.Module):
    def __init__(self, inside):
        super().__init__()
        self.inside = inside

    def forward(self, x):
        return self.inside(x)


with torch.no_grad():
    if how == "make":
        rows = torch.export.Dim("rows", min=1, max=64)
        program = torch.export.export(Net().eval(), (torch.ones(2, 8),), dynamic_shapes={"x": {0: rows}})
        torch._inductor.aoti_compile_and_package(program, package_path=package)
        torch.export.save(program, package + ".exported")
    elif how == "many":
        copies = [shutil.copy(package, package.replace(".pt2", "%d.pt2" % number)) for number in range(25)]
        models = [torch._inductor.aoti_load_package(copy) for copy in copies]
        print(sum(float(model(torch.ones(2, 8)).sum()) for model in models))
    else:
        model = torch._inductor.aoti_load_package(package)
        for n in (2, 2, 3):
            print("%.4f" % model(torch.ones(n, 8)).sum())
        try:
            model(torch.ones(2, 9))
        except RuntimeError as why:
            print(type(why).__name__)
        print("%.4f" % Around(model)(torch.ones(4, 8)).sum())
        exported = torch.export.load(package + ".exported").module()
        for n in (2, 3):
            print("%.4f" % exported(torch.ones(n, 8)).sum())
