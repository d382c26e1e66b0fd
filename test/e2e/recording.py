# SPDX-License-Identifier: Apache-2.0
"""Reads a recording with Perfetto's own protobuf classes and none of the project's code.

Recording(path) has slices, instants, counters and tracks; broken() lists violations of rules for all recordings.
judge.py checks the same file with trace_processor.
"""

import gc
import os
import zlib

from google.protobuf.unknown_fields import UnknownFieldSet
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TracePacket, TrackEvent

MONOTONIC = 3
SLICE_BEGIN, SLICE_END = TrackEvent.TYPE_SLICE_BEGIN, TrackEvent.TYPE_SLICE_END
STATE_CLEARED = TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
INSTANT, COUNTER = TrackEvent.TYPE_INSTANT, TrackEvent.TYPE_COUNTER
KINDS = (
    "provider_ready",
    "session",
    "load",
    "specialize",
    "phase",
    "setup",
    "inference",
    "operator",
    "kernel",
    "stage",
    "user",
    "halt",
    "call",
    "job",
    "tokens",
)


class Slice:
    """One slice. end is None if the recording ends before the slice does."""

    __slots__ = ("args", "children", "end", "kind", "name", "parent", "start", "track")

    def __init__(self, track, kind, name, start, args, parent):
        self.track, self.kind, self.name, self.start, self.args, self.parent = track, kind, name, start, args, parent
        self.end, self.children = None, []

    def __repr__(self):
        return "%s %r %s..%s %r" % (self.kind, self.name, self.start, self.end, self.args)

    def inside(self, kind):
        """The innermost slice of this kind on the same track that contains this one, or None."""
        outer = self.parent
        while outer and outer.kind != kind:
            outer = outer.parent
        return outer


class Track:
    def __init__(self, descriptor, parent):
        self.uuid, self.parent, self.open, self.last = descriptor.uuid, parent, [], 0
        self.name = descriptor.name or descriptor.thread.thread_name or descriptor.process.process_name
        self.is_process, self.is_thread = descriptor.HasField("process"), descriptor.HasField("thread")
        self.tid = descriptor.thread.tid
        self.unit = (
            (descriptor.counter.unit_name or str(descriptor.counter.unit)) if descriptor.HasField("counter") else None
        )
        self.pid = descriptor.process.pid or descriptor.thread.pid or (parent.pid if parent else 0)

    @property
    def process(self):
        """The track of the process. It identifies a process better than a pid, which stays the same after exec."""
        track = self
        while track.parent and not track.is_process:
            track = track.parent
        return track.uuid

    def path(self):
        return (self.parent.path() if self.parent else []) + [self.name]


def _varint(data, at):
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        value |= (byte & 127) << shift
        at += 1
        if byte < 128:
            return value, at
        shift += 7
    return None, at


def whole_packets(data):
    """(packet, its end) of each complete packet of a trace. A packet that is cut off at the end is left out."""
    at = 0
    while at < len(data):
        start = at
        tag, at = _varint(data, at)
        size, at = _varint(data, at) if tag is not None else (None, at)
        if size is None or at + size > len(data):
            return
        if tag != 10:
            raise ValueError("at byte %d: tag %d is not that of a packet" % (start, tag))
        packet = TracePacket.FromString(data[at : at + size])
        at += size
        yield packet, at


def unpacked(packet):
    """The packet itself alone, or the packets compressed in it."""
    if not packet.HasField("compressed_packets"):
        return [packet]
    trace = Trace.FromString(zlib.decompress(packet.compressed_packets))
    if len(UnknownFieldSet(trace)):
        raise ValueError("something compressed is not a packet")
    return trace.packet


class Sequence:
    """The state of one writer: interned strings, clocks, defaults."""

    def __init__(self):
        self.categories, self.names, self.keys, self.texts = {}, {}, {}, {}
        self.clocks, self.last, self.default_clock, self.default_track = {}, {}, None, None

    def intern(self, data):
        for table, entries in (
            (self.categories, data.event_categories),
            (self.names, data.event_names),
            (self.keys, data.debug_annotation_names),
        ):
            for entry in entries:
                table[entry.iid] = entry.name
        for entry in data.debug_annotation_string_values:
            self.texts[entry.iid] = entry.str.decode("utf-8", "surrogateescape")


class Recording:
    def __init__(self, path, at_most=None):
        self.path, self.slices, self.instants, self.counters, self.tracks, self.faults = path, [], [], [], {}, []
        self.n_packets, self.time_bytes, self._sequences, self._read, self.size = 0, 0, {}, 0, 0
        self.read_on(at_most)

    # ---- reading

    def read_on(self, at_most=None):
        """Reads what was appended since the last read, so that waiting on a growing file does not read it again each
        time: so many bytes at most, or one packet."""
        with open(self.path, "rb") as file:
            file.seek(self._read)
            data = file.read(at_most)
            if at_most and not any(whole_packets(data)):
                data += file.read()
        self.size = self._read + len(data)
        gc.disable()  # nothing here is garbage, and looking for it takes as long as reading
        try:
            self._take(data)
        finally:
            gc.enable()

    def _take(self, data):
        begin = self._read
        for outer, end in whole_packets(data):
            self._read = begin + end
            for packet in unpacked(outer):
                self.n_packets += 1
                self.time_bytes += max(2, -(-packet.timestamp.bit_length() // 7))  # a short one takes two as well
                self._packet(packet)

    def _packet(self, packet):
        sequence = self._sequences.get(packet.trusted_packet_sequence_id)
        if not sequence:
            sequence = self._sequences[packet.trusted_packet_sequence_id] = Sequence()
        if packet.sequence_flags & STATE_CLEARED or packet.incremental_state_cleared:
            clocks = sequence.clocks
            sequence = self._sequences[packet.trusted_packet_sequence_id] = Sequence()
            sequence.clocks = clocks
        if packet.HasField("trace_packet_defaults"):
            sequence.default_clock = packet.trace_packet_defaults.timestamp_clock_id or sequence.default_clock
            sequence.default_track = (
                packet.trace_packet_defaults.track_event_defaults.track_uuid or sequence.default_track
            )
        if packet.HasField("interned_data"):
            sequence.intern(packet.interned_data)
        data = packet.WhichOneof("data")
        if data == "track_event":
            self._event(sequence, packet)
        elif data == "clock_snapshot":
            self._clocks(sequence, packet.clock_snapshot)
        elif data == "track_descriptor":
            descriptor = packet.track_descriptor
            parent = self.tracks.get(descriptor.parent_uuid)
            if descriptor.parent_uuid and not parent:
                self.faults.append("track %d comes before its parent" % descriptor.uuid)
            known = self.tracks.get(descriptor.uuid)
            track = Track(descriptor, parent)
            if known:
                track.open, track.last = known.open, known.last
            self.tracks[descriptor.uuid] = track

    def _clocks(self, sequence, snapshot):
        monotonic = [clock.timestamp for clock in snapshot.clocks if clock.clock_id == MONOTONIC]
        for clock in snapshot.clocks:
            if 64 <= clock.clock_id < 128 and monotonic:
                unit = clock.unit_multiplier_ns or 1
                sequence.clocks[clock.clock_id] = (clock.timestamp, monotonic[0], unit, clock.is_incremental)
                sequence.last[clock.clock_id] = clock.timestamp

    def _time(self, sequence, packet):
        clock = packet.timestamp_clock_id or sequence.default_clock or MONOTONIC
        if clock not in sequence.clocks:
            if clock != MONOTONIC:
                self.faults.append("clock %d was never defined" % clock)
            return packet.timestamp
        origin, monotonic, unit, incremental = sequence.clocks[clock]
        value = packet.timestamp
        if incremental:
            value += sequence.last[clock]
            sequence.last[clock] = value
        return monotonic + (value - origin) * unit

    def _args(self, sequence, annotations):
        args = {}
        for note in annotations:
            key = sequence.keys.get(note.name_iid) or note.name or None
            which = note.WhichOneof("value")
            value = getattr(note, which) if which else None
            if which == "string_value_iid":
                value = sequence.texts.get(value)
            if key is None or value is None:
                self.faults.append("an annotation has no name or no value: %s" % note)
            elif key in args:
                self.faults.append("annotation %s comes twice on one event" % key)
            args[key] = value
        return args

    def _event(self, sequence, packet):
        event, time = packet.track_event, self._time(sequence, packet)
        track = self.tracks.get(event.track_uuid or sequence.default_track)
        if not track:
            self.faults.append(
                "an event on a track that is not there: %s" % (event.track_uuid or sequence.default_track)
            )
            return
        kind = event.type
        if kind == COUNTER:
            value = event.double_counter_value if event.HasField("double_counter_value") else event.counter_value
            self.counters.append((track, time, value))
            return
        annotations = event.debug_annotations
        args = self._args(sequence, annotations) if annotations else {}
        if time < track.last:
            self.faults.append("time goes back on track %s: %s" % (track.path(), args))
        track.last = time
        if kind == SLICE_END:
            self._end(track, time, args)
            return
        category = (
            sequence.categories.get(event.category_iids[0], "")
            if event.category_iids
            else "".join(event.categories[:1])
        )
        name = sequence.names.get(event.name_iid, "") if event.name_iid else event.name
        if kind == SLICE_BEGIN:
            self._begin(Slice(track, category, name, time, args, track.open[-1] if track.open else None))
        elif kind == INSTANT:
            self.instants.append(Slice(track, category, name, time, args, None))
        else:
            self.faults.append("an event of type %d" % kind)

    def _begin(self, slice):
        if slice.kind not in KINDS:
            self.faults.append("a slice of category %r" % slice.kind)
        if slice.parent:
            slice.parent.children.append(slice)
        self.slices.append(slice)
        slice.track.open.append(slice)

    def _end(self, track, time, args):
        if not track.open:
            self.faults.append("an end without a beginning on track %s" % track.path())
            return
        slice = track.open.pop()
        slice.end = time
        if args:
            twice = slice.args.keys() & args.keys()
            if twice:
                self.faults.append("annotations %s come at both ends of %r" % (twice, slice))
            slice.args.update(args)

    # ---- queries

    def of(self, kind, pid=None):
        return [slice for slice in self.slices if slice.kind == kind and pid in (None, slice.track.pid)]

    @property
    def inferences(self):
        return self.of("inference")

    @property
    def operators(self):
        """Operators of inferences, without those that ran during session creation (constant folding)."""
        return [slice for slice in self.of("operator") if "inference" in slice.args]

    @property
    def pids(self):
        return sorted({slice.track.pid for slice in self.slices})

    def notes(self, topic):
        return [instant for instant in self.instants if instant.kind == "note" and instant.name == topic]

    @property
    def lost(self):
        return sum(instant.args["count"] for instant in self.instants if instant.kind == "lost")

    def note(self, topic):
        notes = self.notes(topic)
        assert len(notes) == 1, "%d notes %r" % (len(notes), topic)
        return notes[0].args

    # ---- rules for every recording

    def broken(self):
        faults = list(self.faults)
        for slice in self.slices:
            faults += ["%s lacks %s" % (slice, key) for key in self._wanted(slice) if key not in slice.args]
        faults += self._numbering()
        faults += [
            "lost without count or where: %s" % instant.args
            for instant in self.instants
            if instant.kind == "lost" and not (instant.args.get("count", 0) > 0 and instant.args.get("where"))
        ]
        faults += [
            "counter %s has no unit" % track.path()
            for track in {counter[0] for counter in self.counters}
            if track.unit in (None, "0")
        ]
        if not self.notes("recording"):
            faults.append("no note that says how it was recorded")
        return faults

    @staticmethod
    def _wanted(slice):
        if slice.kind == "inference":
            return ["model", "session", "id", "inference", "tid"] + (
                ["status"] if slice.end and not slice.args.get("partial") else []
            )
        if slice.kind == "operator":
            return ["op_type"]
        if slice.kind == "session":
            return ["session"] + (["status"] if slice.end else [])
        return []

    def _numbering(self):
        """Inferences of a session are numbered 1, 2, 3 ... without repetition. A forked child continues its parent's
        numbers. One that is repeated from a segment that is not here may be older than others that were in it."""
        faults, ids = [], {}
        for slice in self.inferences:
            if slice.args.get("continued"):
                continue
            if "id" in slice.args:
                ids.setdefault((slice.track.process, slice.args.get("session")), []).append(slice.args["id"])
        for where, numbers in ids.items():
            if len(set(numbers)) != len(numbers):
                faults.append("numbers of inferences come twice in session %s" % (where,))
            elif not self.lost and sorted(numbers) != list(range(min(numbers), min(numbers) + len(numbers))):
                faults.append(
                    "inferences of session %s are not numbered without a gap: %s" % (where, sorted(numbers)[:5])
                )
        runs = {(slice.track.process, slice.args.get("inference")) for slice in self.inferences}
        if not self.lost:
            faults += [
                "%s belongs to no inference" % slice
                for slice in self.operators
                if (slice.track.process, slice.args["inference"]) not in runs
            ]
        return faults


class Growing:
    """A recording that is being written. now() returns its present contents, or None while the file is missing; it
    reads only appended bytes, and at_most so many of them: a file may grow faster than it is read."""

    def __init__(self, path, at_most=None):
        self.path, self.at_most, self._file, self._recording = path, at_most, None, None

    def now(self):
        try:
            status = os.stat(self.path)
        except FileNotFoundError:
            return None
        is_same = (
            self._recording and (status.st_dev, status.st_ino) == self._file and status.st_size >= self._recording.size
        )
        if is_same:
            self._recording.read_on(self.at_most)
        else:
            self._file, self._recording = (status.st_dev, status.st_ino), Recording(self.path, self.at_most)
        return self._recording
