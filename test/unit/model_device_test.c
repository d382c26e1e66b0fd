// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cases.h"
#include "experiment/model_in.h"

static char root[64];

static int make_root(void **state)
{
	strcpy(root, "/tmp/inftrace-device-XXXXXX");
	return !mkdtemp(root);
}

static int remove_root(void **state)
{
	char command[128];

	snprintf(command, sizeof command, "rm -r %s", root);
	return system(command);
}

static void put_accelerator(void)
{
	static const char *const folders[] = { "sys", "sys/class", "sys/class/drm", "sys/class/drm/renderD128" };
	char path[256];

	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		snprintf(path, sizeof path, "%s/%s", root, folders[i]);
		mkdir(path, 0700);
	}
}

static void expect(const char *provider, const char *options, int type, const char *device)
{
	struct run_result *run = calloc(1, sizeof *run);
	const char *found;

	run->n_asked = 1;
	strcpy(run->asked[0].name, provider);
	strcpy(run->asked[0].options, options);
	if (type >= 0) {
		run->n_devices = 2;
		strcpy(run->devices[0].provider, "OtherExecutionProvider");
		strcpy(run->devices[1].provider, provider);
		run->devices[0].is_chosen = run->devices[1].is_chosen = 1;
		run->devices[1].type = (uint32_t)type;
	}
	found = model_device_of(run, root);
	if (device)
		assert_string_equal(found, device);
	else
		assert_null(found);
	free(run);
}

TEST_WITH(without_a_driver_of_another_device_all_runs_on_the_cpu, make_root, remove_root)
{
	expect("CPUExecutionProvider", "", -1, "CPU");
	expect("OpenVINOExecutionProvider", "", -1, "CPU");
	expect("QNNExecutionProvider", "backend_path=libQnnHtp.so", RUN_DEVICE_NPU, "CPU");
	expect("AzureExecutionProvider", "", -1, NULL);
}

TEST_WITH(beside_others_there_has_to_be_evidence, make_root, remove_root)
{
	put_accelerator();
	expect("CPUExecutionProvider", "", -1, "CPU");
	expect("OpenVINOExecutionProvider", "", -1, NULL);
	expect("OpenVINOExecutionProvider", "precision=FP16 device_type=CPU", -1, "CPU");
	expect("OpenVINOExecutionProvider", "device_type=GPU.1 precision=FP16", -1, "GPU");
	expect("OpenVINOExecutionProvider", "device_type=GPUX", -1, NULL);
	expect("OpenVINOExecutionProvider", "device_type=HETERO:GPU,CPU", -1, NULL);
	expect("QNNExecutionProvider", "backend_type=cpu", RUN_DEVICE_NPU, "CPU");
	expect("QNNExecutionProvider", "", RUN_DEVICE_NPU, "NPU");
	/* what it gets when it searches for its hardware itself */
	expect("QNNExecutionProvider", "", RUN_DEVICE_CPU, NULL);
	expect("CUDAExecutionProvider", "", RUN_DEVICE_GPU, "GPU");
}
