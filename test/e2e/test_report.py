# SPDX-License-Identifier: Apache-2.0
"""Reports of large recordings, which bench/report_bench makes; test/unit/report_memory_test.c has smaller ones."""

import os
import subprocess

import pytest

BENCH = os.path.join(os.path.dirname(os.path.realpath(os.environ.get("INFTRACE", "inftrace"))), "bench", "report_bench")


@pytest.mark.full("it makes and reads 3 GB")
def test_a_report_of_any_recording_takes_bounded_memory(tmp_path):
    if not os.path.exists(BENCH):
        pytest.skip("not in a build folder: there is no " + BENCH)
    subprocess.run([BENCH, "--plot", "300", "--from", "300", str(tmp_path)], check=True)
    os.unlink(tmp_path / "bench-report.pftrace")
