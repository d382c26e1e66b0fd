#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_tiny.py chain|tiny OUT.onnx: models whose time is spent only in the runtime and its observer.

chain   100 operators in a row, Add and Mul by turns, on eight numbers
tiny    one operator"""

import sys

import onnx
from onnx import TensorProto, helper


def model(n):
    nodes = [
        helper.make_node(
            "Add" if i % 2 else "Mul",
            ["x" if i == 0 else f"t{i}", "c"],
            ["y" if i == n - 1 else f"t{i + 1}"],
            name=f"link_{i:02d}",
        )
        for i in range(n)
    ]
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 8]) for name in "xy")
    constant = helper.make_tensor("c", TensorProto.FLOAT, [8], [1.0001] * 8)
    made = helper.make_model(
        helper.make_graph(nodes, "chain" if n > 1 else "tiny", [x], [y], [constant]),
        opset_imports=[helper.make_opsetid("", 13)],
        producer_name="inftrace",
    )
    made.ir_version = 7
    return made


onnx.save(model({"chain": 100, "tiny": 1}[sys.argv[1]]), sys.argv[2])
