// SPDX-License-Identifier: Apache-2.0
/* Rows of a profile, added to a recording that is written and read back with the normal code. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases.h"
#include "experiment/model_in.h"
#include "trace/perfetto/perfetto_write.h"

enum { RUN_NS = 60000, GAP_NS = 40000, MAX_SLICES = 64 };

static char path[] = "/tmp/inftrace-place-XXXXXX";

/* A process with one thread, on which n operators called name ran, RUN_NS each, one after the other or overlapping. */
static void write_slices(enum event_kind kind, const char *name, const char *provider, int n, bool overlap)
{
	struct names *names = names_new();
	uint32_t last_track = 0;
	int fd = open(path, O_WRONLY | O_TRUNC);
	struct perfetto_writer *writer = perfetto_write_new(fd, names, &last_track, NULL, NULL);
	struct sink *sink = perfetto_write_sink(writer);
	struct track_def process = {
		.type = TRACK_PROCESS, .pid = 77, .name = names_of(names, "program"), .start_ns = 5
	};
	struct event event = { .type = EVENT_TRACK, .track = sink_new_track(sink), .def = &process };
	uint32_t process_track = event.track;

	assert_int_equal(sink_put(sink, &event, NULL), 0);
	for (int i = 0; i < n; i++) {
		struct track_def thread = { .type = TRACK_THREAD, .parent = process_track, .pid = 77, .tid = 78 + i };
		uint64_t begin_ns = 1000000 + (uint64_t)i * (overlap ? RUN_NS / 2 : RUN_NS + GAP_NS);
		struct arg args[] = { arg_text(KEY_PROVIDER, sink, provider), arg_int(KEY_INFERENCE, i + 1) };
		uint32_t track = sink_new_track(sink);

		event = (struct event){ .type = EVENT_TRACK, .track = track, .def = &thread };
		assert_int_equal(sink_put(sink, &event, NULL), 0);
		event = (struct event){ .type = EVENT_BEGIN,
					.kind = kind,
					.track = track,
					.time_ns = begin_ns,
					.name = names_of(names, name),
					.args = args,
					.n_args = 2 };
		assert_int_equal(sink_put(sink, &event, NULL), 0);
		event = (struct event){ .type = EVENT_END, .track = track, .time_ns = begin_ns + RUN_NS };
		assert_int_equal(sink_put(sink, &event, NULL), 0);
	}
	assert_int_equal(perfetto_write_free(writer, NULL), 0);
	close(fd);
	names_free(names);
}

static void write_recording(const char *name, const char *provider, int n, bool overlap)
{
	write_slices(KIND_OPERATOR, name, provider, n, overlap);
}

struct placed {
	struct recording recording; /* read back, with the added rows */
	struct model_placed result;
	const struct store_track *track[MAX_SLICES];
	size_t row[MAX_SLICES], n; /* of kernels */
	uint32_t n_processes, n_lanes;
};

static void find(struct placed *placed)
{
	const struct store *store = placed->recording.store;

	for (uint32_t id = 1; id <= store_n_tracks(store); id++) {
		const struct store_track *track = store_track(store, id);

		placed->n_processes += track->def.type == TRACK_PROCESS;
		placed->n_lanes += track->def.type == TRACK_LANE;
		if (track->def.type == TRACK_LANE)
			assert_int_equal(store_track(store, store_process_of(store, id))->def.pid, 77);
		for (size_t row = 0; row < track->slices.n; row++)
			if (track->slices.kind[row] == KIND_KERNEL && placed->n < MAX_SLICES) {
				placed->track[placed->n] = track;
				placed->row[placed->n++] = row;
			}
	}
	assert_int_equal(
	    store_counts(store)->n_disordered + store_counts(store)->n_unmatched + store_counts(store)->n_open, 0);
}

static struct placed place(const char *data, const char *provider,
			   int (*import)(struct device_profile *, struct names *, const char *, size_t, struct err *))
{
	struct placed placed = { 0 };
	struct device_profile profile;
	struct recording recording;
	struct err err;
	char file_path[500], text[8192];
	FILE *file;

	snprintf(file_path, sizeof file_path, "%s/data/%s", TEST_DIR, data);
	file = fopen(file_path, "r");
	assert_non_null(file);
	assert_int_equal(recording_open(&recording, path, &err), 0);
	assert_int_equal(import(&profile, recording.names, text, fread(text, 1, sizeof text, file), &err), 0);
	fclose(file);
	assert_int_equal(model_place(&recording, path, &profile, provider, &placed.result, &err), 0);
	device_profile_done(&profile);
	recording_close(&recording);
	assert_int_equal(recording_open(&placed.recording, path, &err), 0);
	find(&placed);
	return placed;
}

static void expect(const struct placed *placed, size_t i, const char *name, uint64_t begin_ns, uint64_t end_ns)
{
	const struct store_slices *slices = &placed->track[i]->slices;

	assert_string_equal(names_text(placed->recording.names, slices->name[placed->row[i]]), name);
	assert_int_equal(slices->begin_ns[placed->row[i]], begin_ns);
	assert_int_equal(slices->end_ns[placed->row[i]], end_ns);
}

static const struct arg *argument(const struct placed *placed, size_t i, enum event_key key)
{
	return store_slice_arg(placed->recording.store, placed->track[i], placed->row[i], key);
}

TEST(what_a_device_did_lies_in_its_inference)
{
	struct placed placed;

	write_slices(KIND_INFERENCE, "m", "WebGpuExecutionProvider", 3, false);
	placed = place("ort_profile/good/inferences.json", "WebGpuExecutionProvider", device_profile_ort);
	assert_int_equal(placed.result.n_slices, 3);
	assert_string_equal(placed.result.why_not, "the profile does not say in which inferences 2 kernels ran");
	assert_int_equal(placed.n_lanes, 1);
	expect(&placed, 0, "conv_1", 1005000, 1035000);
	expect(&placed, 1, "soft", 1040000, 1050000);
	expect(&placed, 2, "conv_1", 1210000, 1230000);
	recording_close(&placed.recording);
	/* another number of inferences: they cannot be matched */
	write_slices(KIND_INFERENCE, "m", "WebGpuExecutionProvider", 2, false);
	placed = place("ort_profile/good/inferences.json", "WebGpuExecutionProvider", device_profile_ort);
	assert_int_equal(placed.result.n_slices, 0);
	recording_close(&placed.recording);
}

TEST(kernels_lie_where_the_profile_says)
{
	struct placed placed;

	write_recording("Fused_0", "OpenVINOExecutionProvider", 2, false);
	placed = place("ort_profile/good/kernels.json", "OpenVINOExecutionProvider", device_profile_ort);
	assert_int_equal(placed.result.n_slices, 4);
	assert_string_equal(placed.result.why_not, "");
	assert_int_equal(placed.n, 4);
	assert_int_equal(placed.n_processes, 1);
	assert_int_equal(placed.n_lanes, 2); /* two at a time in the second execution */
	expect(&placed, 0, "conv", 1002000, 1042000);
	expect(&placed, 1, "relu", 1042000, 1052000);
	expect(&placed, 2, "conv", 1103000, 1153000);
	expect(&placed, 3, "relu", 1103000, 1133000);
	assert_string_equal(names_text(placed.recording.names, store_text(argument(&placed, 3, KEY_IMPLEMENTATION))),
			    "jit_avx2");
	assert_int_equal(placed.track[3]->slices.inference[placed.row[3]], 2);
	assert_null(argument(&placed, 0, KEY_REPORTED_NS));
	recording_close(&placed.recording);
}

TEST(what_is_longer_than_its_operator_is_cut)
{
	struct placed placed;

	write_recording("name", "QNNExecutionProvider", 2, false);
	placed = place("qnn_csv/good/cpu.csv", "QNNExecutionProvider", device_profile_qnn);
	assert_int_equal(placed.n, 6);
	expect(&placed, 0, "first", 1000000, 1020000);
	expect(&placed, 1, "second", 1020000, 1029000);
	expect(&placed, 2, "third", 1029000, 1029000);
	expect(&placed, 3, "first", 1100000, 1160000);
	expect(&placed, 4, "second", 1160000, 1160000);
	assert_int_equal(store_int(argument(&placed, 4, KEY_REPORTED_NS), 0), 9000);
	recording_close(&placed.recording);
}

TEST(cycles_share_the_execution)
{
	struct placed placed;

	write_recording("name", "QNNExecutionProvider", 2, false);
	placed = place("qnn_csv/good/htp.csv", "QNNExecutionProvider", device_profile_qnn);
	assert_int_equal(placed.n, 10);
	expect(&placed, 0, "Input OpId_2", 1000000,
	       1000600); /* 10 of 1000 cycles in 60 us: the operator is shorter than 100 */
	expect(&placed, 1, "first", 1000600, 1036600);
	expect(&placed, 4, "Output OpId_3", 1054600, 1060000);
	assert_int_equal(store_int(argument(&placed, 1, KEY_CYCLES), 0), 600);
	assert_true(argument(&placed, 1, KEY_SHARE)->real == 0.6);
	recording_close(&placed.recording);
}

TEST(what_is_not_known_is_not_placed)
{
	struct placed placed;

	write_recording("name", "QNNExecutionProvider", 3, false);
	placed = place("qnn_csv/good/htp.csv", "QNNExecutionProvider", device_profile_qnn);
	assert_int_equal(placed.n + placed.n_lanes, 0);
	assert_string_equal(placed.result.why_not,
			    "its profile has 2 executions and the recording 3: which is which is not known");
	recording_close(&placed.recording);
	write_recording("name", "QNNExecutionProvider", 2, true);
	placed = place("qnn_csv/good/htp.csv", "QNNExecutionProvider", device_profile_qnn);
	assert_int_equal(placed.n + placed.n_lanes, 0);
	assert_non_null(strstr(placed.result.why_not, "overlap"));
	recording_close(&placed.recording);
	write_recording("name", "OtherExecutionProvider", 2, false);
	placed = place("qnn_csv/good/htp.csv", "QNNExecutionProvider", device_profile_qnn);
	assert_int_equal(placed.n + placed.n_lanes, 0);
	recording_close(&placed.recording);
}

static int make(void **state)
{
	int fd = mkstemp(path);

	close(fd);
	return fd < 0;
}

static int drop(void **state)
{
	return unlink(path);
}

TEST_GROUP(make, drop)
