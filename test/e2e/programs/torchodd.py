# SPDX-License-Identifier: Apache-2.0
"""Calls a module of PyTorch with arguments that nobody expects; each call has a tensor of its own first dimension.
Prints what the program itself saw of them, which must not depend on who else looks."""

import collections
import types

import torch


class Takes(torch.nn.Module):
    def forward(self, *args, **named):
        return torch.zeros(1)


class Counted:
    """Counts who asks it for what."""

    asked = 0

    def __init__(self, **values):
        object.__getattribute__(self, "__dict__").update(values)

    def __getattribute__(self, name):
        Counted.asked += 1
        return object.__getattribute__(self, name)


class Slots:
    __slots__ = ("tensor",)


class Hides:
    """Its own __dict__ lies."""

    def __init__(self):
        self.inside = torch.zeros(5, 2)

    __dict__ = property(lambda self: {"other": torch.zeros(99, 2)})


class Like(dict):
    """A dictionary whose methods are its own."""

    def __iter__(self):
        raise RuntimeError("nobody iterates over this")

    items = values = keys = __getitem__ = __iter__


def deep(tensor, depth):
    return types.SimpleNamespace(part=deep(tensor, depth - 1)) if depth else tensor


circle = types.SimpleNamespace(tensor=torch.zeros(3, 2))
circle.itself = circle
slots = Slots()
slots.tensor = torch.zeros(98, 2)
pair = collections.namedtuple("Pair", "left right")(torch.zeros(7, 2), [torch.zeros(7, 3)])
own = torch.nn.Linear(2, 2)
takes = Takes().eval()
freed = torch.zeros(9, 2)
with torch.no_grad():
    takes(Counted(tensor=torch.zeros(2, 2)))
    takes(circle)
    takes(slots, torch.zeros(4, 2))
    takes(Hides())
    takes(int, type, Takes, takes.forward, own, None, ..., 1 << 70, "text", b"bytes", torch.zeros(6, 2))
    takes(pair)
    takes(Like(tensor=torch.zeros(8, 2)))
    takes([0] * 100000, {i: i for i in range(100000)}, x=torch.zeros(9, 2))
    takes(deep(torch.zeros(10, 2), 4), deep(torch.zeros(97, 2), 60))
    takes([types.SimpleNamespace(keys=torch.zeros(11, i)) for i in range(40)])
    takes(*[torch.zeros(12, 2)] * 100)
print(Counted.asked, sorted(vars(circle)), hasattr(int, "__dict__"), len(own._parameters))
