#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""make_uprobe.py FOLDER: writes rings of made-up hits of probes (src/capture/probe/uprobe.h) for the fuzzer."""

import os
import struct
import sys

(
    RUN,
    INITIALIZE,
    LOAD,
    DELETE,
    TRANSFORM,
    TRANSFORM_END,
    CAPABILITY,
    COMPILE,
    WEIGHTS,
    PREPACK,
    OPERATOR,
    OPERATOR_END,
    _,
    KERNEL,
    TEXT,
) = range(15)


def ring(*records):
    out = b""
    for record in records:
        out += struct.pack("<II", len(record), 0) + record + bytes(-len(record) % 8)
    return out


def hit(kind, time, thing=0, stack=0x1000, tid=1, end=0):
    return struct.pack("<QQQIBBH", time, thing, stack, tid, kind, end, 0)


def named(head, name, kind="", index=0, provider=0x77000):
    return head + struct.pack("<QQ", index, provider) + name.encode().ljust(512, b"\0") + kind.encode().ljust(64, b"\0")


def joined(head, *words):
    return head + struct.pack("<7Q", *words, *[0] * (7 - len(words)))


def creation():
    return [
        hit(LOAD, 10, 0x5000),
        hit(LOAD, 20, 0, 0x1008, end=1),
        named(hit(TEXT, 20, 0x5000), "/models/net.onnx", index=200),
        hit(INITIALIZE, 21, 0x5000),
        named(hit(TRANSFORM, 22, 0x7000, 0x800), "Fusion"),
        hit(TRANSFORM_END, 24, 0, 0x7C0),
        named(hit(TEXT, 25, 0x77000), "CPUExecutionProvider", index=40),
        hit(CAPABILITY, 26, 0x77000, 0x700),
        hit(WEIGHTS, 27, 0, 0x700),
        named(hit(KERNEL, 28, 0xA000), "conv", "Conv"),
        hit(PREPACK, 28, 0xA000, 0x700),
        hit(INITIALIZE, 30, 0, 0x1008, end=1),
    ]


def run(start, tid=1):
    begin = joined(hit(RUN, start, 0x5000, tid=tid), 0x900000 + 0x1000 * tid, start, 1, 0, 0, 7, 4096)
    return [
        begin,
        hit(OPERATOR, start + 1, 0xA000, 0x800, tid),
        hit(OPERATOR, start + 2, 0xB000, 0x700, tid),
        hit(OPERATOR_END, start + 3, 0, 0x708, tid),
        hit(OPERATOR_END, start + 4, 0, 0x808, tid),
        joined(hit(OPERATOR, start + 5, 0xA000, 0x8000, 9), 1, 0x900028 + 0x1000 * tid, 2, 3),
        hit(OPERATOR_END, start + 6, 0, 0x8008, 9),
        joined(hit(RUN, start + 9, 0, 0x1008, tid, 1), 0, start + 9, 10, 1, 1 << 32, 8, 8192),
    ]


good, bad = (os.path.join(sys.argv[1], name) for name in ("good", "bad"))
files = {
    (good, "session"): creation() + run(40) + run(60) + [hit(DELETE, 90, 0x5000)],
    (good, "threads"): [record for pair in zip(run(40, 1), run(41, 2), run(42, 3)) for record in pair],
    (bad, "exceptions"): run(40)[:3] + run(50)[:2] + [named(hit(RUN, 70, 1, 0x1008, end=1), "it failed")] + run(80),
    (bad, "ends-first"): list(reversed(creation() + run(40))),
    (bad, "deep"): [hit(OPERATOR, 20 + i, 0xA000, 0x9000 - 8 * i) if i % 3 else run(20 + i)[0] for i in range(200)],
    (bad, "short"): [record[: len(record) // 2] for record in creation() + run(40)],
    (bad, "endless-names"): [named(hit(kind, 5, 0xA000), "n" * 512, "t" * 64, 1 << 63, 1 << 63) for kind in range(16)],
}
for (folder, name), records in files.items():
    with open(os.path.join(folder, name), "wb") as file:
        file.write(ring(*records))
