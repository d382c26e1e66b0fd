// SPDX-License-Identifier: Apache-2.0
/*
 * ovnative MODEL: a program of OpenVINO in C. Five inferences by infer, five by start_async and wait, five by
 * start_async with a callback. Prints how many nodes the runtime's own profile of the first one has as executed.
 */
#include <openvino/c/openvino.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static void must(ov_status_e status, const char *what)
{
	if (status == OK)
		return;
	fprintf(stderr, "%s: %s\n", what, ov_get_error_info(status));
	exit(1);
}

static void OPENVINO_C_API_CALLBACK on_done(void *done)
{
	sem_post(done);
}

static void print_executed(ov_infer_request_t *request)
{
	ov_profiling_info_list_t list;
	int n = 0;

	must(ov_infer_request_get_profiling_info(request, &list), "profile");
	for (size_t i = 0; i < list.size; i++)
		n += list.profiling_infos[i].status == EXECUTED;
	printf("executed %d\n", n);
	ov_profiling_info_list_free(&list);
}

int main(int argc, char **argv)
{
	ov_core_t *core;
	ov_model_t *model;
	ov_compiled_model_t *compiled;
	ov_infer_request_t *request;
	ov_tensor_t *input, *output;
	size_t size;
	void *data;
	sem_t done;
	ov_callback_t callback = { on_done, &done };

	sem_init(&done, 0, 0);
	must(ov_core_create(&core), "core");
	must(ov_core_read_model(core, argv[1], NULL, &model), "read");
	must(ov_core_compile_model(core, model, "CPU", 4, &compiled, "INFERENCE_NUM_THREADS", "1", "PERF_COUNT", "YES"),
	     "compile");
	must(ov_compiled_model_create_infer_request(compiled, &request), "request");
	must(ov_infer_request_get_input_tensor(request, &input), "input");
	must(ov_tensor_get_size(input, &size), "size");
	must(ov_tensor_data(input, &data), "data");
	for (size_t i = 0; i < size; i++)
		((float *)data)[i] = 0.5f;
	for (int i = 0; i < 15; i++) {
		if (i == 10)
			must(ov_infer_request_set_callback(request, &callback), "callback");
		if (i < 5) {
			must(ov_infer_request_infer(request), "infer");
			if (!i)
				print_executed(request);
			continue;
		}
		must(ov_infer_request_start_async(request), "start");
		if (i >= 10)
			sem_wait(&done);
		must(ov_infer_request_wait(request), "wait");
	}
	must(ov_infer_request_get_output_tensor(request, &output), "output");
	must(ov_tensor_data(output, &data), "data");
	printf("first %.6g\n", ((float *)data)[0]);
	ov_tensor_free(input);
	ov_tensor_free(output);
	ov_infer_request_free(request);
	ov_compiled_model_free(compiled);
	ov_model_free(model);
	ov_core_free(core);
	return 0;
}
