# SPDX-License-Identifier: Apache-2.0
"""Jobs that the kernel hands to a GPU. No such device is here: trace events of the kernel's names and fields are put on
a program's functions, so that all from the kernel's ring to the recording is real. Not tried on a GPU."""

import os
import subprocess

import pytest

TRACING = "/sys/kernel/tracing"
FORMS = {
    "6.1": (
        ("drm_sched_job", "job_queue", "fence=%di:u64 name=+0(%dx):string"),
        ("drm_run_job", "job_run", "fence=%di:u64 name=+0(%dx):string"),
        ("drm_sched_process_job", "job_done", "fence=%di:u64"),
    ),
    "6.16": (
        (
            "drm_sched_job_queue",
            "job_queue",
            "name=+0(%dx):string dev=+0(%cx):string fence_context=%di:u64 fence_seqno=%si:u64",
        ),
        (
            "drm_sched_job_run",
            "job_run",
            "name=+0(%dx):string dev=+0(%cx):string fence_context=%di:u64 fence_seqno=%si:u64",
        ),
        ("drm_sched_job_done", "job_done", "fence_context=%di:u64 fence_seqno=%si:u64"),
    ),
}


def tell(text):
    file = os.open(os.path.join(TRACING, "uprobe_events"), os.O_WRONLY | os.O_APPEND)
    try:
        os.write(file, (text + "\n").encode())
    finally:
        os.close(file)


@pytest.fixture
def events(request, lab):
    """The program, with the events of a kernel on its functions."""
    if os.uname().machine != "x86_64" or not os.access(os.path.join(TRACING, "uprobe_events"), os.W_OK):
        pytest.skip("no trace events can be put on functions here")
    if os.path.exists(os.path.join(TRACING, "events/gpu_scheduler")):
        pytest.skip("a driver of this machine has the events")
    program = lab.binaries.plain("gpu_jobs")
    symbols = subprocess.run(["nm", program], stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
    places = {line.split()[2]: line.split()[0] for line in symbols if len(line.split()) == 3}
    form = FORMS[request.param]
    try:
        for name, function, fields in form:
            tell("p:gpu_scheduler/%s %s:0x%s %s" % (name, program, places[function], fields))
        yield program
    finally:
        for name, _, _ in form:
            tell("-:gpu_scheduler/%s" % name)


@pytest.mark.root
@pytest.mark.alone("the events are the machine's, and every recorder sees them")
@pytest.mark.in_turn(2)
@pytest.mark.parametrize("events", ["6.1", "6.16"], indirect=True)
def test_jobs_of_recorded_processes_are_on_lines_of_their_ring(lab, events):
    other = subprocess.Popen([events, "300", "sdma0"], stdout=subprocess.DEVNULL)
    done = lab.record([events, "20"], name="jobs")
    other.kill()
    other.wait()
    jobs = sorted(done.recording.of("job"), key=lambda job: job.start)
    times = [list(map(int, line.split())) for line in done.out.splitlines()]
    assert len(times) == 20 and len(jobs) == 40
    ring = {job.name for job in jobs}
    assert ring in ({"gfx_0.0.0"}, {"0000:03:00.0 gfx_0.0.0"})
    assert {tuple(job.track.path()[-2:]) for job in jobs} == {("GPU jobs", ring.pop())}
    for (begin, middle, end), first, second in zip(times, jobs[::2], jobs[1::2]):
        assert begin <= first.start < first.end <= middle and middle - begin >= 2000000
        # the ring goes on with what it has when the first is done
        assert first.end <= second.start < second.end <= end
        assert second.args["queued_ns"] >= first.end - first.start
    assert not done.recording.lost
