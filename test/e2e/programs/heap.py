# SPDX-License-Identifier: Apache-2.0
"""heap.py MODEL BLOCKS: takes blocks of 100,000 bytes from malloc after an inference, fills them and gives them back
but for the last, behind which nothing is free. After more inferences it prints what was resident, and what malloc_trim
gave back of it."""

import ctypes
import time

import ortprogram

BLOCK = 100_000  # below malloc's threshold for mappings of their own
libc = ctypes.CDLL("libc.so.6")
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.memset.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * 4096


def main():
    args = ortprogram.arguments("model", "blocks")
    session, feeds = ortprogram.session(args.model), ortprogram.feeds(args.model)
    session.run(None, feeds)
    blocks = [libc.malloc(BLOCK) for _ in range(int(args.blocks))]
    for block in blocks:
        libc.memset(block, 1, BLOCK)
    for block in blocks[:-1]:
        libc.free(block)
    end = time.monotonic() + 2.5  # the recorder looks at memory once a second
    while time.monotonic() < end:
        session.run(None, feeds)
        time.sleep(0.01)
    before = resident()
    libc.malloc_trim(0)
    print(before, before - resident(), flush=True)


if __name__ == "__main__":
    main()
