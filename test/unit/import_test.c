// SPDX-License-Identifier: Apache-2.0
/* Importers: recognising the format of a file, and reading profiles written by real tools. */
#include "trace/import/import.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "analyze/store/store.h"
#include "cases.h"

struct read {
	struct import import;
	struct names *names;
	uint32_t last_track;
	struct store *store;
	struct err err;
	int code;
};

static struct read read_path(const char *path)
{
	struct read read = { .names = names_new() };

	read.code = import_open(&read.import, path, &read.err);
	return read;
}

/* The store keeps the address of the number of tracks, so it is made in place. */
static void keep(struct read *read)
{
	assert_int_equal(read->code, 0);
	read->store = store_new(read->names, &read->last_track);
	read->code = import_read(&read->import, store_sink(read->store), &read->err);
	assert_string_equal(read->code ? read->err.msg : "", "");
}

static void done(struct read *read)
{
	store_free(read->store);
	names_free(read->names);
	import_close(&read->import);
}

static struct read read_data(const char *name)
{
	char path[500];

	snprintf(path, sizeof path, "%s/data/%s", TEST_DIR, name);
	return read_path(path);
}

static void start(struct read *read, const char *file)
{
	*read = read_data(file);
	keep(read);
}

static uint64_t count_slices(const struct read *read, enum event_kind kind)
{
	uint64_t n = 0;

	for (uint32_t id = 1; id <= store_n_tracks(read->store); id++) {
		const struct store_track *track = store_track(read->store, id);

		for (size_t row = 0; track && row < track->slices.n; row++)
			n += track->slices.kind[row] == kind;
	}
	return n;
}

/* The nth slice of a kind, in the order of tracks. */
static const struct store_track *find(const struct read *read, enum event_kind kind, size_t n, size_t *row)
{
	for (uint32_t id = 1; id <= store_n_tracks(read->store); id++) {
		const struct store_track *track = store_track(read->store, id);

		for (*row = 0; track && *row < track->slices.n; ++*row)
			if (track->slices.kind[*row] == kind && !n--)
				return track;
	}
	fail_msg("no such slice");
	return NULL;
}

static const char *text_of(const struct read *read, const struct store_track *track, size_t row, enum event_key key)
{
	return names_text(read->names, store_text(store_slice_arg(read->store, track, row, key)));
}

static uint64_t count_text(const struct read *read, const char *text)
{
	const char *at = read->import.input.data, *end = at + read->import.input.size;
	uint64_t n = 0;

	for (; (at = memmem(at, (size_t)(end - at), text, strlen(text))); at++)
		n++;
	return n;
}

static glob_t all(const char *pattern)
{
	char path[500];
	glob_t found;

	snprintf(path, sizeof path, "%s/data/%s", TEST_DIR, pattern);
	assert_int_equal(glob(path, 0, NULL, &found), 0);
	return found;
}

TEST(each_format_is_recognised_by_one_importer_alone)
{
	static const struct {
		const char *pattern, *name;
	} formats[] = {
		{ "pftrace/good/*", "perfetto" }, { "ort_profile/good/*", "ort-profile" },
		{ "qnn_csv/good/*", "qnn-csv" },  { "aic_latency/good/*", "aic-latency" },
		{ "chrome/good/*", "chrome" },
	};

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		glob_t files = all(formats[i].pattern);

		for (size_t file = 0; file < files.gl_pathc; file++) {
			struct read read = read_path(files.gl_pathv[file]);
			int n = 0;

			assert_int_equal(read.code, 0);
			assert_string_equal(read.import.format->name, formats[i].name);
			for (const struct importer *const *importer = importers; *importer; importer++)
				n += (*importer)->sniff(read.import.input.data, read.import.input.size < IMPORT_SNIFF
										    ? read.import.input.size
										    : IMPORT_SNIFF);
			assert_int_equal(n, 1);
			done(&read);
		}
		globfree(&files);
	}
}

TEST(every_inference_and_operator_of_a_profile_is_there)
{
	glob_t files = all("ort_profile/good/ort*.json");

	assert_in_range(files.gl_pathc, 14, 100);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct read read = read_path(files.gl_pathv[i]);
		const struct store_counts *counts;

		keep(&read);
		counts = store_counts(read.store);
		assert_int_equal(count_slices(&read, KIND_SESSION), 1);
		assert_int_equal(count_slices(&read, KIND_LOAD), 1);
		assert_int_equal(count_slices(&read, KIND_INFERENCE), count_text(&read, "\"model_run\""));
		assert_int_equal(count_slices(&read, KIND_OPERATOR), count_text(&read, "_kernel_time\",\"args\""));
		assert_int_equal(count_slices(&read, KIND_KERNEL),
				 count_text(&read, "\"Kernel\"") + count_text(&read, "\"Api\""));
		assert_int_equal(counts->n_open + counts->n_disordered + counts->n_unmatched + counts->n_untracked, 0);
		assert_int_equal(read.import.result.n_late, 0);
		assert_false(read.import.result.is_cut);
		done(&read);
	}
	globfree(&files);
}

#define CASE(name, file) TEST_OF(name, struct read, read, start(read, file), done(read))

CASE(an_operator_has_its_type_provider_shapes_bytes_and_inference, "ort_profile/good/ort1.22.1-cpu-squeezenet.json")
{
	const struct store_track *track;
	size_t row;

	track = find(read, KIND_OPERATOR, 0, &row);
	assert_int_equal(track->def.type, TRACK_THREAD);
	assert_int_equal(track->def.tid, 11435);
	assert_string_equal(names_text(read->names, track->slices.name[row]), "r1_nchwc");
	assert_string_equal(text_of(read, track, row, KEY_OP_TYPE), "Conv");
	assert_string_equal(text_of(read, track, row, KEY_PROVIDER), "CPUExecutionProvider");
	assert_string_equal(text_of(read, track, row, KEY_SHAPES),
			    "float32[1x3x224x224],float32[64x3x3x3],float32[64]->float32[1x64x111x111]");
	assert_int_equal(store_int(store_slice_arg(read->store, track, row, KEY_BYTES), 0), 602112 + 7168 + 3154176);
	assert_int_equal(track->slices.inference[row], 1);
	track = find(read, KIND_INFERENCE, 1, &row);
	assert_int_equal(store_int(store_slice_arg(read->store, track, row, KEY_ID), 0), 2);
	assert_null(store_slice_arg(read->store, track, row, KEY_FIRST));
	assert_null(store_slice_arg(read->store, track, row, KEY_STATUS)); /* failed ones are there, too */
}

CASE(kernels_of_a_device_lie_on_lanes_below_their_provider,
     "ort_profile/good/ort1.31.1-openvino-plugin1.8.1-split.json")
{
	const struct store_track *track, *group;
	size_t row;

	assert_int_equal(count_slices(read, KIND_KERNEL), 15);
	track = find(read, KIND_KERNEL, 0, &row);
	group = store_track(read->store, track->def.parent);
	assert_int_equal(track->def.type, TRACK_LANE);
	assert_string_equal(names_text(read->names, group->def.name), "OpenVINOExecutionProvider");
	assert_string_equal(text_of(read, track, row, KEY_OP_TYPE), "Reorder");
	assert_string_equal(text_of(read, track, row, KEY_IMPLEMENTATION), "jit_uni_f32");
	assert_int_equal(track->slices.inference[row], 1);
}

CASE(what_cannot_be_read_is_a_loss, "ort_profile/bad/damaged.json")
{
	const struct store_instant *instants;
	size_t n, n_lost = 0;

	instants = store_instants(read->store, &n);
	for (size_t i = 0; i < n; i++)
		if (instants[i].kind == KIND_LOST)
			n_lost += (size_t)store_int(store_arg(read->store, instants[i].args, KEY_COUNT), 0);
	assert_int_equal(n_lost, 1);
	assert_int_equal(count_slices(read, KIND_OPERATOR), 1);
}

/* The kernel's operator begins the flow that goes on in the kernel. "": in none. */
static const char *operator_of(const struct read *read, const struct store_track *track, size_t row, int64_t *inference)
{
	const char *name = text_of(read, track, row, KEY_OPERATOR);

	*inference = track->slices.inference[row];
	return name;
}

/* The device is behind: the second inference launches a kernel while those of the first one run. */
TEST(kernels_are_tied_to_the_operator_that_launched_them)
{
	static const struct {
		const char *kernel, *operator;
		int64_t inference;
	} expected[] = {
		{ "void implicit_convolve_sgemm<float, 1024>(int, int)", "conv", 1 },
		{ "add_bias", "conv", 1 },
		{ "relu", "relu", 1 },
		{ "MemcpyDeviceToHost", "", 0 },
		{ "void implicit_convolve_sgemm<float, 1024>(int, int)", "conv", 2 },
	};
	struct read read = read_data("ort_profile/good/cuda.json");

	keep(&read);
	assert_int_equal(count_slices(&read, KIND_KERNEL), 5);
	for (size_t i = 0; i < 5; i++) {
		const struct store_track *track;
		int64_t inference;
		size_t row;

		track = find(&read, KIND_KERNEL, i, &row);
		assert_string_equal(names_text(read.names, track->slices.name[row]), expected[i].kernel);
		assert_string_equal(operator_of(&read, track, row, &inference), expected[i].operator);
		assert_int_equal(inference, expected[i].inference);
	}
	done(&read);
	read = read_data("ort_profile/good/kernels.json"); /* by correlation id: two have the wrong name */
	keep(&read);
	for (size_t i = 0; i < 4; i++) {
		const struct store_track *track;
		int64_t inference;
		size_t row;

		track = find(&read, KIND_KERNEL, i, &row);
		assert_string_equal(operator_of(&read, track, row, &inference), "Fused_0");
		assert_int_equal(inference, i < 2 ? 0 : 1);
	}
	done(&read);
}

/* Versions before 1.31 do not escape names: their files are not JSON. */
TEST(names_are_what_the_model_calls_its_nodes_in_every_version)
{
	static const char *const names[] = {
		"plain",     "say \"hi\"", "back\\slash",      "dir\\", "brace } {", "com\",\"ma", "q\"}", "tab\there",
		"new\nline", "ünï",	   "x\",\"args\" : y", "\"",	"a}},",
	};
	glob_t files = all("ort_profile/good/ort*-odd-names.json");

	assert_int_equal(files.gl_pathc, 4);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		struct read read = read_path(files.gl_pathv[i]);

		keep(&read);
		assert_int_equal(count_slices(&read, KIND_INFERENCE), 2);
		assert_int_equal(count_slices(&read, KIND_OPERATOR), 2 * (sizeof names / sizeof *names + 1));
		for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
			const struct store_track *track;
			size_t row;

			track = find(&read, KIND_OPERATOR, n, &row);
			assert_string_equal(names_text(read.names, track->slices.name[row]), names[n]);
			assert_string_equal(text_of(&read, track, row, KEY_OP_TYPE), n % 2 ? "Sin" : "Cos");
		}
		done(&read);
	}
	globfree(&files);
}

CASE(operators_of_all_threads_belong_to_their_inference, "ort_profile/good/ort1.13.1-parallel-subgraph.json")
{
	uint64_t n;

	n = count_slices(read, KIND_OPERATOR);
	assert_int_equal(n, count_text(read, "_kernel_time\",\"args\""));
	for (size_t i = 0; i < n; i++) {
		size_t row;
		const struct store_track *track = find(read, KIND_OPERATOR, i, &row);

		assert_in_range(track->slices.inference[row], 1, 2);
	}
}

/* What a long profile becomes, without keeping it. */
struct tally {
	struct sink sink;
	uint64_t last_ns[20], n_inferences, n_operators, n_alone, n_disordered;
};

static int tally_put(struct sink *sink, const struct event *event, struct err *err)
{
	struct tally *tally = (struct tally *)sink;
	bool has_inference = false;

	assert_in_range(event->track, 1, 19);
	if (event->type == EVENT_TRACK)
		return 0;
	tally->n_disordered += event->time_ns < tally->last_ns[event->track];
	tally->last_ns[event->track] = event->time_ns;
	if (event->type != EVENT_BEGIN)
		return 0;
	for (size_t i = 0; i < event->n_args; i++)
		has_inference |= event->args[i].key == KEY_INFERENCE && event->args[i].integer > 0;
	tally->n_inferences += event->kind == KIND_INFERENCE;
	tally->n_operators += event->kind == KIND_OPERATOR;
	tally->n_alone += !has_inference;
	return 0;
}

/* Inferences of 100 operators of 10 us, in turns on several threads, as a file. */
static struct tally tally_profile(int n_inferences, int n_threads)
{
	size_t room = (size_t)n_inferences * 101 * 120 + 10;
	char *text = malloc(room), *at = text;
	struct import_bytes in = { text, 0, NULL };
	struct import_result result = { 0 };
	uint32_t last_track = 0;
	struct err err = { 0 };
	struct tally tally = { .sink = { tally_put, names_new(), &last_track } };

	at += sprintf(at, "[\n");
	for (int run = 0; run < n_inferences; run++) {
		int tid = 7 + run % n_threads, begin = run * 1001;

		for (int i = 0; i < 100; i++)
			at += sprintf(at,
				      "{\"cat\" : \"Node\",\"pid\" :7,\"tid\" :%d,\"dur\" :9,\"ts\" :%d,\"ph\" : \"X\","
				      "\"name\" :\"n%d_kernel_time\",\"args\" : {}},\n",
				      tid, begin + i * 10, i);
		at += sprintf(at,
			      "{\"cat\" : \"Session\",\"pid\" :7,\"tid\" :%d,\"dur\" :1000,\"ts\" :%d,\"ph\" : \"X\","
			      "\"name\" :\"model_run\",\"args\" : {}}%s\n",
			      tid, begin, run + 1 < n_inferences ? "," : "");
	}
	at += sprintf(at, "]\n");
	in.size = (size_t)(at - text);
	assert_in_range(in.size, 1, room);
	assert_int_equal(import_find(text, in.size)->read(&in, &tally.sink, &result, &err), 0);
	assert_false(result.is_cut);
	assert_int_equal(result.n_late, 0);
	names_free(tally.sink.names);
	free(text);
	return tally;
}

/* It is put in parts. */
TEST(a_long_profile_is_in_order)
{
	static const struct {
		int n_inferences, n_threads;
	} files[] = { { 2000, 1 }, { 10500, 2 } };

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct tally tally = tally_profile(files[i].n_inferences, files[i].n_threads);

		assert_int_equal(tally.n_inferences, files[i].n_inferences);
		assert_int_equal(tally.n_operators, files[i].n_inferences * 100);
		assert_int_equal(tally.n_alone, 0);
		assert_int_equal(tally.n_disordered, 0);
	}
}

/* Truncated at each byte: the part before is read, and the place is reported. */
TEST(a_profile_that_is_cut_off_is_read_up_to_there)
{
	struct read whole = read_data("ort_profile/good/kernels.json");
	struct import_bytes in = { whole.import.input.data, 0 };
	uint64_t last = 0;

	for (in.size = 10; in.size < whole.import.input.size - 2; in.size++) {
		struct import_result result = { 0 };
		struct read read = { .names = names_new() };
		uint64_t n;

		read.store = store_new(read.names, &read.last_track);
		assert_int_equal(whole.import.format->read(&in, store_sink(read.store), &result, &read.err), 0);
		n = store_counts(read.store)->n_slices;
		assert_true(result.is_cut && result.cut_at <= in.size && result.cut_at);
		assert_true(in.data[result.cut_at] == '{' || result.cut_at == in.size);
		assert_true(n >= last);
		last = n;
		done(&read);
	}
	assert_in_range(last, 7, 9);
	done(&whole);
}

TEST(an_event_may_span_lines)
{
	static const char text[] =
	    "[\n  {\n    \"cat\": \"Session\",\n    \"pid\": 7,\n    \"tid\": 7,\n    \"dur\": 5,\n"
	    "    \"ts\": 1,\n    \"name\": \"model_run\",\n    \"args\": {}\n  }, {\"cat\": \"Session\","
	    " \"pid\": 7, \"tid\": 7, \"dur\": 5, \"ts\": 9, \"name\": \"model_run\", \"args\": {}}\n]\n";
	struct import_bytes in = { text, sizeof text - 1 };
	const struct importer *importer = import_find(in.data, in.size);
	struct import_result result = { 0 };
	struct read read = { .names = names_new() };

	assert_non_null(importer);
	read.store = store_new(read.names, &read.last_track);
	assert_int_equal(importer->read(&in, store_sink(read.store), &result, &read.err), 0);
	assert_int_equal(count_slices(&read, KIND_INFERENCE), 2);
	assert_false(result.is_cut);
	done(&read);
}

/* An operator of zero length neither contains nor lies in one that begins in the same microsecond. */
TEST(operators_of_one_microsecond_are_neighbours)
{
	static const char text[] =
	    "[{\"cat\":\"Node\",\"pid\":7,\"tid\":7,\"dur\":0,\"ts\":5,\"name\":\"a_kernel_time\",\"args\":{}},\n"
	    "{\"cat\":\"Node\",\"pid\":7,\"tid\":7,\"dur\":3,\"ts\":5,\"name\":\"b_kernel_time\",\"args\":{}},\n"
	    "{\"cat\":\"Session\",\"pid\":7,\"tid\":7,\"dur\":6,\"ts\":4,\"name\":\"model_run\",\"args\":{}}]";
	struct import_bytes in = { text, sizeof text - 1 };
	struct import_result result = { 0 };
	struct read read = { .names = names_new() };
	const struct store_track *track;
	size_t row;

	read.store = store_new(read.names, &read.last_track);
	assert_int_equal(import_find(text, in.size)->read(&in, store_sink(read.store), &result, &read.err), 0);
	track = find(&read, KIND_OPERATOR, 1, &row);
	assert_string_equal(names_text(read.names, track->slices.name[row]), "b");
	assert_int_equal(track->slices.depth[row], 0);
	assert_int_equal(track->slices.end_ns[row] - track->slices.begin_ns[row], 3000);
	assert_int_equal(track->slices.inference[row], 1);
	done(&read);
}

CASE(executions_of_qnn_have_durations_and_lie_end_to_end, "qnn_csv/good/cpu.csv")
{
	const struct store_track *track;
	size_t row;

	assert_int_equal(count_slices(read, KIND_INFERENCE), 2);
	assert_int_equal(count_slices(read, KIND_OPERATOR), 6);
	track = find(read, KIND_INFERENCE, 1, &row);
	assert_int_equal(track->slices.begin_ns[row], 50000);
	assert_int_equal(track->slices.end_ns[row], 200000);
	track = find(read, KIND_OPERATOR, 0, &row);
	assert_string_equal(names_text(read->names, track->slices.name[row]), "first");
	assert_int_equal(track->slices.end_ns[row], 20000);
}

CASE(cycles_are_no_time, "qnn_csv/good/htp.csv")
{
	const struct store_instant *instants;
	size_t n, n_cycles = 0;

	assert_int_equal(count_slices(read, KIND_INFERENCE), 2);
	assert_int_equal(store_counts(read->store)->n_slices, 2);
	instants = store_instants(read->store, &n);
	for (size_t i = 0; i < n; i++)
		n_cycles += instants[i].kind == KIND_KERNEL &&
			    store_arg(read->store, instants[i].args, KEY_CYCLES) != NULL &&
			    store_arg(read->store, instants[i].args, KEY_SHARE) != NULL;
	assert_int_equal(n_cycles, 10);
}

static const struct store_instant *find_instant(const struct read *read, const char *name)
{
	const struct store_instant *instants;
	size_t n;

	instants = store_instants(read->store, &n);
	for (size_t i = 0; i < n; i++)
		if (!strcmp(names_text(read->names, instants[i].name), name))
			return &instants[i];
	return NULL;
}

static uint64_t n_lost(const struct read *read)
{
	const struct store_instant *instants;
	uint64_t n_events = 0;
	size_t n;

	instants = store_instants(read->store, &n);
	for (size_t i = 0; i < n; i++)
		if (instants[i].kind == KIND_LOST)
			n_events += (uint64_t)store_int(store_arg(read->store, instants[i].args, KEY_COUNT), 0);
	return n_events;
}

CASE(every_phase_of_chrome_has_its_meaning, "chrome/good/all-phases.json")
{
	static const struct {
		const char *name;
		uint64_t begin_ns, end_ns;
		uint32_t depth;
	} slices[] = {
		/* of the thread, in the order of time */
		{ "outer", 10125, 20500, 0 },
		{ "inner", 12000, 15000, 1 },
		{ "second \"half\"", 30000, 34500, 0 },
	};
	const struct store_track *track = NULL;
	size_t row;

	for (size_t i = 0; i < sizeof slices / sizeof *slices; i++) {
		for (size_t n = 0; !track || strcmp(names_text(read->names, track->slices.name[row]), slices[i].name);
		     n++)
			track = find(read, KIND_USER, n, &row);
		assert_int_equal(track->def.type, TRACK_THREAD);
		assert_int_equal(track->def.tid, 6);
		assert_int_equal(track->slices.begin_ns[row], slices[i].begin_ns);
		assert_int_equal(track->slices.end_ns[row], slices[i].end_ns);
		assert_int_equal(track->slices.depth[row], slices[i].depth);
		assert_string_equal(text_of(read, track, row, KEY_CATEGORY), "work");
		track = NULL;
	}
	assert_int_equal(count_slices(read, KIND_USER), 8); /* and 3 asynchronous, a job, and one without end */
	assert_int_equal(store_counts(read->store)->n_open, 1);
	assert_int_equal(store_counts(read->store)->n_samples, 4);
	assert_non_null(find_instant(read, "tick"));
	assert_non_null(find_instant(read, "tock"));
	assert_non_null(find_instant(read, EVENT_NOTE_LEFT_OUT)); /* the object */
	assert_int_equal(n_lost(read), 3); /* an end without begin, an event without phase, a time before the first */
	assert_false(read->import.result.is_cut);
}

TEST(steps_of_pytorch_are_inferences)
{
	struct read read = read_data("chrome/good/steps.json");
	const struct store_track *track;
	size_t row;

	keep(&read);
	assert_int_equal(count_slices(&read, KIND_INFERENCE), 2);
	assert_int_equal(count_slices(&read, KIND_OPERATOR), 2);
	assert_int_equal(count_slices(&read, KIND_KERNEL), 2);
	assert_int_equal(count_slices(&read, KIND_USER), 2);
	track = find(&read, KIND_OPERATOR, 1, &row);
	assert_string_equal(text_of(&read, track, row, KEY_OP_TYPE), "aten::mm");
	assert_int_equal(track->slices.inference[row], 2);
	track = find(&read, KIND_KERNEL, 0, &row);
	assert_string_equal(names_text(read.names, track->def.name), "stream 7");
	assert_string_equal(names_text(read.names, store_track(read.store, track->def.parent)->def.name),
			    "python: GPU 0");
	assert_string_equal(text_of(&read, track, row, KEY_OP_TYPE), "aten::mm"); /* by its External id */
	assert_int_equal(track->slices.inference[row], 2);
	track = find(&read, KIND_KERNEL, 1, &row);
	assert_int_equal(track->slices.inference[row], 2); /* it has none: by time */
	done(&read);
	read = read_data("chrome/good/kineto-torch2.15.json"); /* without steps: all is one */
	keep(&read);
	assert_int_equal(count_slices(&read, KIND_INFERENCE), 1);
	assert_int_equal(count_slices(&read, KIND_OPERATOR), count_text(&read, "\"cpu_op\""));
	track = find(&read, KIND_OPERATOR, 109, &row);
	assert_int_equal(track->slices.inference[row], 1);
	done(&read);
}

/* As trace_processor has it: 10 us, and packets of 18, 7 and 5 us. */
CASE(packets_without_events_advance_an_incremental_clock, "pftrace/good/passing_time.pftrace")
{
	const struct store_track *track;
	size_t row;

	track = find(read, KIND_NONE, 0, &row);
	assert_int_equal(track->slices.begin_ns[row], 5010000);
	assert_int_equal(track->slices.end_ns[row], 5040000);
}

TEST(packets_compressed_by_zstd_are_read)
{
	struct read plain = read_data("pftrace/good/threads.pftrace"),
		    read = read_data("pftrace/good/zstd_packets.pftrace");

	keep(&plain);
	keep(&read);
	assert_int_equal(store_counts(read.store)->n_slices, 1);
	assert_int_equal(store_counts(read.store)->n_instants, store_counts(plain.store)->n_instants);
	assert_int_equal(store_counts(read.store)->n_samples, store_counts(plain.store)->n_samples);
	assert_int_equal(store_n_tracks(read.store), store_n_tracks(plain.store));
	done(&read);
	done(&plain);
}

/* As many as the file has; trace_processor finds the same. */
CASE(a_trace_of_chromium_is_complete, "chrome/good/chromium.json")
{
	assert_int_equal(store_counts(read->store)->n_slices, count_text(read, "\"ph\":\"X\"") +
								  count_text(read, "\"ph\":\"b\"") +
								  count_text(read, "\"ph\":\"B\""));
	assert_int_equal(store_counts(read->store)->n_disordered + store_counts(read->store)->n_untracked, 0);
}

TEST(damage_is_told_with_its_byte)
{
	char path[500]; /* which the importer keeps */
	struct read read;

	snprintf(path, sizeof path, "%s/data/chrome/bad/no_event.json", TEST_DIR);
	read = read_path(path);
	assert_int_equal(read.code, 0);
	read.store = store_new(read.names, &read.last_track);
	assert_int_equal(import_read(&read.import, store_sink(read.store), &read.err), -EBADMSG);
	assert_non_null(strstr(read.err.msg, "no_event.json: at byte 18: not JSON, in event 1"));
	done(&read);
	read = read_data("chrome/bad/cut.json");
	keep(&read);
	assert_true(read.import.result.is_cut);
	assert_in_range(count_slices(&read, KIND_INFERENCE), 1, 2);
	done(&read);
}

static const char *loss_of(const struct read *read)
{
	const struct store_instant *instants;
	size_t n;

	instants = store_instants(read->store, &n);
	for (size_t i = 0; i < n; i++)
		if (instants[i].kind == KIND_LOST)
			return names_text(read->names, store_text(store_arg(read->store, instants[i].args, KEY_WHERE)));
	return "";
}

/* A name with quotes, NaN, a comma too few, and an event that is lost with its line. */
TEST(one_damaged_event_is_passed_over)
{
	struct read read = read_data("chrome/bad/damaged.json"), whole = read_data("chrome/good/all-phases.json");

	keep(&read);
	keep(&whole);
	assert_string_equal(loss_of(&read), "in the trace: not JSON, first at byte 118");
	assert_int_equal(store_counts(read.store)->n_slices, store_counts(whole.store)->n_slices - 1);
	assert_false(read.import.result.is_cut);
	done(&read);
	done(&whole);
	read = read_data("chrome/bad/careless.json");
	keep(&read);
	assert_string_equal(loss_of(&read), "in the trace: not JSON, first at byte 200");
	assert_int_equal(store_counts(read.store)->n_slices, 4);
	done(&read);
	read = read_data("chrome/bad/damaged_end.json");
	keep(&read);
	assert_true(read.import.result.is_cut);
	assert_int_equal(read.import.result.cut_at, 109);
	assert_int_equal(store_counts(read.store)->n_slices, 1);
	done(&read);
}

static char *write_file(const char *data, size_t size, bool is_gzip)
{
	char *path = strdup("/tmp/inftrace-import-XXXXXX");
	int fd = mkstemp(path);
	gzFile file;

	assert_true(fd >= 0);
	if (!is_gzip) {
		assert_int_equal(write(fd, data, size), size);
		close(fd);
		return path;
	}
	file = gzdopen(fd, "w");
	assert_int_equal(gzwrite(file, data, (unsigned)size), size);
	gzclose(file);
	return path;
}

/* 100 slices inside each other, the first one with a name of 10,000 letters. */
TEST(deep_slices_and_long_names_are_bounded)
{
	char name[10001] = "", *text = NULL, *path;
	struct read read;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	const struct store_instant *instants;
	int64_t n_lost = 0;
	size_t n;

	memset(name, 'n', sizeof name - 1);
	fputc('[', file);
	for (int i = 0; i < 100; i++)
		fprintf(file, "{\"name\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d}%s",
			i ? "inner" : name, i, 1000 - 2 * i, i < 99 ? "," : "]");
	fclose(file);
	path = write_file(text, size, false);
	read = read_path(path);
	keep(&read);
	assert_int_equal(count_slices(&read, KIND_USER), 64);
	instants = store_instants(read.store, &n);
	for (size_t i = 0; i < n; i++)
		if (instants[i].kind == KIND_LOST)
			n_lost += store_arg(read.store, instants[i].args, KEY_COUNT)->integer;
	assert_int_equal(n_lost, 36);
	done(&read);
	unlink(path);
	free(path);
	free(text);
}

TEST(a_mark_of_byte_order_is_no_part_of_a_text)
{
	static const char *const names[] = { "ort_profile/good/kernels.json", "chrome/good/all-phases.json",
					     "chrome/bad/cut.json", "qnn_csv/good/htp.csv",
					     "aic_latency/good/samples.txt" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct read plain = read_data(names[i]), read;
		size_t size = plain.import.input.size + 3;
		char *text = malloc(size), *path;

		memcpy(text, "\xef\xbb\xbf", 3);
		memcpy(text + 3, plain.import.input.data, size - 3);
		path = write_file(text, size, i % 2);
		read = read_path(path);
		keep(&plain);
		keep(&read);
		assert_ptr_equal(read.import.format, plain.import.format);
		assert_int_equal(store_counts(read.store)->n_slices, store_counts(plain.store)->n_slices);
		assert_int_equal(store_counts(read.store)->n_instants, store_counts(plain.store)->n_instants);
		assert_int_equal(read.import.result.is_cut, plain.import.result.is_cut);
		if (plain.import.result.is_cut)
			assert_int_equal(read.import.result.cut_at, plain.import.result.cut_at + 3);
		done(&plain);
		done(&read);
		unlink(path);
		free(path);
		free(text);
	}
}

TEST(a_compressed_file_is_what_it_holds)
{
	struct read plain = read_data("ort_profile/good/kernels.json");
	char *path = write_file(plain.import.input.data, plain.import.input.size, true), *half;
	struct read read = read_path(path);
	char data[4096];
	FILE *file = fopen(path, "r");
	size_t n = fread(data, 1, sizeof data, file);

	fclose(file);
	assert_int_equal(read.import.input.size, plain.import.input.size);
	keep(&read);
	assert_int_equal(count_slices(&read, KIND_KERNEL), 4);
	done(&read);
	half = write_file(data, n - 20, false);
	read = read_path(half);
	keep(&read);
	assert_true(read.import.result.is_cut);
	done(&read);
	unlink(half);
	free(half);
	data[n / 2] ^= 0x55;
	half = write_file(data, n, false);
	read = read_path(half);
	assert_true(read.code < 0 || read.import.input.is_cut);
	done(&read);
	unlink(half);
	unlink(path);
	free(half);
	free(path);
	done(&plain);
}

/* Little-endian, as zip has numbers. */
static size_t put_number(char *at, uint64_t value, int n)
{
	for (int i = 0; i < n; i++)
		at[i] = (char)(value >> 8 * i);
	return (size_t)n;
}

/* Adds a file to an archive; entry: where its entry of the list is made, which grows. Returns the bytes of the file. */
static size_t zip_add(char *at, size_t offset, const char *name, const char *text, size_t size, char **entry)
{
	z_stream stream = { .next_in = (Bytef *)text, .avail_in = (uInt)size, .avail_out = 8192 };
	size_t n_name = strlen(name), packed, head = 30 + n_name;

	stream.next_out = (Bytef *)at + head;
	assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	packed = stream.total_out;
	deflateEnd(&stream);
	memset(at, 0, 30);
	memcpy(at, "PK\3\4", 4);
	put_number(at + 8, 8, 2);
	put_number(at + 26, n_name, 2);
	memcpy(at + 30, name, n_name);
	memset(*entry, 0, 46);
	memcpy(*entry, "PK\1\2", 4);
	put_number(*entry + 10, 8, 2);
	put_number(*entry + 20, packed, 4);
	put_number(*entry + 24, size, 4);
	put_number(*entry + 28, n_name, 2);
	put_number(*entry + 42, offset, 4);
	memcpy(*entry + 46, name, n_name);
	*entry += 46 + n_name;
	return head + packed;
}

/* An archive with files of these names, all with the same text. */
static size_t zip_of(char *data, const char *const *names, const char *text, size_t size)
{
	char list[1024], *entry = list;
	size_t at = 0, begin;

	for (; *names; names++)
		at += zip_add(data + at, at, *names, text, size, &entry);
	begin = at;
	memcpy(data + at, list, (size_t)(entry - list));
	at += (size_t)(entry - list);
	memset(data + at, 0, 22);
	memcpy(data + at, "PK\5\6", 4);
	put_number(data + at + 12, (uint64_t)(entry - list), 4);
	put_number(data + at + 16, begin, 4);
	return at + 22;
}

static struct read read_bytes(const char *data, size_t size)
{
	char *path = write_file(data, size, false);
	struct read read = read_path(path);

	unlink(path);
	free(path);
	return read;
}

TEST(the_only_file_of_a_zip_archive_is_read)
{
	static const char *const one[] = { "folder/", "__MACOSX/x", "folder/p.json", NULL }, *const two[] = { "a", "b",
													      NULL };
	struct read plain = read_data("ort_profile/good/kernels.json");
	const char *text = plain.import.input.data;
	size_t size = plain.import.input.size, n;
	char data[32768];
	struct read read;

	n = zip_of(data, one, text, size);
	read = read_bytes(data, n);
	assert_int_equal(read.code, 0);
	assert_int_equal(read.import.input.size, size);
	assert_memory_equal(read.import.input.data, text, size);
	done(&read);
	for (size_t cut = 5; cut < n; cut += 7) {
		read = read_bytes(data, cut);
		assert_true(read.code < 0);
		done(&read);
	}
	for (size_t at = 4; at < n; at += 11) {
		data[at] ^= 0x55;
		read = read_bytes(data, n); /* must not crash */
		done(&read);
		data[at] ^= 0x55;
	}
	n = zip_of(data, two, text, size);
	read = read_bytes(data, n);
	assert_true(read.code < 0);
	assert_non_null(strstr(read.err.msg, "its zip archive has 2 files; unpack it, and give one of them"));
	done(&read);
	done(&plain);
}

/* {"traceEvents": [...]}, as viewers save it. */
TEST(a_profile_that_a_viewer_saved_is_one)
{
	static const char begin[] = "{\n \"schemaVersion\": 1, \"traceEvents\": ",
			  end[] = ",\"displayTimeUnit\":\"ms\"}";
	struct read plain = read_data("ort_profile/good/ort1.22.1-cpu-squeezenet.json"), read;
	size_t size = plain.import.input.size;
	char *text = malloc(size + sizeof begin + sizeof end);

	while (plain.import.input.data[size - 1] != ']')
		size--;
	strcpy(text, begin);
	memcpy(text + sizeof begin - 1, plain.import.input.data, size);
	strcpy(text + sizeof begin - 1 + size, end);
	read = read_bytes(text, sizeof begin - 1 + size + sizeof end - 1);
	keep(&plain);
	keep(&read);
	assert_ptr_equal(read.import.format, plain.import.format);
	assert_int_equal(store_counts(read.store)->n_slices, store_counts(plain.store)->n_slices);
	assert_int_equal(count_slices(&read, KIND_INFERENCE), count_slices(&plain, KIND_INFERENCE));
	assert_false(read.import.result.is_cut);
	done(&plain);
	done(&read);
	free(text);
}

/* Two frames, one to skip between them, and bytes behind them; cut off; damaged. */
TEST(zstd_is_read_like_gzip)
{
	struct read plain = read_data("ort_profile/good/kernels.json");
	const char *text = plain.import.input.data;
	size_t size = plain.import.input.size, n, half = size / 2;
	static const char skip[] = "\x50\x2a\x4d\x18\x03\x00\x00\x00xyz";
	char data[8192], *path;
	struct read read;

	n = ZSTD_compress(data, sizeof data, text, half, 3);
	memcpy(data + n, skip, sizeof skip - 1);
	n += sizeof skip - 1;
	n += ZSTD_compress(data + n, sizeof data - n, text + half, size - half, 3);
	memcpy(data + n, "behind", 6);
	path = write_file(data, n + 6, false);
	read = read_path(path);
	assert_int_equal(read.import.input.size, size);
	assert_memory_equal(read.import.input.data, text, size);
	assert_false(read.import.input.is_cut);
	done(&read);
	assert_int_equal(truncate(path, (off_t)n - 20), 0);
	read = read_path(path);
	keep(&read);
	assert_true(read.import.result.is_cut);
	done(&read);
	assert_int_equal(truncate(path, 12), 0);
	read = read_path(path);
	assert_true(read.code < 0);
	assert_non_null(strstr(read.err.msg, "its zstd data is cut off before the first block of it"));
	done(&read);
	unlink(path);
	free(path);
	data[30] ^= 0x55;
	path = write_file(data, n, false);
	read = read_path(path);
	assert_true(read.code < 0 || read.import.input.is_cut || read.import.input.size != size ||
		    memcmp(read.import.input.data, text, size));
	if (read.code)
		assert_non_null(strstr(read.err.msg, "at byte "));
	done(&read);
	unlink(path);
	free(path);
	done(&plain);
}

TEST(standard_input_may_be_a_pipe)
{
	struct read plain = read_data("qnn_csv/good/cpu.csv");
	int ends[2], before = dup(0);
	struct read read;

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], plain.import.input.data, plain.import.input.size), plain.import.input.size);
	close(ends[1]);
	dup2(ends[0], 0);
	close(ends[0]);
	read = read_path("-");
	dup2(before, 0);
	close(before);
	assert_string_equal(read.import.path, INPUT_STANDARD);
	keep(&read);
	assert_int_equal(count_slices(&read, KIND_INFERENCE), 2);
	done(&read);
	done(&plain);
}

/* What is told while a file is read. */
struct told {
	uint64_t n, n_events;
	double share;
};

static void hear(void *ctx, uint64_t n_events, double share)
{
	struct told *told = ctx;

	assert_true(n_events > told->n_events);
	assert_true(share > told->share && share <= 1);
	*told = (struct told){ told->n + 1, n_events, share };
}

/* Many recordings, one behind the other, are one. */
TEST(how_far_reading_is_is_told)
{
	enum { N = 2000, ROOM = 8192 };
	struct told told = { 0 };
	char from[500], *data = malloc(N * (size_t)ROOM), *path;
	size_t size = 0;
	struct read read;
	FILE *file;

	snprintf(from, sizeof from, "%s/data/pftrace/good/two_inferences.pftrace", TEST_DIR);
	file = fopen(from, "r");
	assert_true(file && data);
	for (int i = 0; i < N; i++) {
		rewind(file);
		size += fread(data + size, 1, ROOM, file);
	}
	fclose(file);
	path = write_file(data, size, false);
	read = read_path(path);
	read.import.tick = hear;
	read.import.tick_ctx = &told;
	keep(&read);
	assert_true(told.n > 3 && told.share > 0.7);
	done(&read);
	unlink(path);
	free(path);
	free(data);
}

TEST(what_no_importer_knows_is_refused_with_the_list)
{
	char *path = write_file("{\"models\": [1, 2, 3]}", 21, false);
	struct read read = read_path(path);

	assert_true(read.code < 0);
	for (const struct importer *const *importer = importers; *importer; importer++)
		assert_non_null(strstr(read.err.msg, (*importer)->help));
	unlink(path);
	free(path);
	done(&read);
}
