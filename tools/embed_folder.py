#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed_folder.py OUT FILE...: writes C source with `const struct page_file page_files[]`
(src/show/view/http/page.h): the
names and the bytes of these files. No file is an empty list: the page was not built."""

import pathlib
import sys

out, *paths = sys.argv[1:]
rows = []
with open(out, "w") as file:
    file.write('#include "show/view/http/page.h"\n')
    for number, path in enumerate(sorted(map(pathlib.Path, paths))):
        data = path.read_bytes()
        file.write(f"static const unsigned char file_{number}[] = {{\n")
        # an array of C has at least one element
        lines = [data[at : at + 32] for at in range(0, len(data), 32)] or [b"\0"]
        file.write("".join(",".join(map(str, line)) + ",\n" for line in lines) + "};\n")
        rows.append(f'\t{{ "{path.name}", file_{number}, {len(data)} }},\n')
    file.write("const struct page_file page_files[] = {\n" + "".join(rows) + "\t{ 0, 0, 0 },\n};\n")
