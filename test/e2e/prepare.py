# SPDX-License-Identifier: Apache-2.0
"""Makes every environment of the end-to-end tests, two at a time, while ./check builds. Tests would otherwise make each
at its first use. Prints each environment that this machine cannot have, with the reason."""

import concurrent.futures
import sys

import envs
import judge

ALL = [
    *[(envs.wheel, key) for key in ["openvino", *envs.WHEELS, *{**envs.OLD_WHEELS, **envs.OTHER_WHEELS}]],
    *[(envs.openvino, key) for key in ("2023.3", "newest")],
    *[(envs.llama, key) for key in ("3.1.1", "newest")],
    (envs.gguf,),
    (envs.llama_server,),
    (envs.lite_c,),
    (envs.genai,),
    (envs.genai, "0.7"),
    (envs.genai, "0.11"),
    (envs.openvino_genai,),
    *[(envs.plugin, key) for key in envs.PLUGINS],
    *[(envs.node_package, key) for key in envs.NODE_PACKAGES],
    (envs.workbench, "newest"),
    (judge.perfetto,),
    (judge.puppeteer,),
    (envs.magika,),
    (envs.silero,),
    (envs.sherpa,),
    (envs.tables,),
    (envs.notebook,),
    (envs.prometheus,),
    (envs.otlp,),
    (envs.clickhouse,),
    (envs.kubernetes,),
    (envs.runtime_tools,),
    (envs.charts,),
    (envs.jar,),
    (envs.bytedeco,),
    (envs.go_program,),
]


def made(make, *args):
    try:
        make(*args)
    except Exception as why:  # the tests that need it report it
        return "%s: %s" % (" ".join([make.__name__, *args]), why)


def main():
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for missing in filter(None, pool.map(lambda one: made(*one), ALL)):
            print(missing)


if __name__ == "__main__":
    sys.exit(main())
