# SPDX-License-Identifier: Apache-2.0
"""torchmany.py FOLDER N: N functions of TorchScript, each of which is called twice. FOLDER gets their source."""

import os
import sys

import torch

folder, n = sys.argv[1], int(sys.argv[2])
with open(os.path.join(folder, "torchmany_functions.py"), "w") as out:
    out.write("import torch\n")
    for number in range(n):
        out.write("@torch.jit.script\ndef f%d(x):\n    return x + %d\n" % (number, number))
sys.path.insert(0, folder)
functions = vars(__import__("torchmany_functions"))
for _ in range(2):
    print(sum(float(functions["f%d" % number](torch.zeros(1))) for number in range(n)))
