# SPDX-License-Identifier: Apache-2.0
"""read_stdin.py MODEL: one inference per line of standard input, until it ends."""

import sys

import ortprogram

args = ortprogram.arguments("model")
session, feeds = ortprogram.session(args.model), ortprogram.feeds(args.model)
for line in sys.stdin:
    print(line.strip(), ortprogram.checksum(session.run(None, feeds)), flush=True)
