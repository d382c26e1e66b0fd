# SPDX-License-Identifier: Apache-2.0
"""litemany.py LIBRARY HOW MODEL...: loads all models by the C API, then builds an interpreter of each, in the same
order, and runs each 5 times. HOW: file, bytes (from memory), apart (like bytes, and a while passes before tensors are
allocated)."""

import ctypes
import os
import sys
import time


def main(path, how, *files):
    library = ctypes.CDLL(path)
    for name in "ModelCreate", "ModelCreateFromFile", "InterpreterCreate":
        getattr(library, "TfLite" + name).restype = ctypes.c_void_p
    texts = [ctypes.create_string_buffer(open(file, "rb").read(), os.path.getsize(file)) for file in files]
    if how == "file":
        models = [library.TfLiteModelCreateFromFile(file.encode()) for file in files]
    else:
        models = [library.TfLiteModelCreate(text, ctypes.c_size_t(len(text))) for text in texts]
    interpreters = [
        ctypes.c_void_p(library.TfLiteInterpreterCreate(ctypes.c_void_p(model), ctypes.c_void_p())) for model in models
    ]
    time.sleep(0.1 if how == "apart" else 0)
    for interpreter in interpreters:
        assert library.TfLiteInterpreterAllocateTensors(interpreter) == 0
    for _ in range(5):
        for interpreter in interpreters:
            assert library.TfLiteInterpreterInvoke(interpreter) == 0


main(*sys.argv[1:])
