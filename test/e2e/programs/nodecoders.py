# SPDX-License-Identifier: Apache-2.0
"""Models by PyTorch that make no tokens, although their inputs grow, change or come back: nodecoders.py. Prints a sum
for each."""

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
STEPS = 30
ones = torch.ones
ids = lambda *shape: torch.zeros(*shape, dtype=torch.int64)  # noqa: E731


class Model(torch.nn.Module):
    """Adds up what it gets."""

    def forward(self, *inputs):
        return sum(float(of.sum()) for of in inputs) + len(inputs)


def of(name):
    return type(name, (Model,), {})()


def characters(model):
    """A recurrent network: a word at first, then a character at a time, with states of one size."""
    for i in range(STEPS):
        yield model(ids(1, 1 if i else 9), ones(2, 1, 64), ones(2, 1, 64))


def film(model):
    """Pictures and depths so far, by the number of the picture."""
    for i in range(STEPS):
        yield model(ids(1, 1), ones(1, 3, i + 1, 64), ones(1, 1, i + 1, 64))


def detector(model):
    for i in range(STEPS):
        yield model(ones(1, 3, 32 + i, 48 + 2 * i), ids(1, 2))


def embedding(model):
    """Texts of any length, in the order of their lengths."""
    for i in range(STEPS):
        yield model(ids(1, i + 1), ids(1, i + 1))


def batches(model):
    """One more request each time, with memories of one size."""
    for i in range(STEPS):
        yield model(ids(i + 1, 1), ones(i + 1, 4, 16, 8), ones(i + 1, 4, 16, 8))


def window(model):
    """The last 16 of a series, which are fewer at first."""
    for i in range(STEPS):
        yield model(ones(1, min(i + 1, 16), 8), ids(1, min(i + 1, 16)))


def speech(model):
    """An encoder of sound in chunks, with a history; the last chunk of each sentence is one frame."""
    for i in range(STEPS):
        past = [ones(1, 4, 16 * (i % 6), 8) for _ in range(4)]
        yield model(ones(1, 16 if i % 6 < 5 else 1, 80), *past)


def shop(model):
    """What may be shown next, ten at first, beside what was seen."""
    for i in range(STEPS):
        yield model(ids(1, 1 if i % 10 else 10), ids(1, 12 + i % 10), ids(1, 12 + i % 10))


def graph(model):
    for i in range(STEPS):
        yield model(ones(i + 1, 16), ids(2, 2 * i + 2), ids(i + 1))


def voice(model):
    """Speech detection: one chunk, its state, a rate."""
    for _ in range(STEPS):
        yield model(ones(1, 512), ones(2, 1, 128), torch.tensor(16000))


programs = (characters, film, detector, embedding, batches, window, speech, shop, graph, voice)
with torch.no_grad():
    for program in programs:
        print(program.__name__, sum(program(of(program.__name__.title()).eval())))
