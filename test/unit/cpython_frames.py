# SPDX-License-Identifier: Apache-2.0
"""Stands still in frames of many kinds, and prints what the interpreter itself says of each thread."""

import asyncio
import functools
import gc
import sys
import threading
import time

held, waiting = threading.Lock(), []
held.acquire()


def say():
    for ident, frame in sys._current_frames().items():
        if ident == threading.get_ident():
            frame = sys._getframe(1)
        native = next((t.native_id for t in threading.enumerate() if t.ident == ident), 0)
        print("thread", ident, native, sep="\t")
        while frame:
            code = frame.f_code
            name = getattr(code, "co_qualname", code.co_name)
            print("frame", code.co_filename, name, frame.f_lineno, sep="\t")
            frame = frame.f_back
    print("end", flush=True)


def stand():
    (waiting.append(1), held.acquire())


def through_wrapper(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args)

    return wrapper


class Model:
    @through_wrapper
    def run(self, depth=12):
        if depth:
            return self.run(depth - 1)
        return ([step() for step in [lambda: stand()]], depth)

    def steps(self):
        for step in range(3):
            yield step, self.run()


async def inner():
    await asyncio.sleep(0)
    next(Model().steps())


async def outer():
    await asyncio.gather(inner())


LONG = "def very_long():\n" + "".join(f"    x{i} = {i} if __name__ else None\n" for i in range(4000)) + "    stand()\n"
# lines that go back, and lines without code between them
CROOKED = """
def na\u00efve(*more): return (

    stand(



    ), more)

def \u6587\u5b57(): \\
    return na\u00efve(
        1,
        2)
\u6587\u5b57()
"""


def of_source(text, file, name=None):
    space = {"stand": stand, "__name__": "made"}
    exec(compile(text, file, "exec"), space)  # noqa: S102
    if name:
        space[name]()


kinds = [
    stand,
    lambda: next(Model().steps()),
    lambda: asyncio.run(outer()),
    lambda: sorted([1, 2], key=lambda x: stand()),
    lambda: of_source(CROOKED, "/tmp/\u03c0/\U0001f40d crooked.py"),
    lambda: of_source(LONG, "/tmp/" + "long/" * 60 + "long.py", "very_long"),
]
for kind in kinds:
    threading.Thread(target=kind, daemon=True).start()
while len(waiting) < len(kinds):
    time.sleep(0.001)
(say(), sys.stdin.readline())
sys.setprofile(lambda *of: None)
while True:
    gc.collect()
