# SPDX-License-Identifier: Apache-2.0
"""fail.py FOLDER: makes every error that a model can have, with good runs between."""

import os

import numpy as np

import ortprogram

args = ortprogram.arguments("folder")
account = ortprogram.Account(args.times)


def path(name):
    return os.path.join(args.folder, name + ".onnx")


def attempt(what, function, *arguments):
    try:
        print(what, "worked", ortprogram.checksum(function(*arguments)))
    except Exception as error:
        print(what, type(error).__name__, str(error))


good = ortprogram.session(path("chain"), args)
feeds = ortprogram.feeds(path("chain"))
attempt("good", account.timed, good.run, None, feeds)
attempt("missing", ortprogram.session, path("there-is-no-such-model"))
attempt("garbage", ortprogram.session, path("garbage"))
for name in ("throws", "refuses"):
    session = ortprogram.session(path(name), args)
    for number in range(3):
        attempt("%s %d" % (name, number), account.timed, session.run, None, ortprogram.feeds(path(name)))
attempt("shape", account.timed, good.run, None, {"x": np.zeros((3, 3), np.float32)})
attempt("type", account.timed, good.run, None, {"x": np.zeros(256, np.int64)})
attempt("good again", account.timed, good.run, None, feeds)
account.close()
