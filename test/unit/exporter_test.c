// SPDX-License-Identifier: Apache-2.0
/* Exporters: their output for the same recording, and their errors. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "base/text/json_read.h"
#include "cases.h"
#include "trace/export/exporters.h"
#include "trace/import/import.h"

struct written {
	char *data;
	size_t size;
};

static int write_to(const struct exporter *exporter, int fd, const char *name, struct err *err)
{
	struct names *names = names_new();
	struct import import;
	uint32_t last_track = 0;
	struct sink *sink;
	char path[500];
	int code;

	snprintf(path, sizeof path, "%s/data/%s", TEST_DIR, name);
	assert_int_equal(import_open(&import, path, err), 0);
	sink = exporter->open_table ? exporter->open_table(fd, "slices", names, &last_track, err)
				    : exporter->open(fd, names, &last_track, err);
	code = sink ? import_read(&import, sink, err) : -err->code;
	if (sink && exporter->close(sink, NULL, err) && !code)
		code = -err->code;
	import_close(&import);
	names_free(names);
	return code;
}

static struct written export(const char *format, const char *name)
{
	int fd = memfd_create("exporter_test", MFD_CLOEXEC);
	struct written written;
	struct stat stat;
	struct err err;

	assert_int_equal(write_to(exporters_find(format), fd, name, &err), 0);
	fstat(fd, &stat);
	written.size = (size_t)stat.st_size;
	written.data = calloc(1, written.size + 1);
	assert_int_equal(pread(fd, written.data, written.size, 0), written.size);
	close(fd);
	return written;
}

static size_t count(const struct written *written, const char *text)
{
	const char *at = written->data;
	size_t n = 0;

	for (; (at = strstr(at, text)); at++)
		n++;
	return n;
}

static bool is_json(const struct written *written)
{
	struct json_reader reader;
	enum json_token token;

	json_read_init(&reader, written->data, written->size);
	do
		token = json_read_next(&reader);
	while (token != JSON_END && token != JSON_BROKEN);
	return token == JSON_END;
}

TEST(chrome_has_every_slice_instant_and_sample)
{
	struct written chrome = export("chrome", "pftrace/good/two_inferences.pftrace");

	assert_true(is_json(&chrome));
	assert_int_equal(count(&chrome, "\"ph\":\"B\""), 65);
	assert_int_equal(count(&chrome, "\"ph\":\"E\""), 65);
	assert_int_equal(count(&chrome, "\"ph\":\"i\""), 6);
	assert_int_equal(count(&chrome, "\"ph\":\"C\""), 24);
	/* nanoseconds are preserved */
	assert_int_equal(count(&chrome, "\"ts\":4577846124.594,\"name\":\"recording\",\"cat\":\"note\""), 1);
	assert_int_equal(count(&chrome, "{\"name\":\"relu: inferences\"}"), 1);
	free(chrome.data);
}

TEST(names_of_others_are_escaped)
{
	struct written chrome = export("chrome", "ort_profile/good/quote.json");

	assert_true(is_json(&chrome));
	free(chrome.data);
}

/* The events of an export, read again: the same as those of the file it was made from. */
static struct written export_twice(const char *first, const char *second, const char *name)
{
	struct written once = export(first, name);
	char path[] = "/tmp/inftrace-exporter-XXXXXX", relative[600];
	int fd = mkstemp(path);
	struct written twice;

	assert_int_equal(write(fd, once.data, once.size), once.size);
	close(fd);
	snprintf(relative, sizeof relative, "../../../../../../../../../../../..%s", path);
	twice = export(second, relative);
	unlink(path);
	free(once.data);
	return twice;
}

TEST(what_perfetto_holds_is_read_as_the_same)
{
	struct written first = export("chrome", "ort_profile/good/kernels.json");
	struct written second = export_twice("perfetto", "chrome", "ort_profile/good/kernels.json");

	assert_string_equal(first.data, second.data);
	free(first.data);
	free(second.data);
}

/* Flows are numbered by their place in the file. */
static void blank_flows(struct written *written)
{
	for (char *at = written->data; (at = strstr(at, "\"flow\":"));) {
		at += strlen("\"flow\":");
		memmove(at, at + strspn(at, "0123456789"), strlen(at + strspn(at, "0123456789")) + 1);
	}
}

TEST(a_profile_of_onnxruntime_comes_back)
{
	static const char *const files[] = {
		"ort1.5.2-odd-names",
		"ort1.7.0-subgraph",
		"ort1.22.1-cpu-squeezenet",
		"ort1.29.0-java-cpu-squeezenet",
		"ort1.30.0-node-webgpu-intree-swiftshader-tinycnn",
		"ort1.31.1-openvino-plugin1.8.1-split",
		"ort1.32.0-odd-names",
		"cuda",
		"quote",
	};

	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct written before, after;
		char name[200];

		snprintf(name, sizeof name, "ort_profile/good/%s.json", files[i]);
		before = export("chrome", name);
		after = export_twice("ort", "chrome", name);
		blank_flows(&before);
		blank_flows(&after);
		assert_string_equal(before.data, after.data);
		free(before.data);
		free(after.data);
	}
}

TEST(kernels_have_the_form_of_their_provider)
{
	struct written openvino = export("ort", "ort_profile/good/ort1.25.1-openvino-plugin1.8.1-squeezenet.json");
	struct written webgpu = export("ort", "ort_profile/good/ort1.30.0-node-webgpu-intree-swiftshader-tinycnn.json");

	assert_int_equal(count(&openvino, "\"name\" :\"OV::"), 6);
	assert_int_equal(count(&openvino, "{\"ep\" : \"OpenVINOExecutionProvider\",\"parent_ort_event_name\" : "), 6);
	assert_int_equal(count(&openvino, "\"ov_node_type\" : \"Reorder\",\"ov_exec_type\" : \"jit_uni_f32\""), 1);
	assert_int_equal(count(&openvino, "\"op_name\" : \"Reorder\""), 1);
	assert_int_equal(count(&webgpu, "{\"cat\" : \"Api\""), 7);
	assert_int_equal(count(&webgpu, "\"name\" :\"/layer2/Conv_token_5&Conv&Conv2dMM\",\"args\" : {}}"), 1);
	free(openvino.data);
	free(webgpu.data);
}

TEST(a_recording_becomes_a_profile_of_onnxruntime)
{
	struct written ort = export("ort", "pftrace/good/two_inferences.pftrace");
	const char *operator = strstr(ort.data, "\"second_kernel_time\""), *run = strstr(ort.data, "\"model_run\"");

	assert_true(is_json(&ort));
	assert_int_equal(count(&ort, "\"ph\" : \"X\""), 10);
	assert_int_equal(count(&ort, "\"name\" :\"model_loading_uri\""), 1);
	assert_int_equal(
	    count(&ort, "\"dur\" :2740,\"ts\" :180843,\"ph\" : \"X\",\"name\" :\"session_initialization\""), 1);
	assert_int_equal(count(&ort, "\"input_type_shape\" : [{\"float\":[8]}],\"output_type_shape\" : []"), 4);
	/* the file of this recording has its operators elsewhere: profiles have them before their inference */
	assert_true(operator && run && operator < run);
	free(ort.data);
}

TEST(arguments_of_other_programs_stay)
{
	struct written once = export("chrome", "chrome/good/chromium.json");
	struct written twice = export_twice("chrome", "chrome", "chrome/good/chromium.json");
	const struct written *both[] = { &once, &twice };

	for (size_t i = 0; i < 2; i++) {
		assert_true(is_json(both[i]));
		assert_int_equal(count(both[i], "\"file_name\":\"sql/database.cc\""), 14);
		assert_int_equal(count(both[i], "\"chrome_mojo_event_info\":{\"watcher_notify_interface_tag\":"), 1);
		assert_int_equal(count(both[i], "\"thread_cpu_ns\":"), 45); /* tdur */
		assert_int_equal(count(both[i], "\"thread_cpu_ns\":65000"), 2);
	}
	free(once.data);
	free(twice.data);
}

TEST(a_full_disk_is_an_error)
{
	for (const struct exporter *const *exporter = exporters; *exporter; exporter++) {
		int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
		struct err err = { 0 };

		assert_true(fd >= 0);
		if (!strcmp((*exporter)->name, "samples")) { /* there are none: the file is empty */
			close(fd);
			continue;
		}
		assert_int_equal(write_to(*exporter, fd, "pftrace/good/two_inferences.pftrace", &err), -ENOSPC);
		assert_non_null(strstr(err.msg, strerror(ENOSPC)));
		close(fd);
	}
}

static void expect_content(const char *path, const char *wanted)
{
	char text[100] = "";
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	assert_non_null(fgets(text, sizeof text, file));
	fclose(file);
	assert_string_equal(text, wanted);
}

static void write_one(const char *path, bool is_forced, bool is_kept, int wanted)
{
	struct output output;
	struct err err;
	int code = output_open(&output, path, is_forced, &err);

	assert_int_equal(code, wanted);
	if (!code) {
		assert_int_equal(write(output.fd, is_forced ? "new" : "old", 3), 3);
		if (is_kept)
			assert_int_equal(output_keep(&output, &err), 0);
	}
	output_drop(&output);
}

TEST(an_output_appears_when_it_is_complete)
{
	char folder[] = "/tmp/inftrace-output-XXXXXX", path[100];

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/out", folder);
	write_one(path, false, false, 0);
	assert_int_equal(access(path, F_OK), -1);
	write_one(path, false, true, 0);
	expect_content(path, "old");
	write_one(path, false, true, -EEXIST);
	write_one(path, true, false, 0);
	expect_content(path, "old");
	write_one(path, true, true, 0);
	expect_content(path, "new");
	unlink(path);
	assert_int_equal(rmdir(folder), 0); /* no other file was left there */
}
