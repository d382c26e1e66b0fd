# SPDX-License-Identifier: Apache-2.0
"""Models for the end-to-end tests, each with the inputs that its programs feed.

write(folder) makes NAME.onnx and NAME.npz for every model in MODELS. Weights come from a fixed seed, so that every run
uses the same models. Every node has a name, except in models that test names.
"""

import os

import numpy as np
import onnx
import onnx.shape_inference
from onnx import TensorProto, helper

FLOAT, INT32, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT32, TensorProto.INT64, TensorProto.BOOL


def _value(name, kind, shape):
    return helper.make_tensor_value_info(name, kind, shape)


def _weights(seed, name, *shape):
    random = np.random.default_rng(seed)
    scale = 1 / np.sqrt(max(1, int(np.prod(shape[1:]))))
    data = (random.standard_normal(shape) * scale).astype(np.float32)
    return helper.make_tensor(name, FLOAT, shape, data.tobytes(), raw=True)


def _model(graph_name, nodes, inputs, outputs, initializers=()):
    graph = helper.make_graph(nodes, graph_name, inputs, outputs, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], producer_name="inftrace-test")
    model.ir_version = 7  # the oldest runtime of the tests can read it
    return model


def _ramp(*shape):
    return np.linspace(-1, 1, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def tiny():
    nodes = [helper.make_node("Relu", ["x"], ["y"], name="only")]
    return _model("tiny", nodes, [_value("x", FLOAT, [4])], [_value("y", FLOAT, [4])]), {"x": _ramp(4)}


def chain():
    """20 operators that no optimiser fuses, so the number of operators per inference is known."""
    nodes = [
        helper.make_node(
            "Sin" if i % 2 else "Cos",
            ["x" if i == 0 else "t%d" % i],
            ["y" if i == 19 else "t%d" % (i + 1)],
            name="link_%02d" % i,
        )
        for i in range(20)
    ]
    return _model("chain", nodes, [_value("x", FLOAT, [256])], [_value("y", FLOAT, [256])]), {"x": _ramp(256)}


def old():
    """The same for runtimes from 1.2 on."""
    model, feeds = chain()
    model.ir_version = 4
    model.opset_import[0].version = 9
    return model, feeds


def cnn():
    """A small image classifier with nodes that the optimiser fuses, folds and converts to another layout."""
    nodes = [
        helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], name="conv_1", pads=[1, 1, 1, 1]),
        helper.make_node("BatchNormalization", ["c1", "g", "b", "m", "v"], ["n1"], name="norm_1"),
        helper.make_node("Relu", ["n1"], ["r1"], name="relu_1"),
        helper.make_node("MaxPool", ["r1"], ["p1"], name="pool_1", kernel_shape=[2, 2], strides=[2, 2]),
        helper.make_node("Conv", ["p1", "w2"], ["c2"], name="conv_2", pads=[1, 1, 1, 1]),
        helper.make_node("Sigmoid", ["c2"], ["s2"], name="gate"),
        helper.make_node("Mul", ["c2", "s2"], ["m2"], name="swish"),
        helper.make_node("GlobalAveragePool", ["m2"], ["a"], name="average"),
        helper.make_node("Flatten", ["a"], ["f"], name="flatten"),
        helper.make_node("Add", ["f", "half"], ["f2"], name="shift"),
        helper.make_node("Gemm", ["f2", "w3"], ["l"], name="classify", transB=1),
        helper.make_node("Softmax", ["l"], ["y"], name="softmax", axis=1),
    ]
    weights = [
        _weights(1, "w1", 16, 3, 3, 3),
        _weights(2, "b1", 16),
        _weights(3, "w2", 32, 16, 3, 3),
        _weights(4, "w3", 10, 32),
        _weights(5, "half", 32),
    ]
    for name, value in (("g", 1.1), ("b", 0.1), ("m", 0.0), ("v", 0.9)):
        weights.append(helper.make_tensor(name, FLOAT, [16], [value] * 16))
    return (
        _model("cnn", nodes, [_value("x", FLOAT, [1, 3, 32, 32])], [_value("y", FLOAT, [1, 10])], weights),
        {"x": _ramp(1, 3, 32, 32)},
    )


def wide():
    """Eight branches, each with its own weights, which a parallel executor runs at the same time."""
    nodes, ends = [], []
    for branch in range(8):
        last = "x"
        for step in range(4):
            name = "b%d_%d" % (branch, step)
            nodes.append(helper.make_node("MatMul", [last, "w%d" % branch], [name], name=name))
            last = name
        ends.append(last)
    nodes.append(helper.make_node("Sum", ends, ["y"], name="sum"))
    return (
        _model(
            "wide",
            nodes,
            [_value("x", FLOAT, [32, 32])],
            [_value("y", FLOAT, [32, 32])],
            [_weights(100 + branch, "w%d" % branch, 32, 32) for branch in range(8)],
        ),
        {"x": _ramp(32, 32)},
    )


def loop():
    """A Loop: ten iterations of two operators inside one operator."""
    body = helper.make_graph(
        [
            helper.make_node("Add", ["sum", "one"], ["sum_out"], name="body_add"),
            helper.make_node("Identity", ["go"], ["go_out"], name="body_go"),
        ],
        "body",
        [_value("i", INT64, []), _value("go", BOOL, []), _value("sum", FLOAT, [4])],
        [_value("go_out", BOOL, []), _value("sum_out", FLOAT, [4])],
    )
    nodes = [
        helper.make_node("Loop", ["n", "", "x"], ["t"], name="loop", body=body),
        helper.make_node("Relu", ["t"], ["y"], name="after"),
    ]
    return (
        _model(
            "loop",
            nodes,
            [_value("x", FLOAT, [4]), _value("n", INT64, [])],
            [_value("y", FLOAT, [4])],
            [helper.make_tensor("one", FLOAT, [4], [1.0] * 4)],
        ),
        {"x": _ramp(4), "n": np.array(10, np.int64)},
    )


def branch():
    """An If: one of two subgraphs per run."""

    def side(op, name):
        return helper.make_graph(
            [helper.make_node(op, ["x"], [name + "_y"], name=name + "_op")], name, [], [_value(name + "_y", FLOAT, [4])]
        )

    nodes = [
        helper.make_node(
            "If", ["yes"], ["t"], name="choice", then_branch=side("Sin", "then"), else_branch=side("Cos", "else")
        ),
        helper.make_node("Relu", ["t"], ["y"], name="after"),
    ]
    return (
        _model("branch", nodes, [_value("x", FLOAT, [4]), _value("yes", BOOL, [])], [_value("y", FLOAT, [4])]),
        {"x": _ramp(4), "yes": np.array(True)},
    )


def scan():
    """A Scan: five steps of two operators inside one operator, with a state and an output for each step."""
    body = helper.make_graph(
        [
            helper.make_node("Add", ["sum", "row"], ["sum_out"], name="body_add"),
            helper.make_node("Sin", ["sum_out"], ["wave"], name="body_sin"),
        ],
        "body",
        [_value("sum", FLOAT, [4]), _value("row", FLOAT, [4])],
        [_value("sum_out", FLOAT, [4]), _value("wave", FLOAT, [4])],
    )
    nodes = [
        helper.make_node("Relu", ["x"], ["rows"], name="before"),
        helper.make_node("Scan", ["start", "rows"], ["y", "waves"], name="scan", num_scan_inputs=1, body=body),
    ]
    return (
        _model(
            "scan",
            nodes,
            [_value("start", FLOAT, [4]), _value("x", FLOAT, [5, 4])],
            [_value("y", FLOAT, [4]), _value("waves", FLOAT, [5, 4])],
        ),
        {"start": _ramp(4), "x": _ramp(5, 4)},
    )


def throws():
    """Reshape to an impossible shape: the kernel throws a C++ exception, and the run returns an error status."""
    nodes = [
        helper.make_node("Sin", ["x"], ["t"], name="before"),
        helper.make_node("Reshape", ["t", "shape"], ["r"], name="thrower"),
        helper.make_node("Relu", ["r"], ["y"], name="after"),
    ]
    return (
        _model(
            "throws", nodes, [_value("x", FLOAT, ["n"]), _value("shape", INT64, [2])], [_value("y", FLOAT, ["a", "b"])]
        ),
        {"x": _ramp(6), "shape": np.array([5, 7], np.int64)},
    )


def refuses():
    """Gather with an index out of range: the kernel returns an error status and throws nothing."""
    nodes = [
        helper.make_node("Sin", ["x"], ["t"], name="before"),
        helper.make_node("Gather", ["t", "where"], ["y"], name="refuser", axis=0),
    ]
    return (
        _model("refuses", nodes, [_value("x", FLOAT, [4]), _value("where", INT64, [1])], [_value("y", FLOAT, [1])]),
        {"x": _ramp(4), "where": np.array([99], np.int64)},
    )


def batch():
    """A batch dimension that each run chooses."""
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["t"], name="project"),
        helper.make_node("Sin", ["t"], ["s"], name="bend"),
        helper.make_node("Add", ["s", "z"], ["y"], name="add"),
    ]
    return (
        _model(
            "batch",
            nodes,
            [_value("x", FLOAT, ["n", 8]), _value("z", FLOAT, [3])],
            [_value("y", FLOAT, ["n", 3])],
            [_weights(7, "w", 8, 3)],
        ),
        {"x": _ramp(5, 8), "z": _ramp(3)},
    )


def cache():
    """An input of four dimensions that each run chooses, like the cache of a language model."""
    nodes = [helper.make_node("Relu", ["x"], ["y"], name="only")]
    shape = ["batch", "heads", "length", "size"]
    return _model("cache", nodes, [_value("x", FLOAT, shape)], [_value("y", FLOAT, shape)]), {"x": _ramp(1, 2, 3, 4)}


TALL = 12


def _attention(of, nodes, inputs, outputs, weight):
    """One layer of a decoder, with 4 heads of 16, from the value x<of>; keys and values of the past are inputs."""
    add = lambda type, ins, out, **more: nodes.append(helper.make_node(type, ins, [out], name=out, **more))
    name = lambda text: "%s_%d" % (text, of)
    for what in ("query", "key", "value"):
        add("MatMul", ["x%d" % of, weight(name("w_" + what), 64, 64)], name(what))
        add("Reshape", [name(what), "split"], name(what + "_heads"))
        add("Transpose", [name(what + "_heads")], name(what + "_turned"), perm=[0, 2, 1, 3])
    for what in ("key", "value"):
        past, present = "past_key_values.%d.%s" % (of, what), "present.%d.%s" % (of, what)
        inputs.append(_value(past, FLOAT, ["batch", 4, "past", 16]))
        outputs.append(_value(present, FLOAT, ["batch", 4, "total", 16]))
        nodes.append(
            helper.make_node("Concat", [past, name(what + "_turned")], [present], name=name(what + "_grown"), axis=2)
        )
    add("Transpose", ["present.%d.key" % of], name("across"), perm=[0, 1, 3, 2])
    add("MatMul", [name("query_turned"), name("across")], name("scores"))
    add("Softmax", [name("scores")], name("shares"), axis=-1)
    add("MatMul", [name("shares"), "present.%d.value" % of], name("mixed"))
    add("Transpose", [name("mixed")], name("mixed_turned"), perm=[0, 2, 1, 3])
    add("Reshape", [name("mixed_turned"), "join"], name("joined"))
    add("MatMul", [name("joined"), weight(name("w_out"), 64, 64)], name("projected"))
    add("Add", ["x%d" % of, name("projected")], name("sum"))
    add("MatMul", [name("sum"), weight(name("w_up"), 64, 256)], name("up"))
    add("Relu", [name("up")], name("active"))
    add("MatMul", [name("active"), weight(name("w_down"), 256, 64)], name("down"))
    add("Add", [name("sum"), name("down")], "x%d" % (of + 1))


def decoder(name="decoder", layers=2, hears=False):
    """A language model of two layers, whose cache goes in and comes out; with hears, what an encoder has made, too."""
    nodes, inputs, outputs, weights = [], [_value("input_ids", INT64, ["batch", "length"])], [], []

    def weight(name, *shape):
        weights.append(_weights(len(weights), name, *shape))
        return name

    words = "words_found" if hears else "x0"
    nodes.append(helper.make_node("Gather", [weight("words", 1000, 64), "input_ids"], [words], name="embed"))
    if hears:
        nodes.append(helper.make_node("ReduceMean", ["heard"], ["meant"], name="mean", axes=[1]))
        nodes.append(helper.make_node("Add", [words, "meant"], ["x0"], name="hear"))
    for i in range(layers):
        _attention(i, nodes, inputs, outputs, weight)
    nodes.append(helper.make_node("MatMul", ["x%d" % layers, weight("w_head", 64, 1000)], ["logits"], name="head"))
    weights += [
        helper.make_tensor(name, INT64, [len(to)], to) for name, to in (("split", [0, 0, 4, 16]), ("join", [0, 0, 64]))
    ]
    outputs.insert(0, _value("logits", FLOAT, ["batch", "length", 1000]))
    feed = {of.name: np.zeros((1, 4, 0, 16), np.float32) for of in inputs[1:]}
    feed["input_ids"] = np.array([[3, 4, 5]])
    if hears:
        inputs.append(_value("heard", FLOAT, ["batch", "frames", 64]))
        feed["heard"] = _ramp(1, 5, 64)
    return _model(name, nodes, inputs, outputs, weights), feed


def masked():
    """The decoder with a mask, which engines of onnxruntime-genai hand to every model, and which does nothing."""
    model, feed = decoder("masked")
    model.graph.input.append(_value("attention_mask", INT64, ["batch", "total"]))
    return model, {**feed, "attention_mask": np.array([[1, 1, 1]])}


def paged():
    """A language model of single words, with the inputs of one whose cache lies in pages: tokens of all requests in a
    row."""
    nodes = [
        helper.make_node("Gather", ["words", "input_ids"], ["x"], name="embed"),
        helper.make_node("MatMul", ["x", "w_head"], ["logits"], name="head"),
    ]
    inputs = [_value("input_ids", INT64, ["tokens"])]
    inputs += [
        _value(name, INT32, shape)
        for name, shape in (
            ("cumulative_sequence_lengths", ["edges"]),
            ("past_sequence_lengths", ["requests"]),
            ("block_table", ["requests", "pages"]),
        )
    ]
    outputs = [_value("logits", FLOAT, ["tokens", 1000])]
    for kind in ("key", "value"):
        inputs.append(_value("past_key_values.0." + kind, FLOAT, ["blocks", "size", 4, 16]))
        outputs.append(_value("present.0." + kind, FLOAT, ["blocks", "size", 4, 16]))
        nodes.append(helper.make_node("Identity", [inputs[-1].name], [outputs[-1].name], name="keep_" + kind))
    feed = {name: np.zeros((2, 16, 4, 16), np.float32) for name in (of.name for of in inputs[-2:])}
    feed["input_ids"] = np.array([3, 4, 5])
    feed["cumulative_sequence_lengths"], feed["past_sequence_lengths"] = (
        np.array([0, 3], np.int32),
        np.zeros(1, np.int32),
    )
    feed["block_table"] = np.zeros((1, 1), np.int32)
    return _model(
        "paged", nodes, inputs, outputs, [_weights(1, "words", 1000, 64), _weights(2, "w_head", 64, 1000)]
    ), feed


def checked():
    """A decoder of no words whose logits are NaN where a mask, positions or lengths do not fit the cache."""
    nodes = []

    def node(kind, *inputs, **more):
        nodes.append(helper.make_node(kind, list(inputs), ["n%d" % len(nodes)], **more))
        return nodes[-1].output[0]

    def length(of, axis):
        return node("Gather", node("Shape", of), axis)

    def differs(a, b):
        return node("ReduceSum", node("Abs", node("Sub", a, b)), keepdims=0)

    past, new = length("past_key_values.0.key", "two"), length("input_ids", "one")
    total = node("Add", past, new)
    wrong = [
        differs(node("Cast", node("Range", past, total, "step"), to=INT64), "position_ids"),
        differs(length("attention_mask", "one"), total),
        differs(node("ReduceMin", "attention_mask", keepdims=0), "step"),
        differs(node("Cast", "seqlens_k", to=INT64), node("Sub", total, "step")),
        differs(node("Cast", "total_sequence_length", to=INT64), total),
    ]
    sum = node("Cast", node("Sum", *[node("Cast", of, to=FLOAT) for of in wrong]), to=FLOAT)
    nan = node("Where", node("Greater", sum, "none"), "nan", "none")
    row = node("Unsqueeze", node("Cast", "input_ids", to=FLOAT), "last")  # batch, length, 1
    words = node("MatMul", row, "to_words")
    nodes.append(helper.make_node("Add", [words, nan], ["logits"]))
    nodes.append(helper.make_node("MatMul", [row, "to_cache"], ["grown"]))
    nodes.append(helper.make_node("Unsqueeze", ["grown", "head"], ["added"]))
    inputs = [
        _value("input_ids", INT64, ["batch", "length"]),
        _value("attention_mask", INT64, ["batch", "total"]),
        _value("position_ids", INT64, ["batch", "length"]),
        _value("seqlens_k", INT32, ["batch"]),
        _value("total_sequence_length", INT32, []),
    ]
    outputs = [_value("logits", FLOAT, ["batch", "length", 9])]
    for kind in ("key", "value"):
        inputs.append(_value("past_key_values.0." + kind, FLOAT, ["batch", 1, "past", 4]))
        outputs.append(_value("present.0." + kind, FLOAT, ["batch", 1, "total", 4]))
        nodes.append(helper.make_node("Concat", [inputs[-1].name, "added"], [outputs[-1].name], axis=2))
    weights = [helper.make_tensor(name, INT64, [], [to]) for name, to in (("one", 1), ("two", 2), ("step", 1))]
    weights += [helper.make_tensor(name, INT64, [1], [to]) for name, to in (("last", 2), ("head", 1))]
    weights += [helper.make_tensor(name, FLOAT, [], [to]) for name, to in (("none", 0.0), ("nan", float("nan")))]
    weights += [_weights(1, "to_words", 1, 9), _weights(2, "to_cache", 1, 4)]
    feed = {of.name: np.zeros((1, 1, 0, 4), np.float32) for of in inputs[-2:]}
    feed["input_ids"] = feed["attention_mask"] = np.array([[1, 1]])
    feed["position_ids"] = np.array([[0, 1]])
    feed["seqlens_k"], feed["total_sequence_length"] = np.array([1], np.int32), np.array(2, np.int32)
    return _model("checked", nodes, inputs, outputs, weights), feed


def hearer():
    """A decoder that takes what an encoder has made of sound."""
    return decoder("hearer", hears=True)


def encoder():
    """Of sound: half as many frames as went in."""
    sound, weights = [_value("sound", FLOAT, ["batch", 80, "frames"])], [_weights(1, "filter", 64, 80, 3)]
    nodes = [helper.make_node("Conv", ["sound", "filter"], ["felt"], name="feel", strides=[2], pads=[1, 1])]
    nodes.append(helper.make_node("Transpose", ["felt"], ["heard"], name="turn", perm=[0, 2, 1]))
    outputs = [_value("heard", FLOAT, ["batch", "half", 64])]
    return _model("encoder", nodes, sound, outputs, weights), {"sound": _ramp(1, 80, 10)}


def tall():
    """One of so many layers that most of its inputs are behind those that recordings have in order."""
    return decoder("tall", TALL)


STRANGE_NAMES = [
    'quoted "name"',
    "back\\slash",
    "new\nline",
    "smile \U0001f600 and umlaut \u00fc",
    "a" * 3000,
    "</script>",
    "/layer.0/attn/MatMul_1",
    " ",
]


def strange():
    """Node names that break writers without escaping, like the runtime's profiler."""
    nodes = [
        helper.make_node(
            "Sin", ["x" if i == 0 else "t%d" % i], ["y" if i == len(STRANGE_NAMES) - 1 else "t%d" % (i + 1)], name=name
        )
        for i, name in enumerate(STRANGE_NAMES)
    ]
    return _model("strange", nodes, [_value("x", FLOAT, [4])], [_value("y", FLOAT, [4])]), {"x": _ramp(4)}


def unnamed():
    nodes = [helper.make_node("Sin", ["x"], ["t"]), helper.make_node("Cos", ["t"], ["y"])]
    return _model("unnamed", nodes, [_value("x", FLOAT, [4])], [_value("y", FLOAT, [4])]), {"x": _ramp(4)}


def verbose():
    """Names as exporters make them of deep modules: they differ at their ends only."""
    nodes = [
        helper.make_node(
            "Sin" if i else "Cos", ["t" if i else "x"], ["y" if i else "t"], name="a.module/" * 200 + str(i)
        )
        for i in range(2)
    ]
    return _model("verbose", nodes, [_value("x", FLOAT, [4])], [_value("y", FLOAT, [4])]), {"x": _ramp(4)}


def many():
    """3,000 operators with different names."""
    nodes = [
        helper.make_node(
            "Sin" if i % 2 else "Cos",
            ["x" if i == 0 else "t%d" % i],
            ["y" if i == 2999 else "t%d" % (i + 1)],
            name="block_%d/node_%d" % (i // 100, i),
        )
        for i in range(3000)
    ]
    return _model("many", nodes, [_value("x", FLOAT, [4])], [_value("y", FLOAT, [4])]), {"x": _ramp(4)}


def _products(name, n):
    """Products of matrices, one after the other."""
    nodes = [
        helper.make_node(
            "MatMul", ["x" if i == 0 else "t%d" % i, "w"], ["y" if i == n - 1 else "t%d" % (i + 1)], name="mul_%d" % i
        )
        for i in range(n)
    ]
    return (
        _model(
            name,
            nodes,
            [_value("x", FLOAT, [192, 192])],
            [_value("y", FLOAT, [192, 192])],
            [_weights(8, "w", 192, 192)],
        ),
        {"x": _ramp(192, 192)},
    )


def heavy():
    """A few milliseconds of work per run, long enough for a kill to hit an inference."""
    return _products("heavy", 6)


def long():
    """Long enough for everything that is recorded only where it is free."""
    return _products("long", 60)


def uneven():
    """Takes longer by its input: more rows are more work, and n is how often a Loop goes round."""
    body = helper.make_graph(
        [
            helper.make_node("Sin", ["sum"], ["sum_out"], name="body_sin"),
            helper.make_node("Identity", ["go"], ["go_out"], name="body_go"),
        ],
        "body",
        [_value("i", INT64, []), _value("go", BOOL, []), _value("sum", FLOAT, ["rows", 256])],
        [_value("go_out", BOOL, []), _value("sum_out", FLOAT, ["rows", 256])],
    )
    nodes = [
        helper.make_node("MatMul", ["x" if i == 0 else "t%d" % i, "w"], ["t%d" % (i + 1)], name="mul_%d" % i)
        for i in range(8)
    ]
    nodes.append(helper.make_node("Loop", ["n", "", "t8"], ["y"], name="rounds", body=body))
    inputs = [_value("x", FLOAT, ["rows", 256]), _value("n", INT64, [])]
    outputs = [_value("y", FLOAT, ["rows", 256])]
    return (
        _model("uneven", nodes, inputs, outputs, [_weights(9, "w", 256, 256)]),
        {"x": _ramp(256, 256), "n": np.array(2, np.int64)},
    )


def mapped():
    """32 MiB of weights that a session maps from a file beside the model, and reads whole in each inference."""
    nodes = [helper.make_node("MatMul", ["x", "w"], ["y"], name="mul")]
    initializers = [_weights(10, "w", 2048, 4096)]
    inputs, outputs = [_value("x", FLOAT, [1, 2048])], [_value("y", FLOAT, [1, 4096])]
    return _model("mapped", nodes, inputs, outputs, initializers), {"x": _ramp(1, 2048)}


def turned():
    """Values that are converted to another type and back again, with little work in between."""
    nodes = []
    for i in range(8):
        last, wide, done = "x" if i == 0 else "t%d" % i, "w%d" % i, "d%d" % i
        nodes += [
            helper.make_node("Cast", [last], [wide], name="widen_%d" % i, to=TensorProto.DOUBLE),
            helper.make_node("Abs" if i % 2 else "Neg", [wide], [done], name="work_%d" % i),
            helper.make_node("Cast", [done], ["y" if i == 7 else "t%d" % (i + 1)], name="narrow_%d" % i, to=FLOAT),
        ]
    return _model("turned", nodes, [_value("x", FLOAT, [90000])], [_value("y", FLOAT, [90000])]), {"x": _ramp(90000)}


def quotients():
    """Divisions, one after the other: subnormal numbers slow them down on all processors."""
    nodes = [
        helper.make_node(
            "Div", ["x" if i == 0 else "t%d" % i, "one"], ["y" if i == 9 else "t%d" % (i + 1)], name="div_%d" % i
        )
        for i in range(10)
    ]
    one = helper.make_tensor("one", FLOAT, [90000], [1.0000001] * 90000)
    return _model("quotients", nodes, [_value("x", FLOAT, [90000])], [_value("y", FLOAT, [90000])], [one]), {
        "x": _ramp(90000) + 2
    }


def inputs():
    """2,000 inputs, which the runtime looks up and checks in each run, for one quick operator."""
    names = ["x_%d" % i for i in range(2000)]
    nodes = [helper.make_node("Concat", names, ["y"], name="join", axis=0)]
    values = [_value(name, FLOAT, [1]) for name in names]
    return _model("inputs", nodes, values, [_value("y", FLOAT, [len(names)])]), {name: _ramp(1) for name in names}


def guarded():
    """An operator that the program itself implements, in Python."""
    nodes = [helper.make_node("Guarded", ["x"], ["y"], name="guarded", domain="ai.onnx.contrib")]
    graph = helper.make_graph(nodes, "guarded", [_value("x", FLOAT, ["n"])], [_value("y", FLOAT, ["n"])])
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("ai.onnx.contrib", 1)]
    )
    model.ir_version = 7
    return model, {"x": _ramp(4)}


def images():
    """A batch of images that each run chooses, through an operator that costs more to start than for one image."""
    nodes = [helper.make_node("MatMul", ["x", "w0"], ["t0"], name="mul_0")]
    nodes += [
        helper.make_node("MatMul", ["t%d" % i, "w1"], ["t%d" % (i + 1)], name="mul_%d" % (i + 1)) for i in range(6)
    ]
    nodes.append(helper.make_node("Relu", ["t6"], ["y"], name="clip"))
    initializers = [_weights(1, "w0", 16, 256), _weights(2, "w1", 256, 256)]
    inputs, outputs = [_value("x", FLOAT, ["n", 16])], [_value("y", FLOAT, ["n", 256])]
    return _model("images", nodes, inputs, outputs, initializers), {"x": _ramp(1, 16)}


def convolutions():
    """Convolutions of pictures of any size, each with channels of its own: OpenVINO compiles them all for each size."""
    channels = [3, *range(8, 48)]
    n = len(channels) - 1
    nodes = [
        helper.make_node(
            "Conv", ["x" if i == 0 else "c%d" % i, "w%d" % i], ["y" if i == n - 1 else "c%d" % (i + 1)], pads=[1] * 4
        )
        for i in range(n)
    ]
    initializers = [_weights(i, "w%d" % i, channels[i + 1], channels[i], 3, 3) for i in range(n)]
    inputs, outputs = [_value("x", FLOAT, [1, 3, "h", "w"])], [_value("y", FLOAT, [1, channels[-1], "h", "w"])]
    return _model("convolutions", nodes, inputs, outputs, initializers), {"x": _ramp(1, 3, 16, 16)}


def planned():
    """400 values of as many sizes, freed one by one: a planner that looks for a free buffer of the same size compares
    each with all."""
    sizes = range(2, 402)
    nodes = [helper.make_node("Split", ["x", "sizes"], ["part_%d" % i for i in sizes], name="split", axis=0)]
    nodes += [helper.make_node("ReduceSum", ["part_%d" % i], ["sum_%d" % i], name="add_%d" % i) for i in sizes]
    nodes += [
        helper.make_node("Concat", ["sum_%d" % i for i in sizes], ["c"], name="join", axis=0),
        helper.make_node("MatMul", ["c", "w"], ["y"], name="mix"),
    ]
    initializers = [helper.make_tensor("sizes", INT64, [len(sizes)], list(sizes)), _weights(7, "w", len(sizes), 64)]
    inputs = [_value("x", FLOAT, [sum(sizes)])]
    return _model("planned", nodes, inputs, [_value("y", FLOAT, [64])], initializers), {"x": _ramp(sum(sizes))}


def weights():
    """24 MB of weights inside the file, in operators that do not pack them."""
    nodes = [
        helper.make_node("Gather", ["w%d" % i, "rows"], ["g%d" % i], name="look_up_%d" % i, axis=0) for i in range(6)
    ]
    nodes.append(helper.make_node("Sum", ["g%d" % i for i in range(6)], ["y"], name="sum"))
    initializers = [_weights(i, "w%d" % i, 4096, 256) for i in range(6)]
    inputs, outputs = [_value("rows", INT64, [2])], [_value("y", FLOAT, [2, 256])]
    return _model("weights", nodes, inputs, outputs, initializers), {"rows": np.array([1, 4095], np.int64)}


def spread():
    """An output of 48 MiB: above 32, glibc gives memory back to the kernel each time."""
    nodes = [helper.make_node("Expand", ["x", "shape"], ["y"], name="expand")]
    initializers = [helper.make_tensor("shape", INT64, [3], [12, 1024, 1024])]
    inputs, outputs = [_value("x", FLOAT, [1])], [_value("y", FLOAT, [12, 1024, 1024])]
    return _model("spread", nodes, inputs, outputs, initializers), {"x": _ramp(1)}


def deep():
    """Ifs nested 17 deep: operators inside operators."""

    def inside(depth, out):
        if not depth:
            return [helper.make_node("Identity", ["x"], [out], name="leaf")]
        then = helper.make_graph(inside(depth - 1, out + "t"), "then", [], [_value(out + "t", FLOAT, [4])])
        other = helper.make_graph(
            [helper.make_node("Cos", ["x"], [out + "e"], name="else_%d" % depth)],
            "else",
            [],
            [_value(out + "e", FLOAT, [4])],
        )
        return [helper.make_node("If", ["yes"], [out], name="if_%d" % depth, then_branch=then, else_branch=other)]

    return (
        _model("deep", inside(17, "y"), [_value("x", FLOAT, [4]), _value("yes", BOOL, [])], [_value("y", FLOAT, [4])]),
        {"x": _ramp(4), "yes": np.array(True)},
    )


def kinds():
    """Inputs of many types and unusual shapes: empty, scalar, seven dimensions, strings."""
    inputs = [
        _value("half", TensorProto.FLOAT16, [2, 0]),
        _value("text", TensorProto.STRING, [3]),
        _value("yes", BOOL, []),
        _value("double", TensorProto.DOUBLE, [1, 2, 1, 2, 1, 2, 3]),
        _value("bytes", TensorProto.UINT8, ["n"]),
    ]
    nodes = [helper.make_node("Identity", [one.name], ["y_" + one.name], name="same_" + one.name) for one in inputs]
    outputs = [
        helper.make_tensor_value_info(
            "y_" + one.name,
            one.type.tensor_type.elem_type,
            [d.dim_param or d.dim_value for d in one.type.tensor_type.shape.dim],
        )
        for one in inputs
    ]
    return (
        _model("kinds", nodes, inputs, outputs),
        {
            "half": np.zeros((2, 0), np.float16),
            "text": np.array(["a", "\u00fc", ""], dtype=str),
            "yes": np.array(False),
            "double": np.ones((1, 2, 1, 2, 1, 2, 3)),
            "bytes": np.zeros(5, np.uint8),
        },
    )


def custom():
    """An operator that only a library of custom operators has (onnxruntime-extensions)."""
    graph = helper.make_graph(
        [helper.make_node("StringUpper", ["x"], ["y"], name="upper", domain="ai.onnx.contrib")],
        "custom",
        [_value("x", TensorProto.STRING, [None])],
        [_value("y", TensorProto.STRING, [None])],
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 13), helper.make_opsetid("ai.onnx.contrib", 1)]
    )
    model.ir_version = 7
    return model, {"x": np.array(["abc", "x"])}


def captured():
    """The same, of which all kernels but the first operator's are captured in the first inference, and replayed."""
    return launches("captured", {1: 1, 9: 2})


def launches(name="launches", capture={}):
    """Operators of programs/launch_ops.c: a copy, then 1 to 5 kernels each on two streams, a graph, and a wait."""
    nodes = [
        helper.make_node(
            "Launch",
            ["x" if i == 0 else "k%d" % (i - 1)],
            ["y" if i == 9 else "k%d" % i],
            name="y" if i == 9 else "k%d" % i,
            domain="test",
            kernels=4 if i == 8 else 1 + i % 5,
            stream=7 + i % 2,
            us=5 + i,
            copies=65536 if i == 0 else 0,
            graph=int(i == 8 and not capture),
            waits=int(i >= 8),
            capture=capture.get(i, 0),
        )
        for i in range(10)
    ]
    model = _model(name, nodes, [_value("x", FLOAT, [4])], [_value("y", FLOAT, [4])])
    model.opset_import.append(helper.make_opsetid("test", 1))
    return model, {"x": _ramp(4)}


def waiting():
    """Operators of programs/launch_ops.c that wait for their kernel, the first of which tries others before."""
    nodes = [
        helper.make_node(
            "Launch",
            ["x" if i == 0 else "w%d" % (i - 1)],
            ["y" if i == 5 else "w%d" % i],
            name="w%d" % i,
            domain="test",
            kernels=1,
            us=40,
            waits=1,
            tries=20 if i == 0 else 0,
        )
        for i in range(6)
    ]
    model = _model("waiting", nodes, [_value("x", FLOAT, [4])], [_value("y", FLOAT, [4])])
    model.opset_import.append(helper.make_opsetid("test", 1))
    return model, {"x": _ramp(4)}


def types():
    """One node each of many types, some with kernels whose classes are derived from each other."""
    alone = [
        "Abs",
        "Ceil",
        "Elu",
        "Erf",
        "Exp",
        "Floor",
        "HardSigmoid",
        "LeakyRelu",
        "LogSoftmax",
        "Neg",
        "Relu",
        "Round",
        "Selu",
        "Shape",
        "Sigmoid",
        "Sign",
        "Size",
        "Softmax",
        "Softplus",
        "Softsign",
        "Tan",
        "Tanh",
        "Flatten",
        "NonZero",
        "Hardmax",
        "GlobalMaxPool",
        "ReduceMean",
        "ReduceMax",
        "ReduceL2",
        "ReduceLogSumExp",
        "ArgMax",
        "ArgMin",
    ]
    more = [
        ("Resize", ["x", "", "scales"], dict(mode="linear")),
        ("AveragePool", ["x"], dict(kernel_shape=[2, 2])),
        ("LpPool", ["x"], dict(kernel_shape=[2, 2])),
        ("Conv", ["x", "w"], {}),
        ("ConvTranspose", ["x", "w"], {}),
        ("Pad", ["x", "pads"], {}),
        ("Tile", ["x", "times"], {}),
        ("Expand", ["x", "shape"], {}),
        ("Gather", ["x", "index"], {}),
        ("TopK", ["x", "one"], {}),
        ("CumSum", ["x", "zero"], {}),
        ("Einsum", ["x"], dict(equation="abcd->adcb")),
        ("SpaceToDepth", ["x"], dict(blocksize=2)),
        ("DepthToSpace", ["x"], dict(blocksize=2)),
        ("LRN", ["x"], dict(size=3)),
        ("InstanceNormalization", ["x", "four", "four"], {}),
        ("PRelu", ["x", "slope"], {}),
        ("Transpose", ["x"], dict(perm=[0, 2, 3, 1])),
        ("Pow", ["x", "two"], {}),
        ("Max", ["x", "two"], {}),
        ("Mean", ["x", "two"], {}),
        ("Cast", ["x"], dict(to=INT64)),
    ]
    rows = [(type, ["x"], {}) for type in alone] + more
    nodes = [
        helper.make_node(
            type, inputs, ["y_" + type] + (["i_TopK"] if type == "TopK" else []), name="one_" + type, **attributes
        )
        for type, inputs, attributes in rows
    ]
    kinds = {"Shape": INT64, "Size": INT64, "NonZero": INT64, "ArgMax": INT64, "ArgMin": INT64, "Cast": INT64}
    outputs = [_value("y_" + type, kinds.get(type, FLOAT), None) for type, _, _ in rows]
    float_of = lambda name, *values: helper.make_tensor(name, FLOAT, [len(values)], values)
    int_of = lambda name, *values: helper.make_tensor(name, INT64, [len(values)], values)
    initializers = [
        float_of("scales", 1, 1, 2, 2),
        _weights(3, "w", 4, 4, 3, 3),
        int_of("pads", 0, 0, 1, 1, 0, 0, 1, 1),
        int_of("times", 1, 1, 2, 1),
        int_of("shape", 2, 4, 8, 8),
        int_of("index", 0),
        int_of("one", 1),
        helper.make_tensor("zero", INT64, [], [1]),
        float_of("four", 1, 1, 1, 1),
        float_of("slope", 0.5),
        float_of("two", 2),
    ]
    model = onnx.shape_inference.infer_shapes(
        _model("types", nodes, [_value("x", FLOAT, [1, 4, 8, 8])], outputs, initializers)
    )
    del model.graph.value_info[:]
    return model, {"x": _ramp(1, 4, 8, 8)}


MODELS = (
    tiny,
    old,
    chain,
    cnn,
    wide,
    loop,
    branch,
    scan,
    throws,
    refuses,
    batch,
    cache,
    decoder,
    masked,
    paged,
    tall,
    hearer,
    encoder,
    strange,
    unnamed,
    verbose,
    many,
    heavy,
    long,
    turned,
    quotients,
    inputs,
    guarded,
    images,
    convolutions,
    planned,
    weights,
    spread,
    deep,
    kinds,
    captured,
    checked,
    custom,
    launches,
    types,
    uneven,
    waiting,
)


def write(folder):
    os.makedirs(folder, exist_ok=True)
    for make in MODELS:
        model, feeds = make()
        onnx.checker.check_model(model)
        onnx.save(model, os.path.join(folder, make.__name__ + ".onnx"))
        np.savez(os.path.join(folder, make.__name__ + ".npz"), **feeds)
    model, feeds = weights()
    path = os.path.join(folder, "weights_beside.onnx")
    onnx.save(model, path, save_as_external_data=True, location="weights_beside.bin")
    np.savez(os.path.join(folder, "weights_beside.npz"), **feeds)
    model, feeds = mapped()
    onnx.save(model, os.path.join(folder, "mapped.onnx"), save_as_external_data=True, location="mapped.bin")
    np.savez(os.path.join(folder, "mapped.npz"), **feeds)
    with open(os.path.join(folder, "garbage.onnx"), "wb") as out:
        out.write(b"this is no model at all" * 40)
