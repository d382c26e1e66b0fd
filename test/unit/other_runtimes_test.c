// SPDX-License-Identifier: Apache-2.0
/* Runtimes that are not recorded, by the names of their libraries; versions of the packages that have these. */
#include "runtime/other_runtimes.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/proc/other_modules.h"
#include "capture/proc/package_version.h"
#include "cases.h"

TEST(runtimes_are_known_by_their_libraries)
{
	static const char *const path[][2] = {
		{ "/v/site-packages/openvino/libs/libopenvino_intel_gpu_plugin.so", "OpenVINO on GPUs" },
		{ "/usr/lib/x86_64-linux-gnu/libncnn.so.1", "ncnn" },
		{ "/v/site-packages/vosk/libvosk.so", "Vosk" },
		{ "/v/site-packages/gpt4all/build/libllmodel.so", "GPT4All" },
		{ "/v/site-packages/ncnn/ncnn.cpython-311-x86_64-linux-gnu.so", "ncnn" },
		{ "/v/site-packages/_mnncengine.cpython-311-x86_64-linux-gnu.so", "MNN" },
		{ "/v/site-packages/ctranslate2.libs/libctranslate2-4a2b.so.4.8.5", "CTranslate2" },
		{ "/v/pywhispercpp.libs/libwhisper-1ab89ae8.so.1.8.5", "whisper.cpp" },
		{ "/opt/llama.cpp/build/bin/llama-server", "statically linked llama.cpp" },
		{ "/v/site-packages/jaxlib/libjax_common.so", "JAX/XLA" },
	};
	static const char *const others[] = { "/usr/lib/libc.so.6",
					      "/x/libonnxruntime.so.1.22.1",
					      "/x/libonnxruntime_providers_openvino.so",
					      "/x/libopenvino.so.2641",
					      "/v/llama_cpp/lib/libllama.so",
					      "libggml-base.so",
					      "/x/llama-addon.node",
					      "/v/ai_edge_litert/libpywrap_litert_common.so",
					      "/x/torch",
					      "/v/site-packages/tvm_ffi/lib/libtvm_ffi.so", /* others use it, too */
					      "/v/site-packages/torch/lib/libtorch_cpu.so",
					      "",
					      "/",
					      "/usr/lib/libncnn.so/x" };

	for (size_t i = 0; i < sizeof path / sizeof *path; i++)
		assert_string_equal(other_runtimes_of(path[i][0]), path[i][1]);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_null(other_runtimes_of(others[i]));
}

TEST(a_library_of_its_own_is_recorded)
{
	struct module of[] = { { .path = "/bin/llama-server" },
			       { .path = "/lib64/ld-linux-x86-64.so.2" },
			       { .path = "/lib/libc.so.6" },
			       { .path = "/lib/libllama.so.0" } };
	struct modules modules = { .module = of, .n = 3 };

	assert_string_equal(other_modules_at(&modules, 0), "statically linked llama.cpp");
	assert_null(other_modules_at(&modules, 1));
	modules.n = 4;
	assert_null(other_modules_at(&modules, 0));
	modules.n = 2; /* its loader is at work */
	assert_null(other_modules_at(&modules, 0));
	modules.n = 1;
	assert_non_null(other_modules_at(&modules, 0));
}

static void put(const char *root, const char *path, const char *text)
{
	char full[PATH_MAX];
	FILE *file;

	snprintf(full, sizeof full, "%s%s", root, path);
	for (char *slash = strchr(full + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		assert_true(!mkdir(full, 0755) || errno == EEXIST);
		*slash = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void check(const char *root, const char *path, const char *expected)
{
	char version[64] = "?";
	bool is_known = package_version(root, path, version, sizeof version);

	assert_int_equal(is_known, expected != NULL);
	if (expected)
		assert_string_equal(version, expected);
}

static void remove_all(const char *root)
{
	char command[PATH_MAX + 16];

	snprintf(command, sizeof command, "rm -r '%s'", root);
	assert_int_equal(system(command), 0);
}

TEST(versions_are_those_of_packages)
{
	char root[] = "/tmp/package_version_test.XXXXXX";

	assert_non_null(mkdtemp(root));
	put(root, "/v/site-packages/openvino-2026.4.1.dist-info/METADATA", "");
	put(root, "/v/site-packages/openvino_telemetry-2025.2.0.dist-info/METADATA", "");
	put(root, "/v/site-packages/MNN-3.6.1.dist-info/METADATA", "");
	put(root, "/v/site-packages/paddlepaddle-3.0.0.dist-info/top_level.txt", "paddle\n");
	put(root, "/v/site-packages/apache_tvm-0.27.0.dist-info/RECORD", "tvm/lib/libtvm_runtime.so,sha256=,1\n");
	put(root, "/v/site-packages/my_tvmc-1.0.dist-info/RECORD", "my_tvmc/a.py,sha256=,1\n");
	put(root, "/v/site-packages/odd-$(id).dist-info/METADATA", "");
	put(root, "/x/node_modules/@a/b/package.json", "{\"name\": {\"version\": \"9\"}, \"version\": \"3.22.1\"}");
	put(root, "/x/node_modules/broken/package.json", "{\"version\": ");
	put(root, "/x/package.json", "{\"version\": \"7.7.7\"}");
	check(root, "/v/site-packages/openvino/libs/libopenvino.so.2641", "2026.4.1");
	check(root, "/v/site-packages/tvm/lib/libtvm_runtime.so", "0.27.0");
	check(root, "/v/site-packages/tvmc/lib/libtvm_runtime.so", NULL);
	check(root, "/v/site-packages/openvino.libs/libopenvino.so", "2026.4.1");
	check(root, "/v/site-packages/mnn/libMNN.so", "3.6.1");
	check(root, "/v/site-packages/paddle/base/libpaddle.so", "3.0.0");
	check(root, "/v/site-packages/odd/libtorch.so", NULL);
	check(root, "/v/site-packages/none/libtorch_cpu.so.2.6", "2.6");
	check(root, "/x/node_modules/@a/b/bins/llama-addon.node", "3.22.1");
	check(root, "/x/node_modules/broken/x.node", NULL);
	check(root, "/x/lib/libncnn.so", NULL);
	check(root, "/usr/lib/libopenvino.so.2026.4.1", "2026.4.1");
	check(root, "libx.so.%n", NULL);
	remove_all(root);
}
