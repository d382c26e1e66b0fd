# SPDX-License-Identifier: Apache-2.0
"""Several sequences in the batches of llama.cpp, as a server makes them: llamaslots.py FOLDER MODEL TIMES. First one
generation alone, its prompt in two parts; then eight that begin one after the other and advance together. The library
refuses a batch before the first prompt, and one between any two steps.

Prints a digest of the last logits. Writes to TIMES, for each generation: the length of the prompt, its parts, when its
first part went in, and begin and end of each call that made a token."""

import ctypes
import hashlib
import json
import sys
import time

from llamaprogram import WORDS, Llama

now = time.monotonic_ns


class Batch(ctypes.Structure):
    _fields_ = [("n_tokens", ctypes.c_int32), ("arrays", ctypes.c_void_p * 6), ("rest", ctypes.c_void_p * 5)]


def batch_of(entries):
    """entries: (sequence, position, whether the result is asked for). Returns the batch, and what it points at."""
    n = len(entries)
    tokens = (ctypes.c_int32 * n)(*(3 + position % 250 for _, position, _ in entries))
    positions = (ctypes.c_int32 * n)(*(position for _, position, _ in entries))
    counts = (ctypes.c_int32 * n)(*[1] * n)
    numbers = [ctypes.c_int32(sequence) for sequence, _, _ in entries]
    sequences = (ctypes.c_void_p * n)(*map(ctypes.addressof, numbers))
    asked = (ctypes.c_int8 * n)(*(is_asked for _, _, is_asked in entries))
    arrays = [tokens, None, positions, counts, sequences, asked]
    places = [of and ctypes.addressof(of) for of in arrays]
    return Batch(n, (ctypes.c_void_p * 6)(*places)), (arrays, numbers)


class Slot:
    def __init__(self, sequence, prompt, tokens):
        self.sequence, self.prompt, self.left = sequence, prompt, tokens
        self.position, self.parts, self.begin, self.times = 0, 0, None, []

    def next(self, most):
        """What goes in next: a part of the prompt, or a token."""
        n = min(self.prompt - self.position, most) if self.position < self.prompt else 1
        end = self.position + n
        entries = [(self.sequence, at, at + 1 == end >= self.prompt) for at in range(self.position, end)]
        self.parts += self.position < self.prompt
        self.position = end
        return entries

    def row(self):
        return [self.prompt, self.parts, self.begin, self.times]


def main():
    folder, model, times = sys.argv[1:]
    llama = Llama(folder)
    llama.library.llama_decode.argtypes = [ctypes.c_void_p, Batch]
    parameters = llama.library.llama_context_default_params()
    parameters.bytes[12] = 8  # n_seq_max
    context = llama.create(llama.model(model), parameters)
    llama.library.llama_set_n_threads(context, 1, 1)
    done = []

    def refuse(entries):
        """One of them is of a sequence that there is not."""
        batch, kept = batch_of(entries)
        assert llama.library.llama_decode(context, batch) != 0
        del kept

    def decode(slots, most=64):
        batch, kept = batch_of([entry for slot in slots for entry in slot.next(most)])
        begin = now()
        assert llama.library.llama_decode(context, batch) == 0
        end = now()
        del kept
        for slot in slots:
            slot.begin = slot.begin or begin
            if slot.position >= slot.prompt:
                slot.times.append([begin, end])
                slot.left -= 1

    refuse([(99, at, False) for at in range(24)])
    alone = Slot(0, 40, 12)
    while alone.left:
        decode([alone], 24)
    done.append(alone)
    llama.forget(context)
    slots, number = [], 0
    while number < 8 or slots:
        if number < 8:
            slots.append(Slot(number, 12 + number, 15))
            done.append(slots[-1])
            number += 1
        decode(slots)
        refuse([(slot.sequence, slot.position, True) for slot in slots] + [(99, 0, False)])
        slots = [slot for slot in slots if slot.left]
    logits = llama.library.llama_get_logits(context)
    print("digest", hashlib.sha1(ctypes.string_at(logits, 4 * WORDS)).hexdigest())
    with open(times, "w") as out:
        json.dump([slot.row() for slot in done], out)


if __name__ == "__main__":
    main()
