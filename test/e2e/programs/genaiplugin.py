# SPDX-License-Identifier: Apache-2.0
"""genaiplugin.py FOLDER PLUGIN LIBRARY...: makes tokens; loads a library that uses onnxruntime-genai, and unloads it;
loads others; and makes the same tokens each time. Prints them."""

import _ctypes
import ctypes
import sys

import numpy
import onnxruntime_genai as genai

folder, plugin, *others = sys.argv[1:]
model = genai.Model(folder)


def make():
    params = genai.GeneratorParams(model)
    params.set_search_options(max_length=20, min_length=20, do_sample=False)
    generator = genai.Generator(model, params)
    generator.append_tokens(numpy.arange(3, 13, dtype=numpy.int32))
    for _ in range(10):
        generator.generate_next_token()
    print(*generator.get_sequence(0))


make()
loaded = ctypes.CDLL(plugin)
loaded.plugin_next(None)
make()
_ctypes.dlclose(loaded._handle)
assert plugin not in open("/proc/self/maps").read()
for other in others:
    ctypes.CDLL(other)
    make()
