# SPDX-License-Identifier: Apache-2.0
"""litemodels.py FOLDER: makes models of TensorFlow Lite with the schema that the package ai-edge-litert brings.

cnn (convolutions, a pool, a matrix product, softmax), chain (100 small operators), loop (WHILE with two subgraphs, and
IF), reshaper (its shape is an input: some fail), twice (two signatures)."""

import os
import sys

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

TYPES = {"float32": schema.TensorType.FLOAT32, "int32": schema.TensorType.INT32, "bool": schema.TensorType.BOOL}


class Graph:
    def __init__(self, model, name):
        self.model, self.tensors, self.operators = model, [], []
        self.graph = schema.SubGraphT()
        self.graph.name = name
        model.subgraphs.append(self.graph)

    def tensor(self, name, shape, kind="float32", value=None):
        tensor = schema.TensorT()
        tensor.name, tensor.shape, tensor.type, tensor.buffer = name, list(shape), TYPES[kind], 0
        if value is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(value, kind).tobytes(), np.uint8)
            tensor.buffer = len(self.model.buffers)
            self.model.buffers.append(buffer)
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def operator(self, kind, inputs, outputs, options=None, **values):
        code = getattr(schema.BuiltinOperator, kind)
        known = [one.builtinCode for one in self.model.operatorCodes]
        if code not in known:
            one = schema.OperatorCodeT()
            one.builtinCode, one.deprecatedBuiltinCode, one.version = code, min(code, 127), 1
            self.model.operatorCodes.append(one)
            known.append(code)
        operator = schema.OperatorT()
        operator.opcodeIndex, operator.inputs, operator.outputs = known.index(code), list(inputs), list(outputs)
        if options:
            operator.builtinOptionsType = getattr(schema.BuiltinOptions, options)
            operator.builtinOptions = getattr(schema, options + "T")()
            for key, value in values.items():
                setattr(operator.builtinOptions, key, value)
        self.operators.append(operator)

    def end(self, inputs, outputs):
        self.graph.tensors, self.graph.operators = self.tensors, self.operators
        self.graph.inputs, self.graph.outputs = list(inputs), list(outputs)


def model():
    made = schema.ModelT()
    made.version, made.subgraphs, made.operatorCodes, made.buffers = 3, [], [], [schema.BufferT()]
    made.description, made.signatureDefs = "made by litemodels.py", []
    return made


def write(made, path):
    builder = flatbuffers.Builder(1 << 16)
    builder.Finish(made.Pack(builder), b"TFL3")
    with open(path, "wb") as out:
        out.write(builder.Output())


def weights(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32) / 8


def cnn():
    made = model()
    graph = Graph(made, "main")
    given = graph.tensor("image", (1, 32, 32, 3))
    relu, same = schema.ActivationFunctionType.RELU, schema.Padding.SAME
    step, channels = given, 3
    for i, wide in enumerate((8, 16)):
        size = 32 >> i
        kernel = graph.tensor("conv%d/kernel" % i, (wide, 3, 3, channels), value=weights(i, wide, 3, 3, channels))
        bias = graph.tensor("conv%d/bias" % i, (wide,), value=weights(9 + i, wide))
        conv = graph.tensor("conv%d" % i, (1, size, size, wide))
        graph.operator("CONV_2D", (step, kernel, bias), (conv,), "Conv2DOptions", padding=same, strideW=1, strideH=1,
                       fusedActivationFunction=relu)  # fmt: skip
        step = graph.tensor("pool%d" % i, (1, size // 2, size // 2, wide))
        graph.operator("MAX_POOL_2D", (conv,), (step,), "Pool2DOptions", padding=schema.Padding.VALID, strideW=2,
                       strideH=2, filterWidth=2, filterHeight=2)  # fmt: skip
        channels = wide
    flat, shape = graph.tensor("flat", (1, 1024)), graph.tensor("shape", (2,), "int32", [1, 1024])
    graph.operator("RESHAPE", (step, shape), (flat,))
    dense = graph.tensor("dense", (1, 10))
    graph.operator(
        "FULLY_CONNECTED",
        (flat, graph.tensor("dense/kernel", (10, 1024), value=weights(5, 10, 1024)), -1),
        (dense,),
        "FullyConnectedOptions",
    )
    result = graph.tensor("probabilities", (1, 10))
    graph.operator("SOFTMAX", (dense,), (result,), "SoftmaxOptions", beta=1.0)
    graph.end([given], [result])
    return made


def chain():
    made = model()
    graph = Graph(made, "main")
    given = step = graph.tensor("x", (1, 16))
    for i in range(100):
        after = graph.tensor("step%d" % i, (1, 16))
        graph.operator("TANH", (step,), (after,))
        step = after
    graph.end([given], [step])
    return made


def loop():
    """Counts i up to a limit, and doubles x each time; then negates it where it is above a limit."""
    made = model()
    main, test, body, negate, keep = (Graph(made, name) for name in ("main", "test", "body", "negate", "keep"))
    i, x = main.tensor("i", (1,), "int32"), main.tensor("x", (1, 4))
    looped = main.tensor("looped_i", (1,), "int32"), main.tensor("looped_x", (1, 4))
    main.operator("WHILE", (i, x), looped, "WhileOptions", condSubgraphIndex=1, bodySubgraphIndex=2)
    many, is_many = main.tensor("many", (1,), "int32", [3]), main.tensor("is_many", (1,), "bool")
    main.operator("GREATER", (looped[0], many), (is_many,))
    result = main.tensor("result", (1, 4))
    main.operator("IF", (is_many, looped[1]), (result,), "IfOptions", thenSubgraphIndex=3, elseSubgraphIndex=4)
    main.end([i, x], [result])

    i, x = test.tensor("test_i", (1,), "int32"), test.tensor("test_x", (1, 4))
    limit, less = test.tensor("limit", (1,), "int32", [5]), test.tensor("is_less", (1,), "bool")
    test.operator("LESS", (i, limit), (less,))
    test.end([i, x], [less])

    i, x = body.tensor("body_i", (1,), "int32"), body.tensor("body_x", (1, 4))
    one, more, twice = (
        body.tensor("one", (1,), "int32", [1]),
        body.tensor("more", (1,), "int32"),
        body.tensor("twice", (1, 4)),
    )
    body.operator("ADD", (i, one), (more,), "AddOptions")
    body.operator("ADD", (x, x), (twice,), "AddOptions")
    body.end([i, x], [more, twice])

    x, y = negate.tensor("then_x", (1, 4)), negate.tensor("negated", (1, 4))
    negate.operator("NEG", (x,), (y,))
    negate.end([x], [y])
    x, y = keep.tensor("else_x", (1, 4)), keep.tensor("kept", (1, 4))
    keep.operator("ABS", (x,), (y,))
    keep.end([x], [y])
    return made


def reshaper():
    made = model()
    graph = Graph(made, "main")
    given, shape = graph.tensor("data", (2, 4)), graph.tensor("shape", (2,), "int32")
    shaped, result = graph.tensor("shaped", (2, 4)), graph.tensor("result", (2, 4))
    graph.operator("RESHAPE", (given, shape), (shaped,))
    graph.operator("NEG", (shaped,), (result,))
    graph.end([given, shape], [result])
    return made


def twice():
    """Two signatures: each has a subgraph of its own."""
    made = model()
    for number, (key, kind) in enumerate((("negate", "NEG"), ("absolute", "ABS"))):
        graph = Graph(made, key)
        given, result = graph.tensor(key + "_x", (1, 4)), graph.tensor(key + "_y", (1, 4))
        graph.operator(kind, (given,), (result,))
        graph.end([given], [result])
        signature = schema.SignatureDefT()
        signature.signatureKey, signature.subgraphIndex = key, number
        signature.inputs, signature.outputs = [schema.TensorMapT()], [schema.TensorMapT()]
        signature.inputs[0].name, signature.inputs[0].tensorIndex = "x", given
        signature.outputs[0].name, signature.outputs[0].tensorIndex = "y", result
        made.signatureDefs.append(signature)
    return made


for make in (cnn, chain, loop, reshaper, twice):
    write(make(), os.path.join(sys.argv[1], make.__name__ + ".tflite"))
