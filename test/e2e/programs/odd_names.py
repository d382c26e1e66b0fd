# SPDX-License-Identifier: Apache-2.0
"""Functions and files with names that terminals obey, and a recursion of 100,000 frames."""

import sys
import threading
import time

ODD_FILE = "/app/\x1b[31mred\n\"'\\<b>\u202e\udce9.py"
ODD_NAME = "clear\x1b[2J\r\n\t\u9f8d"


def sleep():
    time.sleep(0.5)


def deep(n):
    if n:
        deep(n - 1)
    else:
        sleep()


def named():
    sleep()


named.__code__ = named.__code__.replace(co_filename=ODD_FILE, co_name=ODD_NAME, co_qualname=ODD_NAME)
named()
sys.setrecursionlimit(200000)
threading.stack_size(256 << 20)
thread = threading.Thread(target=deep, args=(100000,))
thread.start()
thread.join()
