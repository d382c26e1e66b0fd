#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes test/data/elf: a small ELF file with the parts of ONNX Runtime 1.15 that src/runtime reads: type information,
virtual tables, code, strings, unwind tables, and the table of its API. Its code never runs.

Variants: plain.so; relr.so (words relocated by DT_RELR); split.so (Initialize in two halves, as in 1.31); and in bad/
files that must be rejected. ort_sites_test.c has the expected results."""

import os
import struct
import sys

PAGE = 0x1000
CODE, DATA = 0x10000, 0x20000
ENDBR = b"\xf3\x0f\x1e\xfa"
STATUS = b"\x48\xc7\x07\0\0\0\0\x48\x89\xf8\xc3"
BODIES = {
    "S": STATUS,
    "0": b"\x31\xc0\xc3",
    "1": b"\xb8\x01\0\0\0\xc3",
    "V": b"\xc3",
    ".": b"\x55\x5d\xc3",
    "K": b"\x41\xc6\x01\0" + STATUS,
}
CXX = ["_ZTVN10__cxxabiv117__class_type_infoE", "_ZTVN10__cxxabiv120__si_class_type_infoE"]


class Runtime:
    def __init__(self, relr=False, is_split=False, endbr=ENDBR):
        self.relr = relr
        self.endbr = endbr
        self.code = bytearray()
        self.functions = []  # (start, end), addresses
        self.texts = {}
        self.rodata = bytearray(b"\0")
        self.fixes = []  # (offset in code, text): distances to fill in later
        self.data = bytearray()
        self.words = {}  # offset in data: address, or (symbol, addend)
        self.types = {}
        self.build(is_split)

    def text(self, text):
        if text not in self.texts:
            self.texts[text] = len(self.rodata)
            self.rodata += text.encode() + b"\0"
        return self.texts[text]

    def function(self, body):
        """body: bytes, or parts: bytes, ("lea", text), ("call", address), ("jmp", address), ("jne", address)."""
        start = CODE + len(self.code)
        for part in [self.endbr, body] if isinstance(body, bytes) else body:
            if isinstance(part, bytes):
                self.code += part
                continue
            what, to = part
            self.code += {
                "lea": b"\x48\x8d\x3d",
                "ret-lea": b"\x48\x8d\x05",
                "call": b"\xe8",
                "jmp": b"\xe9",
                "jne": b"\x0f\x85",
            }[what]
            if isinstance(to, str):
                self.fixes.append((len(self.code), self.text(to)))
                self.code += bytes(4)
            else:
                self.code += struct.pack("<i", to - (CODE + len(self.code) + 4))
        self.functions.append((start, CODE + len(self.code)))
        self.code += b"\x90" * (-len(self.code) % 32)
        return start

    def word(self, value):
        at = len(self.data)
        self.data += bytes(8)
        if isinstance(value, tuple) or value:
            self.words[at] = value
        return DATA + PAGE + at

    def type(self, name, base=None):
        if name not in self.types:
            parent = self.type(base) if base else None
            self.types[name] = self.word((CXX[1 if base else 0], 16))
            self.word(("text", self.text(name)))
            if parent:
                self.word(parent)
        return self.types[name]

    def table(self, name, functions, base=None):
        of = self.type(name, base)
        self.data += bytes(8)
        self.word(of)
        for function in functions:
            self.word(function)
        self.data += bytes(16)

    def shape(self, letters, own=()):
        functions = [self.shared[letter] for letter in letters]
        for slot, function in dict(own).items():
            functions[slot] = function
        return functions

    def catching(self, text, handler):
        """A function with a catch-all handler in a cold part, which comes first, as compilers place it."""
        cold = CODE + len(self.code)
        hot = cold + 32
        self.function([("lea", handler), ("jmp", hot + 6)])
        assert CODE + len(self.code) <= hot
        self.code += b"\x90" * (hot - CODE - len(self.code))
        body = [
            self.endbr,
            b"\x53",
            b"\x90" * (5 - len(self.endbr)),
            ("lea", text) if text else b"\x48\x31\xc0",
            ("jne", cold),
            b"\x5b\xc3",
        ]
        return self.function(body)

    def build(self, is_split):
        for i in range(80):  # a runtime is recognised by the number of its type names
            self.text("N11onnxruntime3T%02dE" % i)
        self.shared = {letter: self.function(body) for letter, body in BODIES.items()}
        plain = lambda: self.function(b"\x55\x5d\xc3")
        self.catching("Running with tag: ", "Encountered unknown exception in Run()")
        if is_split:
            inner = self.function([self.endbr, b"\x55", ("lea", "Session successfully initialized."), b"\x5d\xc3"])
            cold = CODE + len(self.code)
            hot = cold + 32
            self.function([("lea", "Encountered unknown exception in Initialize()"), ("jmp", hot + 6)])
            self.code += b"\x90" * (hot - CODE - len(self.code))
            self.function(
                [self.endbr, b"\x53", b"\x90" * (5 - len(self.endbr)), ("call", inner), ("jne", cold), b"\x5b\xc3"]
            )
        else:
            self.catching("Session successfully initialized.", "Encountered unknown exception in Initialize()")
        self.catching(None, "Encountered unknown exception in LoadWithLoader()")
        after = b"\x48\x8b\x44\x24\x08\x48\x85\xc0\x74\x02\x31\xc0\x5b\xc3"  # mov, test, je (cheap), ...
        self.function(
            [self.endbr, b"\x53", ("lea", "Non-zero status code returned while running "), b"\xff\x50\x10", after]
        )
        self.function([self.endbr, b"\x53", ("lea", " modified: "), b"\xff\x50\x18", after])
        self.function([self.endbr, b"\x53", ("lea", "Done saving initialized tensors"), b"\x5b\xc3"])
        self.borders()
        kernel, provider = "N11onnxruntime8OpKernelE", "N11onnxruntime18IExecutionProviderE"
        for name in ["N11onnxruntime9TransposeE", "N11onnxruntime3SinE", "N11onnxruntime3CosE"]:
            self.table(name, self.shape("......", {2: plain(), 5: self.shared["K"]}), kernel)
        self.table("N11onnxruntime4GemmE", self.shape("......", {2: plain(), 5: plain()}), kernel)
        self.table(
            "N11onnxruntime3TanE",
            self.shape("......", {2: self.function(b"\x31\xc0\x5d\xc3"), 5: self.shared["K"]}),
            kernel,
        )
        shape = "........V0SSS00SS1."
        self.table("N11onnxruntime20CPUExecutionProviderE", self.shape(shape, {4: plain(), 18: plain()}), provider)
        self.table("N11onnxruntime16InferenceSessionE", self.shape("....", {1: plain(), 3: plain()}))
        self.table("N11onnxruntime16GraphTransformerE", self.shape("...."))
        self.api()

    def borders(self):
        """What is passed between phases of session creation."""
        user = lambda *parts: self.function([self.endbr, b"\x53", *parts, b"\x5b\xc3"])
        user(("lea", "TransformGraph"))
        connect = user(("lea", "BuildConnections"))
        user(("lea", "Resolve"))  # another one of that name
        user(("lea", "Resolve"), ("call", connect))
        user(("lea", "Resolve the rest"), ("call", connect))  # only begins like it
        # the first instruction that the kernel emulates is the third one
        self.function(
            [self.endbr or b"\x53", b"\x48\x83\xec\x08\x31\xc0", ("call", connect), ("lea", "Node placements"), b"\xc3"]
        )
        user(("lea", "Use DeviceBasedPartition as default"))
        patterns = self.function(b"\x48\x8d\x47\x08\xc3")
        own = {1: self.function(b"\x53\x5b\xc3"), 2: patterns}
        allocator = "N11onnxruntime16ITensorAllocatorE"
        self.table("N11onnxruntime21SimpleTensorAllocatorE", self.shape("...S..", own), allocator)
        read = self.function(b"\x55\x48\x63\xd2\x5d\xc3")
        stream = "N6google8protobuf2io18CopyingInputStreamE"
        self.table(
            "N6google8protobuf2io15FileInputStream22CopyingFileInputStreamE", self.shape("....", {2: read}), stream
        )

    def api(self):
        start = CODE + len(self.code)
        table = DATA + PAGE + len(self.data)
        get = self.function(
            [
                self.endbr,
                b"\x83\xff\x0e",
                b"\x48\x8d\x05" + struct.pack("<i", table - (start + len(self.endbr) + 10)),
                b"\xc3",
            ]
        )
        for _ in range(255):
            self.word(self.shared["."])
        version = self.function([self.endbr, ("ret-lea", "1.15.1"), b"\xc3"])
        self.data += bytes(8)
        self.word(get)
        self.word(version)
        self.code += b"\x90" * 64

    def frames(self, at):
        """.eh_frame_hdr and .eh_frame at an address, sorted."""
        functions = sorted(self.functions)
        header = at
        cie = header + 12 + 8 * len(functions)
        cie += -cie % 8
        out = bytearray(b"\1\x1b\3\x3b") + struct.pack("<iI", cie - header - 4, len(functions))
        cie_bytes = struct.pack("<II", 20, 0) + b"\1zR\0\1\x78\x10\1\x1b\x0c\7\x08\x90\1\0\0"
        body = bytearray(cie_bytes)
        for start, end in functions:
            fde = cie + len(body)
            out += struct.pack("<ii", start - header, fde - header)
            body += struct.pack("<IIiI", 20, fde + 4 - cie, start - (fde + 8), end - start) + bytes(8)
        out += bytes(cie - header - len(out))
        return bytes(out + body + bytes(4))

    def elf(self):
        strings = b"\0" + b"".join(name.encode() + b"\0" for name in CXX)
        at = 64 + 56 * 7
        note = struct.pack("<III", 4, 20, 3) + b"GNU\0" + bytes(range(20))
        note_at, at = at, at + len(note)
        symbols_at = at + -at % 8
        symbols = bytes(24) + b"".join(
            struct.pack("<IBBHQQ", 1 + (0 if not i else len(CXX[0]) + 1), 0x11, 0, 0, 0, 0) for i in range(2)
        )
        strings_at = symbols_at + len(symbols)
        rodata_at = strings_at + len(strings)
        for where, text in self.fixes:
            self.code[where : where + 4] = struct.pack("<i", rodata_at + text - (CODE + where + 4))
        frames_at = rodata_at + len(self.rodata)
        frames_at += -frames_at % 8
        frames = self.frames(frames_at)
        rela_at = frames_at + len(frames)
        rela_at += -rela_at % 8
        rela, relative = b"", []
        for offset, value in sorted(self.words.items()):
            where = DATA + PAGE + offset
            if isinstance(value, tuple) and value[0] in CXX:
                rela += struct.pack("<QQq", where, (CXX.index(value[0]) + 1) << 32 | 1, value[1])
                continue
            target = rodata_at + value[1] if isinstance(value, tuple) else value
            if self.relr:
                self.data[offset : offset + 8] = struct.pack("<Q", target)
                relative.append(where)
            else:
                rela += struct.pack("<QQq", where, 8, target)
        relr = b"".join(struct.pack("<Q", where) for where in relative)  # one entry each: no bitmaps
        relr_at = rela_at + len(rela)
        first_end = relr_at + len(relr)
        dynamic = b"".join(
            struct.pack("<QQ", *pair)
            for pair in [(5, strings_at), (10, len(strings)), (6, symbols_at), (7, rela_at), (8, len(rela)), (9, 24)]
            + ([(36, relr_at), (35, len(relr)), (37, 8)] if relr else [])
            + [(0, 0)]
        )
        code_off = first_end + -first_end % PAGE
        data_off = code_off + len(self.code) + -len(self.code) % PAGE
        second = dynamic.ljust(PAGE, b"\0") + bytes(self.data)
        headers = [
            (1, 4, 0, 0, first_end),
            (1, 5, code_off, CODE, len(self.code)),
            (1, 6, data_off, DATA, len(second)),
            (2, 6, data_off, DATA, len(dynamic)),
            (4, 4, note_at, note_at, len(note)),
            (0x6474E550, 4, frames_at, frames_at, len(frames)),
            (0x6474E552, 4, data_off, DATA, len(second)),
        ]
        out = bytearray(b"\x7fELF\2\1\1" + bytes(9))
        out += struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, 64, 0, 0, 64, 56, len(headers), 0, 0, 0)
        for kind, flags, offset, address, size in headers:
            out += struct.pack("<IIQQQQQQ", kind, flags, offset, address, address, size, size, PAGE if kind == 1 else 8)
        out += note
        for where, part in [
            (symbols_at, symbols),
            (strings_at, strings),
            (rodata_at, self.rodata),
            (frames_at, frames),
            (rela_at, rela),
            (relr_at, relr),
            (code_off, self.code),
            (data_off, second),
        ]:
            out += bytes(where - len(out)) + part
        return bytes(out)


def changed(data, offset, value):
    return data[:offset] + value + data[offset + len(value) :]


def main(folder):
    plain = Runtime().elf()
    files = {
        "good/plain.so": plain,
        "good/relr.so": Runtime(relr=True).elf(),
        "good/split.so": Runtime(is_split=True).elf(),
        "good/old-compiler.so": Runtime(endbr=b"").elf(),
        "bad/empty": b"",
        "bad/text": b"#!/bin/sh\n",
        "bad/32-bit.so": changed(plain, 4, b"\1"),
        "bad/big-endian.so": changed(plain, 5, b"\2"),
        "bad/arm.so": changed(plain, 18, b"\xb7"),
        "bad/object.o": changed(plain, 16, b"\1"),
        "bad/headers-outside.so": changed(plain, 32, b"\xff" * 7),
        "bad/no-headers.so": changed(plain, 56, b"\0"),
        "bad/cut.so": plain[: struct.unpack_from("<Q", plain, 64 + 56 + 8)[0] + 16],  # 16 bytes of code are left
        "bad/cut-in-header.so": plain[:40],
        "bad/odd-offset.so": changed(plain, 64 + 56 + 8, b"\1"),
        "bad/far-segment.so": changed(plain, 64 + 56 + 16 + 6, b"\xff"),
        "bad/nothing-to-load.so": changed(changed(changed(plain, 64, b"\6"), 64 + 56, b"\6"), 64 + 112, b"\6"),
    }
    for name, data in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as out:
            out.write(data)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "elf"))
