# SPDX-License-Identifier: Apache-2.0
"""A prompt of llama.cpp that does not fit into the context, and goes in shorter then, as servers do it. Then that one
once more: llamaagain.py FOLDER MODEL. Prints whether each batch of a prompt was taken."""

import ctypes
import sys

from llamaprogram import Llama
from llamaslots import Batch, batch_of

LONG, SHORT, TOKENS = 300, 200, 5  # a sequence has room for 256


def main():
    folder, model = sys.argv[1:]
    llama = Llama(folder)
    llama.library.llama_decode.argtypes = [ctypes.c_void_p, Batch]
    parameters = llama.library.llama_context_default_params()
    parameters.bytes[12] = 2  # n_seq_max
    context = llama.create(llama.model(model), parameters)
    llama.library.llama_set_n_threads(context, 1, 1)  # several spin while they wait for each other

    def decode(at, n):
        batch, kept = batch_of([(0, at + i, i + 1 == n) for i in range(n)])
        code = llama.library.llama_decode(context, batch)
        del kept
        return code == 0

    for prompts in ((LONG, SHORT), (SHORT,)):
        llama.forget(context)
        print(*(decode(0, n) for n in prompts))
        assert all(decode(SHORT + i, 1) for i in range(TOKENS))


main()
