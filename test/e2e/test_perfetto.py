# SPDX-License-Identifier: Apache-2.0
"""Loads files of inftrace's writer into Perfetto. test/unit/perfetto_test.c writes the files, so no program is run
here, only trace_processor and the UI (judge.py)."""

import os
import subprocess
import zlib

import pytest

import envs
import judge
from conftest import environment

WRITER = os.path.join(
    os.path.dirname(os.path.realpath(os.environ.get("INFTRACE", "inftrace"))), "test", "unit", "perfetto_test"
)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    environment(judge.perfetto)
    if not os.path.exists(WRITER):
        pytest.skip("not in a build folder: there is no " + WRITER)
    folder = tmp_path_factory.mktemp("written")
    subprocess.run([WRITER, str(folder)], check=True)
    return folder


@pytest.fixture(scope="module", params=["plain", "compressed"])
def sample(files, request):
    with judge.TraceProcessor(files / ("sample-%d.pftrace" % (request.param == "compressed"))) as processor:
        yield processor


def values(rows):
    return [tuple(row.values()) for row in rows]


def test_flows_annotations_and_allocations_are_what_perfetto_calls_them(tmp_path):
    environment(judge.perfetto)
    subprocess.run([os.path.join(os.path.dirname(WRITER), "decode_test"), str(tmp_path)], check=True)
    path = tmp_path / "annotations.pftrace"
    assert judge.import_errors(path) == []
    with judge.TraceProcessor(path) as processor:
        flows = values(
            processor.query(
                "select a.name as a, b.name as b from flow join slice a on a.id = slice_out "
                "join slice b on b.id = slice_in order by b.ts"
            )
        )
        assert flows == [("conv_1", "copy"), ("loop", "cache miss")]
        slices = values(
            processor.query(
                "select ts, dur, name, category from slice where category in ('user', 'allocation') order by ts"
            )
        )
        assert slices == [
            (100, 500, "request", "user"),
            (215, 0, "arena growth", "allocation"),
            (260, 30, "copy", "user"),
            (310, 0, "cache miss", "user"),
            (520, 0, "cache miss", "user"),
        ]
        counters = values(
            processor.query(
                "select t.name, t.unit, c.ts, c.value from counter c join counter_track t on t.id = c.track_id "
                "order by c.ts, t.name"
            )
        )
        assert counters == [
            ("queue", "count", 150, 3),
            ("cpu held by arenas, session 3", "bytes", 215, 3 << 20),
            ("cpu in use, session 3", "bytes", 220, 4096),
            ("taken by allocators", "bytes", 220, (3 << 20) + 4096),
            ("cpu in use, session 3", "bytes", 280, 96),
            ("taken by allocators", "bytes", 280, (3 << 20) + 96),
            ("queue", "count", 320, 5.5),
        ]
        tree = values(
            processor.query(
                "select t.name as t, p.name as p from track t join track p on p.id = t.parent_id where t.name = 'queue'"
            )
        )
        assert tree == [("queue", "annotations")]


def test_no_file_has_import_errors(files):
    paths = sorted(files.iterdir())
    assert len(paths) > 6
    for path in paths:
        assert judge.import_errors(path) == [], path


def test_slices_nest_on_their_tracks_and_keep_their_times(sample):
    rows = values(
        sample.query(
            "select s.ts, s.dur, s.depth, s.name, s.category, t.tid from slice s "
            "join thread_track on thread_track.id = s.track_id "
            "join thread t using (utid) order by s.ts, s.depth"
        )
    )
    second = 1000000000
    assert rows == [
        (second + 200, 50, 0, 'a"b\n\ufffd', "operator", 4001),
        (second + 200, 50, 1, "inner", "operator", 4001),
        (second + 260, 0, 0, "lost", "lost", 4001),
        (second + 2000, -1, 0, "cut off", "operator", 4001),
    ]


def test_concurrent_inferences_lie_on_lanes_of_their_own(sample):
    rows = values(
        sample.query("select track_id, count(*), max(depth) from slice where category = 'inference' group by 1")
    )
    assert len(rows) == 12 and all(row[1:] == (1, 0) for row in rows)


def test_tracks_form_the_tree_that_was_written(sample):
    rows = values(
        sample.query(
            "select lane.name as lane, model.name as model, models.name as models, count(*) as n from track lane "
            "join track model on lane.parent_id = model.id join track models on model.parent_id = models.id "
            "where lane.id in (select track_id from slice) group by 1, 2, 3"
        )
    )
    assert sorted(rows) == [("main", "resnet", "models", 10), ("same name", "resnet", "models", 2)]


def test_arguments_of_begin_and_end_are_on_the_slice(sample):
    rows = values(
        sample.query(
            "select a.key, a.display_value, a.value_type from slice s join args a using (arg_set_id) "
            "where s.name = 'inner' and a.key glob 'debug.*'"
        )
    )
    assert sorted(rows) == [
        ("debug.bytes", "-5", "int"),
        ("debug.event_ns", "12.5", "real"),
        ("debug.inference", "1", "int"),
        ("debug.op_type", "Conv", "string"),
        ("debug.status", "ok", "string"),
    ]


def test_counters_have_values_units_and_owners(sample):
    rows = values(
        sample.query(
            "select t.name, t.unit, c.ts, c.value from counter c join counter_track t on t.id = c.track_id "
            "order by c.ts"
        )
    )
    second = 1000000000
    assert rows == [
        ("cpu %", "%", second + 280, 12.25),
        ("switches", "count", second + 290, 7),
        ("resident memory", "bytes", second + 300, 123456789012),
        ("switches", "count", second + 310, 8),
    ]
    owned = values(sample.query("select t.name, p.pid from process_counter_track t join process p using (upid)"))
    assert sorted(owned) == [("cpu %", 4000), ("resident memory", 4000)]


def test_process_and_machine_are_described(sample):
    assert values(sample.query("select pid, name, start_ts from process where pid = 4000")) == [(4000, "app", 1000000)]
    assert values(sample.query("select tid, name from thread where tid = 4001")) == [(4001, "worker")]
    system = values(sample.query("select str_value from metadata where name in ('system_name', 'system_machine')"))
    assert sorted(system) == sorted([(os.uname().sysname,), (os.uname().machine,)])


@pytest.mark.in_turn(2)
def test_random_streams_arrive_whole(files):
    """Compares the numbers of slices and values with those in the raw packets."""
    trace = pytest.importorskip("perfetto.protos.perfetto.trace.perfetto_trace_pb2")
    for path in sorted(files.glob("random-*.pftrace")):
        whole = trace.Trace.FromString(path.read_bytes())
        packets = [
            inner
            for packet in whole.packet
            for inner in (
                trace.Trace.FromString(zlib.decompress(packet.compressed_packets)).packet
                if packet.compressed_packets
                else [packet]
            )
        ]
        types = [packet.track_event.type for packet in packets if packet.HasField("track_event")]
        with judge.TraceProcessor(path) as processor:
            assert values(processor.query("select count(*) from slice")) == [(types.count(1) + types.count(3),)]
            assert values(processor.query("select count(*) from counter")) == [(types.count(4),)]


def test_cut_off_file_has_no_import_errors(files, tmp_path):
    data = (files / "sample-0.pftrace").read_bytes()
    for at in range(len(data) // 7, len(data), len(data) // 7 + 1):
        path = tmp_path / ("cut-%d.pftrace" % at)
        path.write_bytes(data[:at])
        assert judge.import_errors(path) == [], at


@pytest.mark.in_turn(2)
def test_the_judge_sees_faults(files, tmp_path):
    data = bytearray((files / "sample-0.pftrace").read_bytes())
    for part in range(1, 8):  # file contents differ from run to run, and some damage only changes a number
        for at in range(len(data) * part // 8, len(data) * part // 8 + 16):
            data[at] ^= 0xFF
    (tmp_path / "damaged.pftrace").write_bytes(data)
    for _ in range(2):
        assert judge.import_errors(tmp_path / "damaged.pftrace")
        assert judge.import_errors(files / "sample-0.pftrace") == []  # trace_processor has dropped the damaged file


@pytest.mark.in_turn(2)
def test_the_user_interface_shows_it(files, tmp_path):
    try:
        seen = judge.screenshot(files / "sample-0.pftrace", tmp_path / "sample.png")
    except envs.Missing as why:
        pytest.skip(str(why))
    assert seen == {"slices": 17, "errors": []}
    assert (tmp_path / "sample.png").stat().st_size > 20000
