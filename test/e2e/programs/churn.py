# SPDX-License-Identifier: Apache-2.0
"""churn.py MODEL: creates a session, runs it once and releases it, as often as --sessions says."""

import ortprogram

args = ortprogram.arguments("model")
account = ortprogram.Account(args.times)
feeds = ortprogram.feeds(args.model)
sums = set()
for _ in range(args.sessions):
    session = ortprogram.session(args.model)
    sums.add(ortprogram.checksum(account.timed(session.run, None, feeds)))
    del session
print(*sorted(sums))
account.close()
