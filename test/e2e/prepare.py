# SPDX-License-Identifier: Apache-2.0
"""Makes every environment of the end-to-end tests that this machine can have: what the tests would do one by one when
they first need it. ./check runs this while it builds."""

import sys

import envs
import judge

ALL = [
    *[(envs.wheel, key) for key in [*envs.WHEELS, "openvino", "training"]],
    *[(envs.node_package, key) for key in envs.NODE_PACKAGES],
    *[(envs.plugin, key) for key in envs.PLUGINS],
    (judge.perfetto,),
    (judge.puppeteer,),
    (envs.magika,),
    (envs.silero,),
    (envs.sherpa,),
    (envs.jar,),
    (envs.go_program,),
]


def main():
    for make, *args in ALL:
        try:
            make(*args)
        except envs.Missing as why:
            print("%s: %s" % (" ".join([make.__name__, *args]), why))


if __name__ == "__main__":
    sys.exit(main())
