# SPDX-License-Identifier: Apache-2.0
"""The address of the session of ONNX Runtime behind an onnxruntime.InferenceSession, which Python does not give.

The object of the extension (pybind11) holds a pointer to a PyInferenceSession, and that one to the session. Where in it
depends on the version. So its words are looked at one by one, for one that leads to an object whose class is, by its
type information in C++, onnxruntime::InferenceSession. The memory is read through a file, which fails where nothing is
mapped. What is not exactly as expected gives no address.
"""

from __future__ import annotations

import os
import struct
import sys
from typing import Any, Optional

_MODULE = "onnxruntime_pybind11_state"
_CLASS = b"N11onnxruntime16InferenceSessionE\0"
_HOLDER = b"N11onnxruntime6python18PyInferenceSessionE\0"
_HOLDER_BYTES = 1024  # that are looked at: the first session in it is its own
_IS_WHOLE = 0x0E  # flags of pybind11's instance: one C++ object, its holder made, registered


class _Memory:
    """This process's."""

    def __init__(self) -> None:
        self._file = os.open("/proc/self/mem", os.O_RDONLY | os.O_CLOEXEC)

    def close(self) -> None:
        os.close(self._file)

    def read(self, address: int, size: int) -> bytes:
        """Less, or nothing, where nothing is mapped."""
        try:
            return os.pread(self._file, size, address)
        except (OSError, OverflowError):
            return b""

    def word(self, address: int) -> int:
        content = self.read(address, 8)
        return int(struct.unpack("Q", content)[0]) if len(content) == 8 else 0

    def is_of_class(self, address: int, name: bytes) -> bool:
        """By the table of virtual functions: before it lies the type information, whose second word is the name."""
        table = self.word(address) if address and not address & 7 else 0
        information = self.word(table - 8) if table and not table & 7 else 0
        return bool(information) and self.read(self.word(information + 8), len(name)) == name


def _of_binding(memory: _Memory, binding: Any) -> Optional[int]:
    size = type(binding).__basicsize__
    flags = memory.read(id(binding) + size - 8, 1)
    if not flags or flags[0] & _IS_WHOLE != _IS_WHOLE:
        return None
    holder = memory.word(id(binding) + object.__basicsize__)
    if not memory.is_of_class(holder, _HOLDER):
        return None
    content = memory.read(holder, _HOLDER_BYTES)
    for (word,) in struct.iter_unpack("Q", content[: len(content) // 8 * 8]):
        if memory.is_of_class(word, _CLASS):
            return int(word)
    return None


def pointer_of(session: Any) -> Optional[int]:
    """None: it is no session of onnxruntime, or its address cannot be known."""
    binding = getattr(session, "_sess", None)
    if binding is None or sys.implementation.name != "cpython" or struct.calcsize("P") != 8:
        return None
    if not type(binding).__module__.endswith(_MODULE):
        return None
    try:
        memory = _Memory()
    except OSError:
        return None
    try:
        return _of_binding(memory, binding)
    finally:
        memory.close()
