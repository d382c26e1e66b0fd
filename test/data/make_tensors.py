#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the tensors in npy/, npz/ and tensor_pb/, good and bad, with numpy and the package onnx; each bad one has
one defect. make_tensors.py [FOLDER]"""

import io
import os
import struct
import sys
import zipfile
import zlib

import ml_dtypes
import numpy as np
from onnx import TensorProto, helper, numpy_helper

FOLDER = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))


def write(path, data):
    path = os.path.join(FOLDER, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(data)


def npy(array, version=None):
    out = io.BytesIO()
    np.lib.format.write_array(out, np.asanyarray(array), version=version)
    return out.getvalue()


def by_hand(header, data=b"", version=1, length=None):
    text = (header + "\n").encode()
    length = len(text) if length is None else length
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", length) + text + data


def header(descr="'<f4'", order="False", shape="(2,)"):
    return "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)


def make_npy():
    good = {
        "float": np.arange(6, dtype="<f4").reshape(2, 3),
        "scalar": np.array(7),
        "bool": np.array([True, False]),
        "complex_big": np.array([1 + 2j], ">c8"),
        "fortran": np.asfortranarray(np.arange(24.0).reshape(2, 3, 4)),
        "unicode": np.array(["a", "é\U0001f600"]),
        "bytes": np.array([b"a", b"\xffbc"]),
        "empty": np.zeros((0, 3), "i8"),
        "half_big": np.array([0.5, -2], ">f2"),
        "unicode_big": np.array(["b", "ab"], ">U2"),
        "uint64": np.array([2**64 - 1]),
    }
    for name, array in good.items():
        write("npy/good/%s.npy" % name, npy(array))
    write("npy/good/version2.npy", npy(np.arange(3, dtype="i2"), (2, 0)))
    write("npy/good/version3.npy", npy(np.arange(3, dtype="u1"), (3, 0)))
    write("npy/good/python2.npy", by_hand(header("'<i2'", "False", "(1L, 2L)"), b"\1\0\2\0"))
    write("npy/good/quotes.npy", by_hand('{"shape":(2,),"fortran_order":False,"descr":"|u1"}', b"\1\2"))
    write("npy/good/bfloat16.npy", npy(np.array([1, 2], ml_dtypes.bfloat16).view("V2")))
    write("npy/good/bool_seven.npy", by_hand(header("'|b1'"), b"\7\0"))
    eight = b"\0" * 8
    bad = {
        "cut": npy(good["float"])[:-1],
        "more": npy(good["float"]) + b"\0",
        "short": b"\x93NUMPY\1",
        "magic": b"NUMPY\x93" + npy(good["float"])[6:],
        "version4": by_hand(header(), eight, 4),
        "header_cut": by_hand(header(), b"", 1, 5000),
        "object": by_hand(header("'|O'"), eight),
        "structure": by_hand(header("[('x', '<f4')]"), eight),
        "long_double": by_hand(header("'<f16'"), eight * 4),
        "date": by_hand(header("'<M8[ns]'"), eight * 2),
        "negative": by_hand(header(shape="(-2,)"), eight),
        "overflow": by_hand(header(shape="(4294967296, 4294967296, 4294967296)"), eight),
        "dim_overflow": by_hand(header(shape="(99999999999999999999,)"), eight),
        "no_size": by_hand(header("'<U0'", shape="(99999999,)")),
        "dims": by_hand(header(shape="(%s)" % ("1, " * 65)), b"\0" * 4),
        "no_shape": by_hand("{'descr': '<f4', 'fortran_order': False}", eight),
        "twice": by_hand("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", eight),
        "key": by_hand("{'descr': '<f4', 'order': False, 'shape': (2,)}", eight),
        "order": by_hand(header(order="0"), eight),
        "open": by_hand(header()[:-1], eight),
        "quote": by_hand("{'descr", eight),
        "behind": by_hand(header() + "x", eight),
        "no_dict": by_hand("descr", eight),
        "no_character": by_hand(header("'<U1'", shape="(1,)"), b"\0\0\x11\0"),
        "surrogate": by_hand(header("'<U1'", shape="(1,)"), b"\0\xd8\0\0"),
        "unprintable": by_hand(header("'<\n4'"), eight),
        "nothing": b"",
    }
    for name, data in bad.items():
        write("npy/bad/%s.npy" % name, data)


def zipped(files, method=zipfile.ZIP_STORED, comment=b""):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files:
            info = zipfile.ZipInfo(name)
            info.compress_type = method
            archive.writestr(info, data)
        archive.comment = comment
    return out.getvalue()


def end_record(n, size, offset):
    return struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, n, n, size, offset, 0)


def wide(data, offset=0xFFFFFFFF):
    """Every number that can be in the 64-bit extension is only there, except the offset."""
    numbers = (len(data), len(data)) + ((0,) if offset else ())
    extra = struct.pack("<HH%dQ" % len(numbers), 1, 8 * len(numbers), *numbers)
    local = (
        struct.pack("<IHHHHHIIIHH", 0x04034B50, 45, 0, 0, 0, 0, zlib.crc32(data), 0xFFFFFFFF, 0xFFFFFFFF, 5, 20)
        + b"a.npy"
        + struct.pack("<HHQQ", 1, 16, len(data), len(data))
    )
    entry = (
        struct.pack(
            "<IHHHHHHIIIHHHHHII",
            0x02014B50,
            45,
            45,
            0,
            0,
            0,
            0,
            zlib.crc32(data),
            0xFFFFFFFF,
            0xFFFFFFFF,
            5,
            len(extra),
            0,
            0,
            0,
            0,
            offset,
        )
        + b"a.npy"
        + extra
    )
    at = len(local) + len(data)
    return (
        local
        + data
        + entry
        + struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, 1, 1, len(entry), at)
        + struct.pack("<IIQI", 0x07064B50, 0, at + len(entry), 1)
        + end_record(0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)
    )


def overlapping(data, n):
    """A directory that names the same data n times."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(data) + packer.flush()
    local = (
        struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, 8, 0, 0, zlib.crc32(data), len(packed), len(data), 5, 0)
        + b"a.npy"
    )
    entry = (
        struct.pack(
            "<IHHHHHHIIIHHHHHII",
            0x02014B50,
            20,
            20,
            0,
            8,
            0,
            0,
            zlib.crc32(data),
            len(packed),
            len(data),
            5,
            0,
            0,
            0,
            0,
            0,
            0,
        )
        + b"a.npy"
    )
    return local + packed + n * entry + end_record(n, n * len(entry), len(local) + len(packed))


def changed(data, old, new):
    assert data.count(old) == 1, data.count(old)
    return data.replace(old, new)


def make_npz():
    files = [("x.npy", npy(np.arange(3, dtype="i4"))), ("a/é.npy", npy(np.zeros((20, 20), "f4")))]
    one = zipped(files[:1])
    packed = zipped(files[1:], zipfile.ZIP_DEFLATED)
    good = {
        "stored": zipped(files),
        "deflated": zipped(files, zipfile.ZIP_DEFLATED),
        "empty": zipped([]),
        "wide": wide(files[0][1]),
        "wide_sizes": wide(files[0][1], 0),
        "comment": zipped(files[:1], comment=b"PK\5\6 is how they end" * 2),
    }
    entry, there = one.index(b"PK\1\2"), packed.index(b"PK\1\2")
    bad = {
        "cut": one[:-1],
        "front": b"#!/bin/sh\n" + one,
        "short": b"PK\5\6",
        "check_sum": changed(one, b"\2\0\0\0PK", b"\3\0\0\0PK"),
        "encrypted": one[: entry + 8] + b"\1" + one[entry + 9 :],
        "method": zipped(files[:1], zipfile.ZIP_LZMA),
        "text": zipped([("readme.txt", b"hello")]),
        "not_npy": zipped([("a.npy", b"hello")]),
        "name": zipped([(".npz", b"")]),
        "parts": one[:-18] + b"\1\0" + one[-16:],
        "more_entries": one[:-12] + b"\2\0" + one[-10:],
        "fewer_entries": one[:-12] + b"\0\0" + one[-10:],
        "directory": one[:-6] + b"\xff\xff\xff\0" + one[-2:],
        "offset": one[: entry + 42] + b"\7\0\0\0" + one[entry + 46 :],
        "size": one[: entry + 24] + b"\xff\xff\0\0" + one[entry + 28 :],
        "packed_size": one[: entry + 20] + 2 * b"\xff\xff\xff\0" + one[entry + 28 :],
        "lie": packed[: there + 24] + struct.pack("<I", 1 << 30) + packed[there + 28 :],
        "less": packed[: there + 24] + struct.pack("<I", 1000) + packed[there + 28 :],
        "damaged": packed[:60] + b"\xff" * 8 + packed[68:],
        "wide_end": changed(wide(files[0][1]), b"PK\6\6", b"PK\6\5"),
        "bomb": overlapping(npy(np.zeros(1 << 20, "u1")), 1100),
    }
    for name, data in good.items():
        # Python takes the content of the comment for the end record.
        assert name == "comment" or zipfile.ZipFile(io.BytesIO(data)).testzip() is None
        write("npz/good/%s.npz" % name, data)
    for name, data in bad.items():
        write("npz/bad/%s.npz" % name, data)


def make_tensor_pb():
    def serial(proto):
        return proto.SerializeToString(deterministic=True)

    def made(kind, shape, values):
        return helper.make_tensor("x", getattr(TensorProto, kind), shape, values)

    good = {
        "raw_float": numpy_helper.from_array(np.arange(6, dtype="f4").reshape(2, 3), "data"),
        "raw_int4": numpy_helper.from_array(np.array([1, -2, 3], ml_dtypes.int4)),
        "raw_float6": numpy_helper.from_array(np.array([1, -2, 0.5], ml_dtypes.float6_e2m3fn)),
        "raw_empty": numpy_helper.from_array(np.zeros((0, 2), "f8")),
        "scalar": made("INT64", (), [-1]),
        "float": made("FLOAT", (2,), [1, 2]),
        "double": made("DOUBLE", (2,), [1, 2]),
        "complex": made("COMPLEX64", (1,), [1 + 2j]),
        "half": made("FLOAT16", (2,), [1, -2]),
        "bool": made("BOOL", (2,), [1, 0]),
        "uint64": made("UINT64", (1,), [2**64 - 1]),
        "uint32": made("UINT32", (1,), [2**32 - 1]),
        "int4": made("INT4", (3,), [1, -2, 3]),
        "uint2": made("UINT2", (5,), [0, 1, 2, 3, 1]),
        "float6": made("FLOAT6E3M2", (5,), [0, 1, 2, 3, -1]),
        "string": made("STRING", (2,), ["a", "日本"]),
    }
    for name, proto in good.items():
        write("tensor_pb/good/%s.pb" % name, serial(proto))
    write("tensor_pb/good/not_packed.pb", b"\x08\1\x08\2\x10\6\x28\3\x28\4")
    write("tensor_pb/good/bool_seven.pb", b"\x08\2\x10\x09\x4a\2\7\0")
    few = made("FLOAT", (3,), [1, 2, 3])
    few.dims[0] = 4
    raw_few = numpy_helper.from_array(np.zeros(3, "f4"))
    raw_few.dims[0] = 4
    wide_value = made("INT8", (1,), [1])
    wide_value.int32_data[0] = -129
    wide_up = made("UINT8", (1,), [1])
    wide_up.int32_data[0] = 256
    many_values = made("FLOAT", (2,), [1, 2])
    many_values.dims[0] = 1
    raw_many = numpy_helper.from_array(np.zeros(3, "f4"))
    raw_many.dims[0] = 2
    negative = made("FLOAT", (1,), [1])
    negative.dims[0] = -1
    huge = made("FLOAT", (1,), [1])
    huge.dims.extend([2**62, 2**62])
    external = made("FLOAT", (0,), [])
    external.data_location = TensorProto.EXTERNAL
    raw_string = made("STRING", (1,), ["abc"])
    raw_string.raw_data = b"abc"
    unknown = made("FLOAT", (1,), [1])
    unknown.data_type = 99
    many = made("FLOAT", (1,) * 65, [1])
    bad = {
        "few": few,
        "raw_few": raw_few,
        "wide_value": wide_value,
        "wide_up": wide_up,
        "many_values": many_values,
        "raw_many": raw_many,
        "negative": negative,
        "huge": huge,
        "external": external,
        "raw_string": raw_string,
        "unknown_type": unknown,
        "many_dims": many,
        "sequence": numpy_helper.from_list([np.zeros(2, "f4")], "s"),
        "optional": numpy_helper.from_optional(np.zeros(2, "f4"), "o"),
        "nothing": TensorProto(),
        "model": helper.make_model(helper.make_graph([], "g", [], [])),
    }
    for name, proto in bad.items():
        write("tensor_pb/bad/%s.pb" % name, serial(proto))
    write("tensor_pb/bad/cut.pb", serial(good["raw_float"])[:-1])
    write("tensor_pb/bad/packed_cut.pb", b"\x0a\1\2\x10\1\x22\7\0\0\0\0\0\0\0")
    write("tensor_pb/bad/dim_cut.pb", b"\x0a\1\x82\x10\1\x22\4\0\0\0\0")
    write("tensor_pb/bad/wire.pb", b"\x08\1\x10\6\x2d\0\0\0\0")
    write("tensor_pb/bad/name.pb", serial(good["scalar"]).replace(b"\x42\1x", b"\x42\1\0"))
    write("tensor_pb/bad/group.pb", b"\x08\1\x10\6\x28\3\x0b")


make_npy()
make_npz()
make_tensor_pb()
