// SPDX-License-Identifier: Apache-2.0
/* Profiles of providers: files in the form of the real tools, with made-up numbers. */
#include "trace/import/device_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

typedef int importer(struct device_profile *, struct names *, const char *, size_t, struct err *);

struct read {
	struct names *names;
	struct device_profile profile;
	struct err err;
	int code;
	char data[8192];
};

static struct read read_file(importer *import, const char *name)
{
	struct read read = { .names = names_new() };
	char path[500];
	FILE *file;
	size_t n;

	snprintf(path, sizeof path, "%s/data/%s", TEST_DIR, name);
	file = fopen(path, "r");
	assert_non_null(file);
	n = fread(read.data, 1, sizeof read.data, file);
	fclose(file);
	read.code = import(&read.profile, read.names, read.data, n, &read.err);
	return read;
}

static void done(struct read *read)
{
	device_profile_done(&read->profile);
	names_free(read->names);
}

static const char *name(const struct read *read, uint32_t id)
{
	return names_text(read->names, id);
}

static void expect_row(const struct read *read, size_t i, const char *wanted, enum device_unit unit, int64_t value)
{
	const struct device_row *row = &read->profile.rows[i];

	assert_string_equal(name(read, row->name), wanted);
	assert_int_equal(row->unit, unit);
	assert_int_equal(row->value, value);
}

#define CASE(name, import, file) TEST_OF(name, struct read, read, *read = read_file(import, file), done(read))

CASE(htp_counts_cycles_and_ends_an_execution_with_its_time, device_profile_qnn, "qnn_csv/good/htp.csv")
{
	const struct device_execution *second = &read->profile.executions[1];

	assert_int_equal(read->code, 0);
	assert_int_equal(read->profile.n_executions, 2);
	assert_int_equal(second->n, 9);
	expect_row(read, second->first + 1, "Accelerator (execute) time (cycles)", DEVICE_CYCLES, 1600);
	expect_row(read, second->first + 2, "Input OpId_2", DEVICE_CYCLES, 10);
	expect_row(read, second->first + 3, "first", DEVICE_CYCLES, 1200);
	expect_row(read, second->first + 4, "with, comma", DEVICE_CYCLES, 300);
	expect_row(read, second->whole, "QNN (execute) time", DEVICE_US, 200);
	assert_true(read->profile.rows[second->first].is_whole && !read->profile.rows[second->first + 2].is_whole);
	assert_false(read->profile.is_cut || read->profile.n_unread);
}

CASE(the_header_says_where_columns_are, device_profile_qnn, "qnn_csv/good/htp-source-ops.csv")
{
	assert_int_equal(read->profile.n_executions, 1);
	assert_string_equal(name(read, read->profile.rows[3].source_ops), "first;first_bias");
	expect_row(read, 4, "with, comma", DEVICE_CYCLES, 300);
	assert_string_equal(name(read, read->profile.rows[4].source_ops), "second");
	assert_int_equal(read->profile.rows[5].source_ops, 0);
}

CASE(the_cpu_backend_tells_the_time_first, device_profile_qnn, "qnn_csv/good/cpu.csv")
{
	assert_int_equal(read->profile.n_executions, 2);
	assert_int_equal(read->profile.n_rows, 8);
	expect_row(read, 0, "GRAPH_EXECUTE", DEVICE_US, 50);
	expect_row(read, 1, "first", DEVICE_US, 20);
	expect_row(read, read->profile.executions[1].first, "GRAPH_EXECUTE", DEVICE_US, 150);
	expect_row(read, read->profile.executions[1].first + 1, "first", DEVICE_US, 60);
}

TEST(what_is_not_of_an_execution_is_left_out)
{
	struct read read = read_file(device_profile_qnn, "qnn_csv/good/loaded.csv");

	assert_int_equal(read.profile.n_executions, 1);
	expect_row(&read, 0, "Time for initial VTCM acquire", DEVICE_US, 70);
	done(&read);
	read = read_file(device_profile_qnn, "qnn_csv/bad/cut.csv");
	assert_int_equal(read.code, 0);
	assert_int_equal(read.profile.n_executions, 1);
	assert_int_equal(read.profile.n_rows, 9);
	assert_true(read.profile.is_cut);
	done(&read);
}

TEST(what_is_broken_is_counted_or_refused)
{
	struct read read = read_file(device_profile_qnn, "qnn_csv/bad/numbers.csv");

	assert_int_equal(read.profile.n_unread, 4);
	assert_int_equal(read.profile.n_executions, 1);
	done(&read);
	read = read_file(device_profile_qnn, "qnn_csv/bad/no-header.csv");
	assert_true(read.code < 0);
	assert_string_equal(read.err.msg, "cannot read it: at byte 0: the header is not that of a QNN profile");
	done(&read);
	read = read_file(device_profile_qnn, "qnn_csv/bad/mixed.csv");
	assert_true(read.profile.is_cut && read.profile.n_executions == 1 && read.profile.executions[0].n == 2);
	done(&read);
}

CASE(kernels_begin_where_their_operator_does, device_profile_ort, "ort_profile/good/kernels.json")
{
	const struct device_row *row = read->profile.rows;

	assert_int_equal(read->code, 0);
	assert_int_equal(read->profile.n_executions, 2);
	for (size_t i = 0; i < 2; i++) /* the second one's rows name another event */
		assert_string_equal(name(read, read->profile.executions[i].operator), "Fused_0");
	assert_int_equal(read->profile.n_rows, 4);
	expect_row(read, 0, "conv", DEVICE_US, 40);
	assert_string_equal(name(read, row[0].op_type), "Convolution");
	assert_string_equal(name(read, row[0].implementation), "jit_avx2");
	assert_int_equal(row[0].offset_us, 2);
	assert_int_equal(row[1].offset_us, 42);
	assert_int_equal(row[2].offset_us, 3);
	assert_int_equal(row[3].offset_us, 3);
	assert_false(read->profile.is_cut || read->profile.n_unread || read->profile.n_apart);
}

CASE(rows_of_a_device_lie_in_inferences, device_profile_ort, "ort_profile/good/inferences.json")
{
	const struct device_profile *profile = &read->profile;
	static const size_t n[] = { 2, 0, 1 };
	static const int64_t offset_us[] = { 5, 40, 10, -1, -1 };

	assert_int_equal(profile->n_executions, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_true(profile->executions[i].is_inference && !profile->executions[i].operator);
		assert_int_equal(profile->executions[i].n, n[i]);
	}
	assert_int_equal(profile->executions[2].first, 2);
	/* one ends after its inference, the other has no inference */
	assert_int_equal(profile->n_apart, 2);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(profile->rows[i].offset_us, offset_us[i]);
}

TEST(rows_of_no_operator_stand_apart)
{
	struct read read = read_file(device_profile_ort, "ort_profile/good/api.json");

	assert_int_equal(read.profile.n_executions, 0);
	assert_int_equal(read.profile.n_apart, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct device_row *row = &read.profile.rows[i];
		bool is_conv = !strcmp(name(&read, row->name), "conv");

		assert_true(is_conv || !strcmp(name(&read, row->name), "plain"));
		assert_string_equal(name(&read, row->op_type), is_conv ? "Conv" : "");
		assert_string_equal(name(&read, row->implementation), is_conv ? "Conv2dMM" : "");
	}
	done(&read);
	read = read_file(device_profile_ort, "ort_profile/good/none.json");
	assert_int_equal(read.profile.n_rows, 0);
	done(&read);
}

TEST(a_line_that_is_no_json_is_counted)
{
	struct read read = read_file(device_profile_ort, "ort_profile/bad/damaged.json");

	assert_int_equal(read.profile.n_unread, 1);
	assert_int_equal(read.profile.n_rows, 1);
	assert_int_equal(read.profile.rows[0].offset_us, 42);
	done(&read);
	read = read_file(device_profile_ort, "ort_profile/bad/cut.json");
	assert_true(read.profile.is_cut && read.profile.n_unread == 1 && read.profile.n_rows == 1);
	done(&read);
	read = read_file(device_profile_ort, "ort_profile/bad/times.json");
	assert_int_equal(read.profile.n_rows, 1);
	assert_int_equal(read.profile.n_unread, 2);
	assert_int_equal(read.profile.rows[0].offset_us, -1); /* its operator is missing */
	done(&read);
}
