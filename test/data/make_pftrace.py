#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the traces of other programs in pftrace/good and pftrace/bad with Perfetto's own protobuf classes (PyPI
package perfetto). Each shows one habit of the programs that write such files. make_pftrace.py [FOLDER]
(good/two_inferences* are recordings of inftrace. good/zstd_packets is good/threads as packets compressed by zstd. found/ has inputs of the fuzzer, reduced to those that reach code
which the other files do not reach.)"""

import os
import sys
import zlib

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent, TrackDescriptor

BEGIN, END, INSTANT, COUNTER = (
    TrackEvent.TYPE_SLICE_BEGIN,
    TrackEvent.TYPE_SLICE_END,
    TrackEvent.TYPE_INSTANT,
    TrackEvent.TYPE_COUNTER,
)
CLEARED, NEEDS = 1, 2
MONOTONIC, BOOTTIME, REALTIME = 3, 6, 1


def packet(trace, sequence=1, timestamp=None, flags=NEEDS):
    one = trace.packet.add()
    one.trusted_packet_sequence_id = sequence
    one.sequence_flags = flags
    if timestamp is not None:
        one.timestamp = timestamp
    return one


def event(trace, timestamp, kind, sequence=1, **fields):
    one = packet(trace, sequence, timestamp)
    one.track_event.type = kind
    for name, value in fields.items():
        if isinstance(value, list):
            getattr(one.track_event, name).extend(value)
        else:
            setattr(one.track_event, name, value)
    return one


def clocks(one, **times):
    for name, value in times.items():
        clock = one.clock_snapshot.clocks.add()
        clock.clock_id = {"monotonic": MONOTONIC, "boottime": BOOTTIME, "realtime": REALTIME}.get(name) or int(name[1:])
        clock.timestamp = value


def threads(trace):
    """Like a program with Perfetto's SDK: descriptors with process and thread, texts interned on first use."""
    one = packet(trace, 2, flags=CLEARED)
    clocks(one, monotonic=5000000, boottime=9000000, realtime=1700000000000000000)
    clock = one.clock_snapshot.clocks.add()
    clock.clock_id, clock.timestamp, clock.is_incremental, clock.unit_multiplier_ns = 64, 5000, True, 1000
    one = packet(trace, 2)
    one.track_descriptor.uuid = 0x8000000000000001
    one.track_descriptor.process.pid = 4321
    one.track_descriptor.process.cmdline.extend(["./app", "--fast"])
    one.track_descriptor.process.process_name = "app"
    one = packet(trace, 2, flags=CLEARED)
    one.trace_packet_defaults.timestamp_clock_id = 64
    one.trace_packet_defaults.track_event_defaults.track_uuid = 77
    one.track_descriptor.uuid, one.track_descriptor.parent_uuid = 77, 0x8000000000000001
    one.track_descriptor.thread.pid, one.track_descriptor.thread.tid = 4321, 4322
    one.track_descriptor.thread.thread_name = "worker"
    one = event(trace, 10, BEGIN, 2, name_iid=1, category_iids=[1])
    one.interned_data.event_names.add(iid=1, name="Draw")
    one.interned_data.event_categories.add(iid=1, name="rendering")
    one.interned_data.debug_annotation_names.add(iid=9, name="bytes")
    one.track_event.debug_annotations.add(name_iid=9, uint_value=12345)
    one.track_event.debug_annotations.add(name="deep").dict_entries.add(name="x", int_value=-1)
    event(trace, 5, INSTANT, 2, name="tick")
    event(trace, 5, END, 2)
    one = packet(trace, 2)
    one.track_descriptor.uuid, one.track_descriptor.parent_uuid, one.track_descriptor.name = 78, 0x8000000000000001, "n"
    one.track_descriptor.counter.unit, one.track_descriptor.counter.is_incremental = 3, True
    one.track_descriptor.counter.unit_multiplier = 1024
    event(trace, 1, COUNTER, 2, track_uuid=78, counter_value=3)
    event(trace, 1, COUNTER, 2, track_uuid=78, counter_value=-1)
    event(trace, 1, COUNTER, 2, track_uuid=79, double_counter_value=2.5)


def passing_time(trace):
    """Like Chromium: an incremental clock, which packets without an event advance, too."""
    one = packet(trace, 4, flags=CLEARED)
    clocks(one, monotonic=5000000, boottime=9000000)
    clock = one.clock_snapshot.clocks.add()
    clock.clock_id, clock.timestamp, clock.is_incremental, clock.unit_multiplier_ns = 64, 5000, True, 1000
    one = packet(trace, 4, flags=CLEARED)
    one.trace_packet_defaults.timestamp_clock_id = 64
    one.track_descriptor.uuid, one.track_descriptor.name = 44, "work"
    event(trace, 10, BEGIN, 4, track_uuid=44, name="slice")
    one = packet(trace, 4, 18)
    one.track_descriptor.uuid, one.track_descriptor.name = 45, "more"
    packet(trace, 4, 7).trigger.trigger_name = "nothing of use"
    event(trace, 5, END, 4, track_uuid=44)


def late_descriptors(trace):
    """Tracks come after their events, children before parents; one has no description; two are each other's parents."""
    packet(trace, flags=CLEARED)
    for i in range(5):
        event(trace, 10000000 - 100 * i, BEGIN, track_uuid=5, name="slice %d" % i)
        event(trace, 10000050 - 100 * i, END, track_uuid=5)
    event(trace, 10000000, INSTANT, track_uuid=99, name="nowhere")
    for uuid, parent in ((5, 6), (6, 7), (8, 9), (9, 8)):
        one = packet(trace)
        one.track_descriptor.uuid, one.track_descriptor.parent_uuid = uuid, parent
        one.track_descriptor.static_name = "track %d" % uuid
    one = packet(trace)
    one.track_descriptor.uuid, one.track_descriptor.name = 7, "top"
    one.track_descriptor.child_ordering = TrackDescriptor.LEXICOGRAPHIC


def legacy(trace):
    """Like older versions of Chrome without tracks: thread descriptors, microseconds, phases of the JSON format."""
    one = packet(trace, 3, flags=CLEARED)
    one.thread_descriptor.pid, one.thread_descriptor.tid, one.thread_descriptor.thread_name = 100, 101, "CrMain"
    one.thread_descriptor.reference_timestamp_us = 1000
    for phase, delta, duration in (("B", 10, 0), ("X", 5, 3), ("X", 4, 9), ("I", 1, 0), ("b", 1, 0), ("E", 10, 0)):
        one = packet(trace, 3)
        one.track_event.timestamp_delta_us = delta
        one.track_event.name = "phase " + phase
        one.track_event.categories.append("operator")
        one.track_event.legacy_event.phase = ord(phase)
        if duration:
            one.track_event.legacy_event.duration_us = duration
        if phase == "b":
            one.track_event.legacy_event.unscoped_id = 7
    one = packet(trace, 3)
    one.track_event.timestamp_absolute_us = 2000
    one.track_event.legacy_event.phase = ord("X")
    one.track_event.legacy_event.duration_us = 50
    one.track_event.legacy_event.pid_override, one.track_event.legacy_event.tid_override = 200, 201


def losses(trace):
    """A writer's buffer was full: numbers are invalid until it clears its state."""
    for round_ in range(2):
        one = event(trace, 10000001 + 100 * round_, BEGIN, 4, track_uuid=1, name_iid=1)
        one.sequence_flags = CLEARED | NEEDS
        one.interned_data.event_names.add(iid=1, name="round %d" % round_)
        event(trace, 10000002 + 100 * round_, END, 4, track_uuid=1).previous_packet_dropped = 1
        event(trace, 10000003 + 100 * round_, INSTANT, 4, track_uuid=1, name_iid=1)


def other_sources(trace):
    """A system trace without any track events."""
    one = packet(trace, 5, 100)
    one.ftrace_events.cpu = 0
    one.ftrace_events.event.add(timestamp=100, pid=1).print.buf = "hello"
    packet(trace, 5, 200).process_tree.processes.add(pid=1, ppid=0).cmdline.append("init")
    one = packet(trace, 6, 300)
    one.machine_id = 7
    one.track_event.type = INSTANT


def perf_samples(trace):
    """Samples of Perfetto's own profiler: frames come before what they refer to."""
    tree = packet(trace, flags=CLEARED).process_tree
    tree.processes.add(pid=7, cmdline=["server"])
    tree.threads.add(tid=8, tgid=7, name="worker")
    data = packet(trace).interned_data
    data.callstacks.add(iid=1, frame_ids=[1, 2])
    data.frames.add(iid=1, function_name_id=1, mapping_id=1, rel_pc=0x10)
    data.frames.add(iid=2, function_name_id=2, mapping_id=1, rel_pc=0x20)
    for number, text in ((1, b"main"), (2, b"work")):
        data.function_names.add(iid=number, str=text)
    for number, text in ((1, b"usr"), (2, b"server")):
        data.mapping_paths.add(iid=number, str=text)
    data.build_ids.add(iid=1, str=b"\x12\x34")
    data.mappings.add(iid=1, build_id=1, path_string_ids=[1, 2])
    for timestamp in (1000, 1010, 1020):
        sample = packet(trace, timestamp=timestamp).perf_sample
        sample.cpu, sample.pid, sample.tid, sample.callstack_iid = 0, 7, 8, 1


GOOD = [threads, late_descriptors, legacy, losses, other_sources]
ALONE = [passing_time, perf_samples]  # not in the compressed one, nor in those made from it


def compressed(data):
    whole = Trace()
    whole.packet.add().compressed_packets = zlib.compress(data)
    return whole.SerializeToString()


def bad(good):
    zstd = Trace()
    zstd.packet.add().zstd_compressed_packets = b"\x28\xb5\x2f\xfd"
    yield "zstd", good + zstd.SerializeToString()
    yield "bundle_in_bundle", good + compressed(compressed(good))
    yield "bundle_cut", good + b"\n\x12\x92\x03\x0f" + zlib.compress(good)[:15]
    yield "bundle_damaged", good + b"\n\x0a\x92\x03\x07damaged"
    yield "cut_inside_bundle", good + compressed(good[:-1])
    yield "middle", good[:40] + b"\x07" + good[41:]
    yield "length_in_packet", good + b"\n\x04\x5a\x7f\x48\x01" + good
    yield "varint", good + b"\n" + b"\xff" * 11 + good
    yield "group", good + b"\x0b\x0c" + good
    yield "text", b"\nThis is a text.\n"
    yield "json", b'{"traceEvents":[{"ph":"X","ts":1,"dur":2}]}'
    yield "elf", b"\x7fELF\2\1\1" + bytes(57)
    yield "gzip", zlib.compressobj(wbits=31).compress(good) + b"\x1f\x8b\x08" + bytes(20)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "pftrace")
    everything = Trace()
    for make in GOOD + ALONE:
        trace = Trace()
        make(trace)
        if make in GOOD:
            make(everything)
        with open(os.path.join(folder, "good", make.__name__ + ".pftrace"), "wb") as out:
            out.write(trace.SerializeToString())
    with open(os.path.join(folder, "good", "compressed.pftrace"), "wb") as out:
        out.write(compressed(everything.SerializeToString()))
    for name, data in bad(everything.SerializeToString()):
        with open(os.path.join(folder, "bad", name + ".pftrace"), "wb") as out:
            out.write(data)


if __name__ == "__main__":
    main()
