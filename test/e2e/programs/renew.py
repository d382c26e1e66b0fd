# SPDX-License-Identifier: Apache-2.0
"""renew.py MODEL...: creates a session of each model in turn, runs it three times and releases it, until standard input
ends.

Prints "ready" after the first round, at the end "runs N failed N" and "differ N". --times: a file for one line a run.
--broken: also tries to load a file that is not a model in each round."""

import argparse
import select
import sys

import ortprogram

parser = argparse.ArgumentParser()
parser.add_argument("model", nargs="+")
parser.add_argument("--times")
parser.add_argument("--broken")
args = parser.parse_args()

account = ortprogram.Account(args.times)
feeds = {model: ortprogram.feeds(model) for model in args.model}
sums, differ, rounds, refused = {}, 0, 0, 0


def refuse():
    try:
        ortprogram.session(args.broken)
    except Exception as why:
        return type(why).__name__
    return None


while rounds == 0 or not select.select([sys.stdin], [], [], 0)[0]:
    for model in args.model:
        session = ortprogram.session(model)
        for _ in range(3):
            own = ortprogram.checksum(account.timed(session.run, None, feeds[model]))
            differ += sums.setdefault(model, own) != own
        del session
    if args.broken:
        refused += refuse() is not None
    if not rounds:
        print("ready", flush=True)
    rounds += 1
account.close()
print("rounds", rounds, "refused", refused)
print("differ", differ, flush=True)
