# SPDX-License-Identifier: Apache-2.0
"""latejava.py LIBJVM CLASSES MS: a program of Python that loads Java after a while, as JPype does, and calls
Work.deep(12, MS) of a folder of classes."""

import ctypes
import sys
import time

FIND_CLASS, STATIC_METHOD, CALL_STATIC_VOID = 6, 113, 143  # of the functions in jni.h


class Option(ctypes.Structure):
    _fields_ = [("text", ctypes.c_char_p), ("more", ctypes.c_void_p)]


class Arguments(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_int32),
        ("n", ctypes.c_int32),
        ("options", ctypes.POINTER(Option)),
        ("ignores", ctypes.c_bool),
    ]


class Value(ctypes.Union):
    _fields_ = [("i", ctypes.c_int32), ("d", ctypes.c_double)]


def call(environment, number, *arguments):
    table = ctypes.cast(environment, ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p))).contents
    kinds = [ctypes.c_char_p if isinstance(each, bytes) else ctypes.c_void_p for each in arguments]
    return ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, *kinds)(table[number])(environment, *arguments)


def main(library, classes, ms):
    end = time.monotonic() + 1
    while time.monotonic() < end:
        sum(range(1000))
    option = Option(b"-Djava.class.path=" + classes.encode(), None)
    arguments = Arguments(0x00010008, 1, ctypes.pointer(option), False)
    machine, environment = ctypes.c_void_p(), ctypes.c_void_p()
    created = ctypes.CDLL(library).JNI_CreateJavaVM(
        ctypes.byref(machine), ctypes.byref(environment), ctypes.byref(arguments)
    )
    assert created == 0, created
    work = call(environment, FIND_CLASS, b"Work")
    deep = call(environment, STATIC_METHOD, work, b"deep", b"(ID)V")
    values = (Value * 2)(Value(i=12), Value(d=float(ms)))
    call(environment, CALL_STATIC_VOID, work, deep, ctypes.addressof(values))


main(*sys.argv[1:])
