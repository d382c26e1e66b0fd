# SPDX-License-Identifier: Apache-2.0
"""Generations by PyTorch, by hand: torchdecoding.py TIMES. First keys and values go in and come out, then a mask
goes in and the module keeps them, then an object goes in that holds them, as those of the package transformers. Prints
the tokens. Writes to TIMES, for each generation: the length of the prompt, 1, when it began to go in, and begin and end
of each call that made a token."""

import json
import sys
import time

import torch

now = time.monotonic_ns
torch.manual_seed(0)
torch.set_num_threads(1)
WIDTH, HEADS, WORDS, LAYERS = 64, 4, 500, 20


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


def generate(model, n, n_tokens, how):
    cache, next, past, calls, made = Both(), torch.arange(3, 3 + n)[None], None, [], []
    for i in range(n_tokens):
        begin = now()
        if how == "object":
            logits, _ = model(cache=cache, tokens=next)
        elif how == "mask":
            logits, _ = model(next, mask=torch.ones(1, n + i, dtype=torch.int64))
        else:
            none = [(torch.zeros(1, HEADS, 0, WIDTH // HEADS),) * 2] * LAYERS
            logits, past = model(next, past or none)
        calls.append([begin, now()])
        next = logits[:, -1].argmax(-1, keepdim=True)
        made.append(int(next))
    print(*made)
    return [n, 1, calls[0][0], calls]


with torch.no_grad():
    all = []
    for how in ("tensors", "mask", "object"):
        decoder = Decoder().eval()
        all += [generate(decoder, n, 20, how) for n in (16, 64, 5)]
with open(sys.argv[1], "w") as out:
    json.dump(all, out)
