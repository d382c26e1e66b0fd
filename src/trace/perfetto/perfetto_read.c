// SPDX-License-Identifier: Apache-2.0
/*
 * Turns packets of a Perfetto trace into events. The meaning of a packet depends on earlier packets of its sequence:
 * perfetto_state.c keeps that state.
 *
 * A file marked as written by inftrace has the events of each track in order: they go to the sink as they are read, and
 * nothing is kept. If a time goes back all the same, it is moved to the last one of its track. Any other file is kept
 * until its end and sorted (perfetto_sort.c).
 */
#include "trace/perfetto/perfetto_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "trace/perfetto/perfetto_event.h"
#include "trace/perfetto/perfetto_fields.h"
#include "trace/perfetto/perfetto_texts.h"

enum {
	MAX_BUNDLE = 32 << 20, /* largest size of decompressed packets */
	FIRST_BUNDLE = 512 << 10,
	MAX_FIELD = 2000, /* the highest field number of a packet */
};

/* Used fields of a packet, besides those of struct packet. */
struct rare {
	uint32_t machine;
	bool is_cleared, is_dropped;
	struct pb_in interned, defaults, snapshot, descriptor, thread, system, compressed, zstd, sample;
};

/* Packets. */

static int read_fields(struct packet *packet, struct pb_in in)
{
	struct pb_field field;
	int more;

	while ((more = pb_next(&in, &field)) > 0) {
		switch (PB_TAG(field.number, field.wire)) {
		case PB_TAG(PACKET_TIMESTAMP, PB_VARINT):
			packet->timestamp = field.value;
			packet->has_timestamp = true;
			break;
		case PB_TAG(PACKET_SEQUENCE_ID, PB_VARINT):
			packet->sequence = (uint32_t)field.value;
			break;
		case PB_TAG(PACKET_TRACK_EVENT, PB_BYTES):
			packet->event = pb_inside(&field);
			break;
		case PB_TAG(PACKET_SEQUENCE_FLAGS, PB_VARINT):
			packet->flags = (uint32_t)field.value;
			break;
		case PB_TAG(PACKET_CLOCK_ID, PB_VARINT):
			packet->clock = (uint32_t)field.value;
			break;
		default:
			packet->is_rare = true;
		}
	}
	return more;
}

/* true: some are used. */
static bool read_rare_fields(struct rare *rare, struct pb_in in)
{
	struct pb_in *const part[] = {
		[PACKET_INTERNED_DATA] = &rare->interned,   [PACKET_DEFAULTS] = &rare->defaults,
		[PACKET_CLOCK_SNAPSHOT] = &rare->snapshot,  [PACKET_TRACK_DESCRIPTOR] = &rare->descriptor,
		[PACKET_THREAD_DESCRIPTOR] = &rare->thread, [PACKET_SYSTEM_INFO] = &rare->system,
		[PACKET_COMPRESSED] = &rare->compressed,    [PACKET_ZSTD] = &rare->zstd,
		[PACKET_PERF_SAMPLE] = &rare->sample,
	};
	struct pb_field field;
	bool has_any = false;

	while (pb_next(&in, &field) > 0) {
		if (field.wire == PB_BYTES && field.number < sizeof part / sizeof *part && part[field.number]) {
			*part[field.number] = pb_inside(&field);
			has_any = true;
		} else if (field.number == PACKET_PROCESS_TREE) {
			has_any = true; /* repeats descriptors */
		} else if (field.wire != PB_VARINT) {
			continue;
		} else if (field.number == PACKET_STATE_CLEARED) {
			rare->is_cleared = field.value;
		} else if (field.number == PACKET_PREVIOUS_DROPPED) {
			rare->is_dropped = field.value;
		} else if (field.number == PACKET_MACHINE_ID) {
			rare->machine = (uint32_t)field.value;
		}
	}
	return has_any || rare->is_cleared || rare->is_dropped;
}

/* Reads who wrote the file: events of inftrace need no sorting. */
static int read_system(struct reader *reader, struct pb_in in)
{
	static const char mark[] = PERFETTO_WRITER;
	struct pb_field field;
	int more;

	while ((more = pb_next(&in, &field)) > 0)
		if (field.number == SYSTEM_VERSION && field.wire == PB_BYTES && field.value >= sizeof mark - 1 &&
		    !memcmp(field.data, mark, sizeof mark - 1) && !reader->has_events && !reader->state.n_tracks)
			reader->state.is_in_order = true;
	return more < 0 ? err_set(reader->err, EBADMSG, "its system information is malformed") : 0;
}

/* Decompresses a bundle into the reader's memory: *len bytes. 0, or -1 and err. */
typedef int (*decompress_fn)(struct reader *reader, struct pb_in in, size_t *len);
static int inflate_bundle(struct reader *reader, struct pb_in in, size_t *len);
static int unpack_bundle(struct reader *reader, struct pb_in in, size_t *len);
static int read_bundle(struct reader *reader, struct pb_in in, decompress_fn decompress);

static int use_rare(struct reader *reader, struct sequence *sequence, const struct rare *rare)
{
	struct state *state = &reader->state;
	int result = 0;

	if (rare->is_cleared)
		perfetto_state_clear(sequence);
	else if (rare->is_dropped)
		sequence->is_valid = false;
	if (rare->interned.at)
		result = perfetto_state_intern(state, sequence, rare->interned, reader->err);
	if (!result && rare->interned.at)
		result = perfetto_samples_intern(reader, sequence, rare->interned);
	if (!result && rare->defaults.at)
		result = perfetto_tracks_defaults(state, sequence, rare->defaults, reader->err);
	if (!result && rare->snapshot.at)
		result = perfetto_state_snapshot(state, sequence, rare->snapshot, reader->err);
	if (!result && rare->descriptor.at)
		result = perfetto_tracks_descriptor(state, rare->descriptor, reader->err);
	if (!result && rare->thread.at)
		result = perfetto_tracks_thread_descriptor(state, sequence, rare->thread, reader->err);
	if (!result && rare->system.at)
		result = read_system(reader, rare->system);
	return result;
}

/* Incremental clocks count the time of every packet, whatever is in it; snapshots set them instead. False: none. */
static bool pass_time(struct reader *reader, struct sequence *sequence, const struct packet *packet,
		      const struct rare *rare, uint64_t *time_ns)
{
	if (packet->has_timestamp && !packet->event.at && !rare->snapshot.at &&
	    (sequence->is_valid || !(packet->flags & SEQ_NEEDS_STATE)))
		return perfetto_state_time(&reader->state, sequence, packet->clock, packet->timestamp, time_ns);
	return false;
}

/* Reads a packet with more than an event, or without one. Returns 1 if its event must be read, too. */
static int read_rare(struct reader *reader, const struct packet *packet, struct pb_in in)
{
	struct rare rare = { .is_cleared = packet->flags & SEQ_STATE_CLEARED };
	bool is_used = read_rare_fields(&rare, in);
	struct sequence *sequence;
	uint64_t time_ns;

	if (rare.compressed.at || rare.zstd.at) {
		reader->result->n_packets--;
		return rare.compressed.at ? read_bundle(reader, rare.compressed, inflate_bundle)
					  : read_bundle(reader, rare.zstd, unpack_bundle);
	}
	/* other machines have their own clocks and process numbers */
	if (rare.machine || (!is_used && !packet->event.at && !packet->has_timestamp)) {
		reader->result->n_skipped++;
		return 0;
	}
	sequence = perfetto_state_sequence(&reader->state, packet->sequence);
	if (!sequence)
		return perfetto_state_out_of_memory(reader->err);
	if (is_used && use_rare(reader, sequence, &rare))
		return -1;
	reader->result->n_skipped += !is_used && !packet->event.at;
	if (pass_time(reader, sequence, packet, &rare, &time_ns) && rare.sample.at &&
	    perfetto_samples_read(reader, sequence, time_ns, rare.sample))
		return -1;
	return packet->event.at != NULL;
}

static int read_packet(struct reader *reader, struct pb_in in)
{
	struct packet packet = { 0 };
	struct sequence *sequence;
	int more;

	if (read_fields(&packet, in) < 0)
		return err_set(reader->err, EBADMSG, "its packet is malformed");
	reader->result->n_packets++;
	if (packet.is_rare || packet.flags & SEQ_STATE_CLEARED || !packet.event.at) {
		more = read_rare(reader, &packet, in);
		if (more <= 0)
			return more;
	}
	sequence = perfetto_state_sequence(&reader->state, packet.sequence);
	if (!sequence)
		return perfetto_state_out_of_memory(reader->err);
	if (!sequence->is_valid && packet.flags & SEQ_NEEDS_STATE) {
		reader->result->n_skipped++;
		return 0;
	}
	return perfetto_event_read(reader, sequence, &packet);
}

/* A file and a decompressed bundle are both a series of fields that are packets. */

enum step { STEP_PACKET, STEP_OTHER, STEP_END, STEP_CUT, STEP_BAD };

static bool is_zero(struct pb_in in)
{
	while (in.at < in.end && !*in.at)
		in.at++;
	return in.at == in.end;
}

/* The next field; distinguishes a truncated field from an invalid one. */
static enum step next_packet(struct pb_in *in, struct pb_in *packet)
{
	struct pb_in probe = *in;
	struct pb_field field;
	uint64_t tag;
	int more = pb_next(in, &field);

	if (more > 0) {
		if (field.number != TRACE_PACKET || field.wire != PB_BYTES)
			return STEP_OTHER;
		*packet = pb_inside(&field);
		return STEP_PACKET;
	}
	if (!more)
		return STEP_END;
	if (is_zero(probe))
		return STEP_CUT; /* a file system lost its last blocks */
	if (!pb_get_varint(&probe, &tag))
		return probe.end - probe.at < PB_VARINT_MAX ? STEP_CUT : STEP_BAD;
	if (tag >> 3 == 0 || tag >> 3 > PB_FIELD_MAX || (tag & 7) == PB_GROUP || (tag & 7) > PB_FIXED32 ||
	    (tag & 7) == PB_GROUP_END)
		return STEP_BAD;
	if (((tag & 7) == PB_BYTES || (tag & 7) == PB_VARINT) && !pb_get_varint(&probe, &tag) &&
	    probe.end - probe.at >= PB_VARINT_MAX)
		return STEP_BAD;
	return STEP_CUT;
}

/* Whether the remaining bytes of a truncated packet can be one. */
static bool looks_like_a_packet(struct pb_in in)
{
	struct pb_in packet;
	struct pb_field field;
	uint64_t tag, size;

	if (!pb_get_varint(&in, &tag) || !pb_get_varint(&in, &size))
		return true;
	while (pb_next(&in, &field) > 0)
		if (field.number > MAX_FIELD)
			return false;
	return next_packet(&in, &packet) != STEP_BAD;
}

static int read_packets(struct reader *reader, struct pb_in in)
{
	const uint8_t *start = in.at;
	struct pb_in packet;

	for (;;) {
		int result = reader->state.is_in_order ? perfetto_quick_read(reader, &in) : 0;
		uint64_t at = (uint64_t)(in.at - start);
		enum step step = result ? STEP_BAD : next_packet(&in, &packet);

		if (!reader->is_inside)
			reader->result->at = at;
		if (result)
			return err_wrap(reader->err, "at byte %llu", (unsigned long long)at), -1;
		if (step == STEP_END)
			return 0;
		if (step == STEP_CUT && !reader->is_inside) {
			if (!reader->result->n_packets && !looks_like_a_packet(in))
				step = STEP_BAD;
			reader->result->is_cut = step == STEP_CUT;
			reader->result->cut_at = at;
			if (step == STEP_CUT)
				return 0;
		}
		if (step == STEP_CUT || step == STEP_BAD)
			return err_set(reader->err, EBADMSG, "at byte %llu: there is no packet",
				       (unsigned long long)at);
		if (step == STEP_PACKET && read_packet(reader, packet)) {
			err_wrap(reader->err, "at byte %llu", (unsigned long long)at);
			return -1;
		}
	}
}

/* Makes room for the whole bundle; 0, or -1 and err. */
static int grow_bundle(struct reader *reader)
{
	size_t room = reader->bundle_room ? reader->bundle_room * 2 : FIRST_BUNDLE;
	uint8_t *bundle;

	if (room > MAX_BUNDLE)
		return err_set(reader->err, EBADMSG, "its compressed packets become more than %d MiB",
			       MAX_BUNDLE >> 20);
	bundle = realloc(reader->bundle, room);
	if (!bundle)
		return perfetto_state_out_of_memory(reader->err);
	reader->bundle = bundle;
	reader->bundle_room = room;
	return 0;
}

/* A head of zlib or gzip. */
static bool looks_deflated(struct pb_in in)
{
	return in.end - in.at > 2 && (((in.at[0] & 15) == 8 && (in.at[0] << 8 | in.at[1]) % 31 == 0) ||
				      (in.at[0] == 0x1f && in.at[1] == 0x8b));
}

static int inflate_bundle(struct reader *reader, struct pb_in in, size_t *len)
{
	size_t size = (size_t)(in.end - in.at);
	bool is_gzip = size && in.at[0] == 0x1f;
	enum libdeflate_result result = LIBDEFLATE_INSUFFICIENT_SPACE;

	if (!reader->inflate && !(reader->inflate = libdeflate_alloc_decompressor()))
		return perfetto_state_out_of_memory(reader->err);
	reader->has_bundles |= looks_deflated(in);
	if (!reader->bundle_room && grow_bundle(reader))
		return -1;
	while (result == LIBDEFLATE_INSUFFICIENT_SPACE) {
		result = is_gzip ? libdeflate_gzip_decompress(reader->inflate, in.at, size, reader->bundle,
							      reader->bundle_room, len)
				 : libdeflate_zlib_decompress(reader->inflate, in.at, size, reader->bundle,
							      reader->bundle_room, len);
		if (result == LIBDEFLATE_INSUFFICIENT_SPACE && grow_bundle(reader))
			return -1;
	}
	if (result != LIBDEFLATE_SUCCESS)
		return err_set(reader->err, EBADMSG, "its compressed packets do not inflate");
	return 0;
}

/* The same, of zstd. */
static int unpack_bundle(struct reader *reader, struct pb_in in, size_t *len)
{
	static const uint8_t magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
	size_t size = (size_t)(in.end - in.at);

	reader->has_bundles |= size >= sizeof magic && !memcmp(in.at, magic, sizeof magic);
	if (!reader->bundle_room && grow_bundle(reader))
		return -1;
	for (;;) {
		*len = ZSTD_decompress(reader->bundle, reader->bundle_room, in.at, size);
		if (!ZSTD_isError(*len))
			return 0;
		if (ZSTD_getErrorCode(*len) != ZSTD_error_dstSize_tooSmall)
			return err_set(reader->err, EBADMSG, "its packets cannot be decompressed by zstd: %s",
				       ZSTD_getErrorName(*len));
		if (grow_bundle(reader))
			return -1;
	}
}

static int read_bundle(struct reader *reader, struct pb_in in, decompress_fn decompress)
{
	size_t len = 0;
	int result;

	if (reader->is_inside)
		return err_set(reader->err, EBADMSG, "it has compressed packets inside compressed packets");
	if (in.end - in.at > MAX_BUNDLE)
		return err_set(reader->err, EBADMSG, "its compressed packets are more than %d MiB", MAX_BUNDLE >> 20);
	if (decompress(reader, in, &len))
		return -1;
	reader->is_inside = true;
	result = read_packets(reader, pb_in(reader->bundle, len));
	reader->is_inside = false;
	return result ? err_wrap(reader->err, "in its compressed packets"), -1 : 0;
}

static int read_all(struct reader *reader, const void *data, size_t size)
{
	int result;

	if (!size)
		return err_set(reader->err, ENODATA, "the file is empty; nothing was recorded into it");
	result = read_packets(reader, pb_in(data, size));
	if (!reader->result->n_packets && !reader->has_bundles && (result || !reader->result->is_cut) &&
	    reader->err->code != ENOMEM && reader->err->code != ENOTSUP)
		return err_set(reader->err, EBADMSG, "not a Perfetto trace");
	if (!result && !reader->state.is_in_order)
		result = perfetto_sort_emit(&reader->sorter, &reader->state, &reader->result->n_skipped, reader->err);
	return result ? -reader->err->code : 0;
}

int perfetto_read(const void *data, size_t size, struct sink *out, struct perfetto_read_result *result, struct err *err)
{
	struct perfetto_read_result no_result;
	struct err no_err = { 0 };
	struct reader reader = { .state.out = out, .result = result ? result : &no_result, .err = err ? err : &no_err };
	int code;

	*reader.result = (struct perfetto_read_result){ 0 };
	*reader.err = (struct err){ 0 };
	code = read_all(&reader, data, size);
	reader.result->n_late = reader.state.n_late;
	reader.result->has_realtime = reader.state.has_realtime;
	reader.result->realtime_ns = reader.state.realtime_ns;
	if (reader.inflate)
		libdeflate_free_decompressor(reader.inflate);
	free(reader.bundle);
	free(reader.known);
	perfetto_sort_done(&reader.sorter);
	perfetto_state_done(&reader.state);
	return code;
}
