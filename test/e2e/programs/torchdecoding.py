# SPDX-License-Identifier: Apache-2.0
"""Generations by PyTorch, by hand: torchdecoding.py TIMES [turns|held]. First keys and values go in and come out, then
a mask goes in and the module keeps them, then an object goes in that holds them, as those of the package transformers.
With `turns`, eight of the first kind, a token of each in an order that changes; with `held`, of the third. Prints the
tokens.

Writes to TIMES, for each generation: the length of the prompt, 1, when it began to go in, and begin and end of each
call that made a token."""

import json
import random
import sys
import time

import torch

now = time.monotonic_ns
torch.manual_seed(0)
torch.set_num_threads(1)
WIDTH, HEADS, WORDS, LAYERS, N_TOKENS = 64, 4, 500, 20, 20


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.all, self.out = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)

    def forward(self, x, past):
        query, key, value = (
            part.view(len(x), -1, HEADS, WIDTH // HEADS).transpose(1, 2) for part in self.all(x).split(WIDTH, 2)
        )
        if past:
            key, value = torch.cat([past[0], key], 2), torch.cat([past[1], value], 2)
        scores = torch.softmax(query @ key.transpose(2, 3), -1)
        return self.out((scores @ value).transpose(1, 2).reshape(x.shape)), (key, value)


class Layer:
    keys = values = None

    def __init__(self):
        self.keys = self.values = None
        self.is_made = False


class Cache:
    """Of several parts, each a list of objects with tensors."""

    def __init__(self):
        self.config, self._hidden = {"layers": LAYERS}, torch.zeros(7, 7)
        self.own = [Layer() for _ in range(LAYERS)]

    def past(self):
        return [(layer.keys, layer.values) for layer in self.own] if self.own[0].is_made else None

    def take(self, present):
        for layer, (layer.keys, layer.values) in zip(self.own, present):
            layer.is_made = True


class Both:
    def __init__(self):
        self.name, self.decoder = "of a decoder", Cache()


class Decoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.head = torch.nn.Embedding(WORDS, WIDTH), torch.nn.Linear(WIDTH, WORDS)
        self.layers = torch.nn.ModuleList(Attention() for _ in range(LAYERS))
        self.kept = None

    def forward(self, tokens, past=None, mask=None, cache=None):
        if cache:
            past = cache.decoder.past()
        if mask is not None:
            past = self.kept if mask.shape[1] > tokens.shape[1] else None
        x, present = self.words(tokens), []
        for i, layer in enumerate(self.layers):
            more, own = layer(x, past[i] if past else None)
            x = x + more
            present.append(own)
        self.kept = None if cache else present
        if cache:
            cache.decoder.take(present)
        return self.head(x), present


class Generation:
    def __init__(self, model, n, how):
        self.model, self.n, self.how, self.cache, self.past = model, n, how, Both(), None
        self.next, self.calls, self.made = torch.arange(3, 3 + n)[None], [], []

    def step(self):
        begin = now()
        if self.how == "object":
            logits, _ = self.model(cache=self.cache, tokens=self.next)
        elif self.how == "mask":
            mask = torch.ones(1, self.n + len(self.made), dtype=torch.int64)
            logits, _ = self.model(self.next, mask=mask)
        else:
            none = [(torch.zeros(1, HEADS, 0, WIDTH // HEADS),) * 2] * LAYERS
            logits, self.past = self.model(self.next, self.past or none)
        self.calls.append([begin, now()])
        self.next = logits[:, -1].argmax(-1, keepdim=True)
        self.made.append(int(self.next))

    def row(self):
        print(*self.made)
        return [self.n, 1, self.calls[0][0], self.calls]


def in_a_row():
    for how in ("tensors", "mask", "object"):
        decoder = Decoder().eval()
        for n in (16, 64, 5):
            one = Generation(decoder, n, how)
            for _ in range(N_TOKENS):
                one.step()
            yield one.row()


def in_turns(how):
    decoder, order = Decoder().eval(), random.Random(3)
    all = [Generation(decoder, n, how) for n in (16, 16, 64, 16, 30, 31, 16, 40)]
    for n in range(N_TOKENS):
        for one in order.sample(all, len(all)) if n else all:
            one.step()
    return (one.row() for one in all)


with torch.no_grad():
    all = list(in_turns("object" if "held" in sys.argv else "tensors") if sys.argv[2:] else in_a_row())
with open(sys.argv[1], "w") as out:
    json.dump(all, out)
