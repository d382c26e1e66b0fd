# SPDX-License-Identifier: Apache-2.0
"""The code of a process compared with its files. Imports nothing: it also runs in a guest (arm64_guest.py)."""


def text_differs(pid):
    """The number of bytes of a process's code that differ from its files."""
    differs = 0
    with open("/proc/%d/maps" % pid) as maps, open("/proc/%d/mem" % pid, "rb", 0) as memory:
        for line in maps:
            words = line.split(None, 5)
            if "x" not in words[1] or len(words) < 6 or not words[5].startswith("/"):
                continue
            start, end = (int(word, 16) for word in words[0].split("-"))
            path = "/proc/%d/map_files/%x-%x" % (pid, start, end)
            with open(path, "rb") as file:
                file.seek(int(words[2], 16))
                expected = file.read(end - start)
            memory.seek(start)
            found = memory.read(end - start)[: len(expected)]
            for at in range(0, len(found), 4096):  # most pages are alike
                a, b = found[at : at + 4096], expected[at : at + 4096]
                differs += a != b and sum(x != y for x, y in zip(a, b))
    return differs
