// SPDX-License-Identifier: Apache-2.0
/*
 * I/O binding: for each set of inputs, an object that holds them and names the device whose memory keeps the outputs.
 */
#include <errno.h>
#include <stdlib.h>

#include "model/run/run.h"

static int bind_one(struct run *run, const struct run_set *set, const struct ort_memory *device,
		    struct ort_binding **binding, struct err *err)
{
	const struct ort_api *api = &run->api;

	if (ort_api_check(api, api->create_binding(run->session, binding), err, "bind inputs and outputs"))
		return -EIO;
	for (size_t i = 0; i < run->n_inputs; i++)
		if (ort_api_check(api, api->bind_input(*binding, run->input_name[i], set->value[i]), err, "bind '%s'",
				  run->input_name[i]))
			return -EIO;
	for (size_t i = 0; i < run->n_outputs; i++)
		if (ort_api_check(api, api->bind_output_to_device(*binding, run->output_name[i], device), err,
				  "bind '%s' to %s", run->output_name[i], run->opts->bind_outputs))
			return -EIO;
	return 0;
}

int run_bind(struct run *run, struct ort_binding ****bindings, struct err *err)
{
	struct ort_binding ***binding;
	struct ort_memory *device = NULL;
	int rc;

	*bindings = NULL;
	if (!run->opts->bind_outputs)
		return 0;
	rc = ort_api_check(
	    &run->api,
	    run->api.create_memory(run->opts->bind_outputs, ORT_DEVICE_ALLOCATOR, 0, ORT_DEFAULT_MEMORY, &device), err,
	    "describe the memory of %s", run->opts->bind_outputs);
	if (rc)
		return rc;
	*bindings = binding = calloc(run->n_shapes, sizeof *binding);
	if (!binding)
		rc = err_no_memory(err, "cannot bind outputs");
	for (size_t i = 0; i < run->n_shapes && !rc; i++) {
		binding[i] = calloc(run->shapes[i].n_sets, sizeof **binding);
		if (!binding[i])
			rc = err_no_memory(err, "cannot bind outputs");
		for (size_t k = 0; k < run->shapes[i].n_sets && !rc; k++)
			rc = bind_one(run, &run->shapes[i].set[k], device, &binding[i][k], err);
	}
	run->api.release_memory(device);
	return rc;
}

void run_bind_done(struct run *run, struct ort_binding ***binding)
{
	for (size_t i = 0; binding && i < run->n_shapes; i++) {
		for (size_t k = 0; binding[i] && k < run->shapes[i].n_sets; k++)
			run->api.release_binding(binding[i][k]);
		free(binding[i]);
	}
	free(binding);
}
