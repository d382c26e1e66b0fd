# SPDX-License-Identifier: Apache-2.0
"""``python -m inftrace ...`` is ``inftrace ...``."""

import os
import sys

from .program import Error, program


def main() -> None:
    try:
        path = program()
    except Error as error:
        sys.exit("inftrace: %s" % error)
    os.execv(path, ["inftrace", *sys.argv[1:]])


if __name__ == "__main__":
    main()
