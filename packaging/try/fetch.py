# SPDX-License-Identifier: Apache-2.0
"""fetch.py PROGRAM RECORDING: starts `inftrace view` and reads its page as a browser does."""

import subprocess
import sys
import urllib.request

with subprocess.Popen([sys.argv[1], "view", "--no-browser", sys.argv[2]], stdout=subprocess.PIPE, text=True) as view:
    address = view.stdout.readline().split()[-1]
    with urllib.request.urlopen(address) as answer:
        page = answer.read().decode()
    view.terminate()
assert "<!doctype html>" in page.lower() and "app.js" in page, page[:300]
