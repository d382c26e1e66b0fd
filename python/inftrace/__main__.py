# SPDX-License-Identifier: Apache-2.0
"""``python -m inftrace ...`` is ``inftrace ...``."""

import os
import sys

from .program import Error, program, starting


def main() -> None:
    try:
        path = program()
        with starting(path):
            os.execv(path, ["inftrace", *sys.argv[1:]])
    except Error as error:
        sys.exit("inftrace: %s" % error)


if __name__ == "__main__":
    main()
