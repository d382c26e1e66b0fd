#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_onnx.py FOLDER: writes the models of test/data/onnx (needs the `onnx` package). They are kept in the
tree, so that the tests need no package; run this only to change them."""

import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64, BOOL, UINT8, INT8 = (getattr(TensorProto, name) for name in ("FLOAT", "INT64", "BOOL", "UINT8", "INT8"))


def value(name, shape, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def ints(name, *numbers):
    return helper.make_tensor(name, INT64, [len(numbers)], numbers)


def zeros(name, *shape, kind=np.float32):
    return numpy_helper.from_array(np.zeros(shape, kind), name)


def node(kind, inputs, outputs, **attributes):
    return helper.make_node(
        kind, inputs.split(), outputs.split(), name=outputs.split()[0] + "_" + kind.lower(), **attributes
    )


def model(name, nodes, inputs, outputs, weights=(), opsets=(("", 17),), **more):
    graph = helper.make_graph(nodes, name, inputs, outputs, weights)
    made = helper.make_model(
        graph, opset_imports=[helper.make_opsetid(*one) for one in opsets], producer_name="make_onnx.py", **more
    )
    made.ir_version = 8
    return made


def conv_net():
    """Free dimensions, a convolution, pooling, and a computed shape: Shape -> Gather -> Concat -> Reshape."""
    nodes = [
        node("Conv", "x w b", "c", pads=[1, 1, 1, 1], strides=[2, 2]),
        node("Relu", "c", "r"),
        node("MaxPool", "r", "p", kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1),
        node("GlobalAveragePool", "p", "a"),
        node("Shape", "a", "s"),
        node("Gather", "s zero", "n", axis=0),
        node("Concat", "n rest", "shape", axis=0),
        node("Reshape", "a shape", "f"),
        node("Gemm", "f g", "l", transB=1),
        node("Softmax", "l", "y"),
    ]
    return model(
        "conv_net",
        nodes,
        [value("x", ["batch", 3, "height", 32])],
        [value("y", ["batch", 4])],
        [zeros("w", 8, 3, 3, 3), zeros("b", 8), zeros("g", 4, 8), ints("zero", 0), ints("rest", -1)],
    )


def transformer():
    """A layer of attention in the form of exporters, and the fused operators of ONNX Runtime."""
    nodes = [
        node("MatMul", "x wq", "q"),
        node("Reshape", "q heads", "q4"),
        node("Transpose", "q4", "qt", perm=[0, 2, 1, 3]),
        node("Transpose", "q4", "kt", perm=[0, 2, 3, 1]),
        node("MatMul", "qt kt", "scores"),
        node("Softmax", "scores", "p"),
        node("MatMul", "p qt", "o"),
        node("Transpose", "o", "ot", perm=[0, 2, 1, 3]),
        node("Reshape", "ot flat", "of"),
        node("SkipLayerNormalization", "x of gamma beta", "n", domain="com.microsoft"),
        node("FusedMatMul", "n wq", "m", domain="com.microsoft", transB=1),
        node("FastGelu", "m", "g", domain="com.microsoft"),
        node("MultiHeadAttention", "g g g", "h", domain="com.microsoft", num_heads=2),
        node("Cast", "h", "y", to=TensorProto.FLOAT16),
    ]
    return model(
        "transformer",
        nodes,
        [value("x", ["batch", "seq", 8])],
        [value("y", ["batch", "seq", 8], TensorProto.FLOAT16)],
        [zeros("wq", 8, 8), ints("heads", 0, 0, 2, 4), ints("flat", 0, 0, 8), zeros("gamma", 8), zeros("beta", 8)],
        opsets=(("", 17), ("com.microsoft", 1)),
    )


def bodies():
    """Loop, If and Scan, with values from outside, a function that is called twice, and unknown operators."""
    body = helper.make_graph(
        [node("Twice", "sum", "next", domain="local", times=2), node("Identity", "go", "go_on")],
        "body",
        [value("i", [], INT64), value("go", [], BOOL), value("sum", [4])],
        [value("go_on", [], BOOL), value("next", [4]), value("sum", [4])],
    )
    then = helper.make_graph([node("MatMul", "square square", "t")], "then", [], [value("t", [4, 4])])
    other = helper.make_graph([node("Neg", "square", "e")], "else", [], [value("e", [4, 4])])
    scan = helper.make_graph(
        [node("Add", "state row", "state_next"), node("Mul", "state row", "product")],
        "scan",
        [value("state", [4]), value("row", [4])],
        [value("state_next", [4]), value("product", [4])],
    )
    twice = helper.make_function(
        "local",
        "Twice",
        ["a"],
        ["b"],
        [node("Add", "a a", "t"), node("Relu", "t", "b")],
        [helper.make_opsetid("", 17)],
        ["times"],
    )
    nodes = [
        node("Loop", "turns yes x", "last all", body=body),
        node("If", "flag", "branch", then_branch=then, else_branch=other),
        node("Scan", "x square", "final products", body=scan, num_scan_inputs=1),
        node("Twice", "final", "y", domain="local", times=2),
        node("Mystery", "y", "z", domain="example.com"),
    ]
    return model(
        "bodies",
        nodes,
        [value("x", [4]), value("square", [4, 4]), value("flag", [], BOOL)],
        [value(name, None) for name in ("last", "all", "branch", "products", "y")] + [value("z", None)],
        [helper.make_tensor("turns", INT64, [], [3]), helper.make_tensor("yes", BOOL, [], [1])],
        opsets=(("", 17), ("local", 1), ("example.com", 2)),
        functions=[twice],
    )


def quantized():
    """Weights of few bits, sequences, optional values, texts and the operators around them."""
    nodes = [
        node("QuantizeLinear", "x scale point", "q"),
        node("DequantizeLinear", "w scale wpoint", "dw"),
        node("DequantizeLinear", "q scale point", "d"),
        node("Conv", "d dw", "c"),
        node("QLinearConv", "q scale point w8 scale wpoint scale point", "qc"),
        node("SplitToSequence", "c", "parts", axis=1),
        node("SequenceAt", "parts zero", "part"),
        node("ConcatFromSequence", "parts", "y", axis=1),
        node("Optional", "part", "maybe"),
        node("OptionalGetElement", "maybe", "got"),
        node("TopK", "got one", "top index"),
        node("NonZero", "top", "found"),
        node("Slice", "c zeros ends", "cut"),
        node("Resize", "cut none scales", "big", mode="nearest"),
        node("LSTM", "words wl rl", "states last cell", hidden_size=3),
        node("Einsum", "states states", "gram", equation="sdbh,sdbk->hk"),
    ]
    nodes[13].input[1] = ""
    return model(
        "quantized",
        nodes,
        [value("x", [1, 2, 6, 6]), value("words", ["n", 2, 5])],
        [
            value("y", None),
            value("found", None, INT64),
            value("big", None),
            value("gram", None),
            value("qc", None, UINT8),
        ],
        [
            helper.make_tensor("scale", FLOAT, [], [0.5]),
            helper.make_tensor("point", UINT8, [], [3]),
            helper.make_tensor("wpoint", INT8, [], [0]),
            zeros("w", 4, 2, 3, 3, kind=np.int8),
            zeros("w8", 4, 2, 3, 3, kind=np.int8),
            helper.make_tensor("zero", INT64, [], [0]),
            ints("one", 1),
            ints("zeros", 0, 0),
            ints("ends", 9, 2),
            helper.make_tensor("scales", FLOAT, [4], [1, 1, 2, 2]),
            zeros("wl", 1, 12, 5),
            zeros("rl", 1, 12, 3),
        ],
    )


def strange():
    """All kinds of types, names with special characters, metadata, sparse and repeated weights."""
    outputs = [value("y", None)]
    outputs[0].type.map_type.key_type = INT64
    outputs[0].type.map_type.value_type.tensor_type.elem_type = FLOAT
    made = model(
        "line\nbreak",
        [node("Identity", "x", "y"), node("Add", "a b", "twice"), node("MatMul", "sp \x1b[31mred", "z")],
        [value("x", None), value("\x1b[31mred", [3, None])],
        outputs + [value("twice", None), value("z", ["same", None])],
        [zeros("a", 80), zeros("b", 80)],
        doc_string="A model\nwith two lines",
    )
    made.graph.input[0].CopyFrom(outputs[0])
    made.graph.input[0].name = "x"
    made.graph.sparse_initializer.append(
        helper.make_sparse_tensor(
            helper.make_tensor("sp", FLOAT, [2], [1, 2]), helper.make_tensor("at", INT64, [2], [0, 5]), [2, 3]
        )
    )
    made.metadata_props.add(key="author", value="nobody")
    return made


def external():
    """Weights in a separate file, which is not in the tree."""
    made = model("external", [node("Mul", "x w", "y")], [value("x", [16])], [value("y", [16])], [zeros("w", 16)])
    tensor = made.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, text in (("location", "weights.bin"), ("offset", "0"), ("length", "64")):
        tensor.external_data.add(key=key, value=text)
    return made


def circle():
    return model("circle", [node("Add", "x b", "a"), node("Relu", "a", "b")], [value("x", [4])], [value("b", [4])])


def write(folder):
    good, bad = folder / "good", folder / "bad"
    good.mkdir(parents=True, exist_ok=True)
    bad.mkdir(exist_ok=True)
    for make in (conv_net, transformer, bodies, quantized, strange, external):
        (good / f"{make.__name__}.onnx").write_bytes(make().SerializeToString())
    whole = conv_net().SerializeToString()
    (bad / "circle.onnx").write_bytes(circle().SerializeToString())
    (bad / "cut_off.onnx").write_bytes(whole[: len(whole) // 2])
    (bad / "cut_before_opset.onnx").write_bytes(whole[: whole.rindex(b"\x42")])
    wide = conv_net()
    wide.graph.initializer[0].dims[0] = 9
    (bad / "data_too_short.onnx").write_bytes(wide.SerializeToString())
    wide.graph.initializer[0].dims[:] = [1 << 40, 1 << 40]
    (bad / "too_many_elements.onnx").write_bytes(wide.SerializeToString())
    (bad / "text.onnx").write_bytes(b'ir_version: 8\ngraph { name: "x" }\n')
    (bad / "ort_format.onnx").write_bytes(b"\x1c\0\0\0ORTM" + bytes(24))
    (bad / "wrong_wire_type.onnx").write_bytes(
        whole.replace(b"\x12\x0cmake_onnx.py", b"\x10\x0c\x1a\x0aake_onnx.py", 1)
    )
    deep = b""
    for _ in range(70):
        # a graph with a node with an attribute with a graph
        attribute = b"\x0a\x01b" + b"\x32" + varint(len(deep)) + deep + b"\xa0\x01\x05"
        inner = b"\x22\x02If" + b"\x2a" + varint(len(attribute)) + attribute
        deep = b"\x0a" + varint(len(inner)) + inner
    (bad / "too_deep.onnx").write_bytes(b"\x08\x08\x3a" + varint(len(deep)) + deep + b"\x42\x02\x10\x11")


def varint(number):
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


if __name__ == "__main__":
    write(pathlib.Path(sys.argv[1]))
