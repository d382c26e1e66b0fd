#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_tiny.py chain|tiny|decoder OUT.onnx: models whose time is spent only in the runtime and its observer.

chain     100 operators in a row, Add and Mul by turns, on eight numbers
tiny      one operator
decoder   keys and values of two layers go in and come out longer, by as many tokens as go in"""

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


def decoder():
    def value(name, *shape, type=TensorProto.FLOAT):
        return helper.make_tensor_value_info(name, type, shape)

    caches = [f"{layer}.{of}" for layer in range(2) for of in ("key", "value")]
    constants = [
        helper.make_tensor("words", TensorProto.FLOAT, [1000, 64], [0.01] * 64000),
        helper.make_tensor("split", TensorProto.INT64, [4], [0, 0, 4, 16]),
    ]
    nodes = [
        helper.make_node("Gather", ["words", "input_ids"], ["logits"], name="embed"),
        helper.make_node("Reshape", ["logits", "split"], ["heads"], name="split_heads"),
        helper.make_node("Transpose", ["heads"], ["new"], name="turn", perm=[0, 2, 1, 3]),
    ]
    nodes += [
        helper.make_node("Concat", ["past_key_values." + of, "new"], ["present." + of], name=of, axis=2)
        for of in caches
    ]
    ins = [value("input_ids", "batch", "n", type=TensorProto.INT64)]
    ins += [value("past_key_values." + of, "batch", 4, "past", 16) for of in caches]
    outs = [value("logits", "batch", "n", 64), *(value("present." + of, "batch", 4, "all", 16) for of in caches)]
    made = helper.make_model(
        helper.make_graph(nodes, "decoder", ins, outs, constants),
        opset_imports=[helper.make_opsetid("", 13)],
        producer_name="inftrace",
    )
    made.ir_version = 7
    return made


onnx.save(decoder() if sys.argv[1] == "decoder" else model({"chain": 100, "tiny": 1}[sys.argv[1]]), sys.argv[2])
