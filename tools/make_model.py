#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_model.py NAME OUT.onnx: makes a model with the onnx package alone; the same bytes each time.

  resnet18  ResNet-18 for pictures of 224 x 224, a quarter as wide as the original, random weights (3.3 MB)
  chain     100 tiny operators in a row: the cost of one operator

The models of the end-to-end tests are made in test/e2e/models.py."""

import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Graph:
    """Nodes and weights in the making. Every method that adds a node returns the name of its output."""

    def __init__(self):
        self.nodes, self.weights = [], []
        self.random = np.random.default_rng(20)

    def weight(self, name, *shape, around=0.0, scale=None):
        scale = np.sqrt(2 / np.prod(shape[1:])) if scale is None else scale
        data = (around + scale * self.random.standard_normal(shape)).astype(np.float32)
        self.weights.append(numpy_helper.from_array(data, name))
        return name

    def node(self, op_type, name, inputs, **attributes):
        self.nodes.append(helper.make_node(op_type, inputs, [name + "_out"], name=name, **attributes))
        return name + "_out"

    def conv_norm(self, name, x, n_in, n_out, size, stride):
        x = self.node(
            "Conv",
            f"{name}.conv",
            [x, self.weight(f"{name}.weight", n_out, n_in, size, size)],
            kernel_shape=[size, size],
            strides=[stride, stride],
            pads=[size // 2] * 4,
        )
        scale, shift, mean = (
            self.weight(f"{name}.{part}", n_out, around=around, scale=0.1)
            for part, around in (("scale", 1.0), ("shift", 0.0), ("mean", 0.0))
        )
        self.weights.append(numpy_helper.from_array(np.ones(n_out, np.float32), f"{name}.variance"))
        return self.node("BatchNormalization", f"{name}.norm", [x, scale, shift, mean, f"{name}.variance"])

    def model(self, name, x, y, x_shape, y_shape):
        graph = helper.make_graph(
            self.nodes,
            name,
            [helper.make_tensor_value_info(x, TensorProto.FLOAT, x_shape)],
            [helper.make_tensor_value_info(y, TensorProto.FLOAT, y_shape)],
            self.weights,
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], producer_name="inftrace")
        model.ir_version = 7
        return model


def resnet18():
    graph = Graph()

    def block(name, x, n_in, n_out):
        stride = 1 if n_in == n_out else 2
        y = graph.node("Relu", f"{name}.relu1", [graph.conv_norm(f"{name}.1", x, n_in, n_out, 3, stride)])
        y = graph.conv_norm(f"{name}.2", y, n_out, n_out, 3, 1)
        if stride == 2:
            x = graph.conv_norm(f"{name}.skip", x, n_in, n_out, 1, 2)
        return graph.node("Relu", f"{name}.relu2", [graph.node("Add", f"{name}.add", [y, x])])

    widths = (16, 32, 64, 128)
    x = graph.node("Relu", "stem.relu", [graph.conv_norm("stem", "image", 3, widths[0], 7, 2)])
    x = graph.node("MaxPool", "stem.pool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    n_in = widths[0]
    for i, n_out in enumerate(widths, 1):
        for j in (1, 2):
            x = block(f"layer{i}.{j}", x, n_in, n_out)
            n_in = n_out
    x = graph.node("Flatten", "head.flatten", [graph.node("GlobalAveragePool", "head.pool", [x])])
    x = graph.node(
        "Gemm", "head.classes", [x, graph.weight("head.weight", 1000, n_in), graph.weight("head.bias", 1000)], transB=1
    )
    y = graph.node("Softmax", "head.softmax", [x], axis=1)
    return graph.model("resnet18", "image", y, ["batch", 3, 224, 224], ["batch", 1000])


def chain():
    graph = Graph()
    x = "x"
    for i in range(100):
        x = graph.node("Sin" if i % 2 else "Cos", f"link_{i:02d}", [x])
    return graph.model("chain", "x", x, [8], [8])


def main(arguments):
    makers = {"resnet18": resnet18, "chain": chain}
    if len(arguments) != 2 or arguments[0] not in makers:
        sys.exit(__doc__)
    model = makers[arguments[0]]()
    onnx.checker.check_model(model, full_check=True)
    with open(arguments[1], "wb") as file:
        file.write(model.SerializeToString(deterministic=True))


if __name__ == "__main__":
    main(sys.argv[1:])
