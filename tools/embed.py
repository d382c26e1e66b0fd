#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""embed.py FILE NAME OUT: writes C source with the bytes of FILE as `const unsigned char NAME[]`, and their number."""

import sys

source, name, out = sys.argv[1:]
data = open(source, "rb").read()
with open(out, "w") as file:
    file.write(
        f"#include <stddef.h>\nextern const unsigned char {name}[];\nextern const size_t {name}_size;\n"
        f"const unsigned char {name}[] __attribute__((aligned(16))) = {{\n"
    )
    for at in range(0, len(data), 32):
        file.write(",".join(str(byte) for byte in data[at : at + 32]) + ",\n")
    file.write(f"}};\nconst size_t {name}_size = sizeof {name};\n")
