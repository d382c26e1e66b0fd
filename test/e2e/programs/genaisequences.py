# SPDX-License-Identifier: Apache-2.0
"""Prompts of onnxruntime-genai by its C functions: genaisequences.py FOLDER. A generator takes 40 tokens. Another one
takes 5, as a list of sequences, makes 3, and takes the 40. Prints what both have then."""

import ctypes
import glob
import os
import sys

import onnxruntime_genai

(library,) = glob.glob(os.path.join(os.path.dirname(onnxruntime_genai.__file__), "libonnxruntime-genai.so"))
genai = ctypes.CDLL(library)
genai.OgaResultGetError.restype = ctypes.c_char_p


def call(name, *args):
    function = getattr(genai, name)
    function.restype = ctypes.c_void_p
    result = function(*args)
    assert not result, genai.OgaResultGetError(ctypes.c_void_p(result))


def made(name, *args):
    to = ctypes.c_void_p()
    call(name, *args, ctypes.byref(to))
    return to


def numbers(n):
    return (ctypes.c_int32 * n)(*range(3, 3 + n)), ctypes.c_size_t(n)


def steps(generator, n):
    for _ in range(n):
        call("OgaGenerator_GenerateNextToken", generator)


model = made("OgaCreateModel", sys.argv[1].encode())
params = made("OgaCreateGeneratorParams", model)
for name in ("max_length", "min_length"):
    call("OgaGeneratorParamsSetSearchNumber", params, name.encode(), ctypes.c_double(100))
first, second = (made("OgaCreateGenerator", model, params) for _ in range(2))
call("OgaGenerator_AppendTokens", first, *numbers(40))
steps(first, 3)
sequences = made("OgaCreateSequences")
call("OgaAppendTokenSequence", *numbers(5), sequences)
call("OgaGenerator_AppendTokenSequences", second, sequences)
steps(second, 3)
made("OgaGenerator_GetLogits", second)  # else the last token is left out
call("OgaGenerator_AppendTokens", second, *numbers(40))
steps(second, 3)
genai.OgaGenerator_GetSequenceCount.restype = ctypes.c_size_t
print([genai.OgaGenerator_GetSequenceCount(of, ctypes.c_size_t(0)) for of in (first, second)])
