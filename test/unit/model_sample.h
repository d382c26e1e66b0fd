/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A made-up report of a model's runs: five runs (CPU, OpenVINO with most of the graph in one subgraph, a GPU, two at a
 * time, one that failed), latencies that are the same on every machine, names that need escaping.
 */
#ifndef TEST_MODEL_SAMPLE_H
#define TEST_MODEL_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>

#include "analyze/result/model/model_analysis.h"

enum { SAMPLE_BLOCKS = 6, SAMPLE_NODES = 3 + SAMPLE_BLOCKS * 3, SAMPLE_RUNS = 5, SAMPLE_LATENCIES = 320 };

struct sample {
	struct model_report report;
	struct model_result result[SAMPLE_RUNS];
	struct model_node node[SAMPLE_NODES];
	char name[SAMPLE_NODES][64], value[SAMPLE_NODES + 1][32], renamed[SAMPLE_NODES][64];
	const char *in[SAMPLE_NODES], *out[SAMPLE_NODES];
	struct model_operator op[SAMPLE_RUNS][SAMPLE_NODES];
	struct model_latency latency[SAMPLE_RUNS][SAMPLE_LATENCIES];
	struct model_step step[SAMPLE_RUNS][6];
	struct model_phase phase[SAMPLE_RUNS][5];
	uint64_t seed;
};

static const char *const sample_shapes[] = { "1x3x224x224" };
static const struct model_value sample_inputs[] = { { "data<0>", "float32", "1x3x224x224" } };
static const struct model_value sample_outputs[] = { { "sof\"tmax", "float32", "1x1000" } };
static const struct model_setting sample_settings[] = { { "duration", "10 s" }, { "seed", "1" } };
static const struct model_transformer sample_transformers[] = { { "ConstantFolding", 14500000, 2 },
								{ "NchwcTransformer", 800000, 2 } };
static const struct model_output sample_compared[] = { { "sof\"tmax", "float32", "1x1000", 1000, 0, 1.5e-7, 2.25e-5,
							 0.9999999, "[0,17]", NULL, true, 1e-5, 1e-3 } };
static const struct model_output sample_different[] = { { "sof\"tmax", "float32", "1x1000", 1000, 3, 0.25, 0.5, 0.985,
							  "[0,17]", NULL, false, 1e-5, 1e-3 } };
static const struct model_counter sample_counters[] = { { "gpu card1 busy", "%", 71.5, 98, 1 },
							{ "gpu card1 compute", "%", 63.25, 81, 1 } };
static const struct model_device sample_devices[] = {
	{ "gpu card1", "amdgpu 1002:744C at 0000:03:00.0", 71.5, 98, "device", 412 << 20, 2147483648.0, 187.5, 9.125,
	  NULL, 1 },
	{ "npu <accel0>", NULL, 40, 44.5, "process, npu", NAN, 52428800, NAN, NAN,
	  "its meter was not recorded all the time", 1 },
};
static const struct model_placement sample_on_cpu[] = { { "CPUExecutionProvider", SAMPLE_NODES - SAMPLE_BLOCKS, 31500,
							  6e9 } };
static const struct model_placement sample_on_openvino[] = { { "OpenVINOExecutionProvider", 1, 2100, 2e9 },
							     { "CPUExecutionProvider", 4, 8400, 0.9e9 } };
static const struct model_placement sample_on_gpu[] = { { "WebGpuExecutionProvider", SAMPLE_NODES, 44100, 1.1e9 } };

static const struct model_kernel sample_kernels[] = {
	{ "gr\303\274n<b>&\"fire'\"", "Convolution", "brgconv_avx512", NULL, 2100, 2.4e9, -1, 0.75, false },
	{ "softmax", "Softmax", "jit_avx512", NULL, 2100, 0.8e9, -1, 0.25, false },
};
static const struct model_kernel sample_cycles[] = {
	{ "NPU (execute) time", NULL, NULL, NULL, 20, 9e6, -1, NAN, true },
	{ "block0", NULL, NULL, "conv;<relu>", 20, NAN, 2800000, 0.875, false },
	{ "block1", NULL, NULL, NULL, 20, NAN, 400000, 0.125, false },
};

/* Uniform in (0, 1). */
static inline double sample_random(struct sample *s)
{
	s->seed = s->seed * 6364136223846793005u + 1442695040888963407u;
	return ((double)(s->seed >> 11) + 0.5) / 9007199254740992.0;
}

static inline void sample_model(struct sample *s)
{
	static const char *const types[] = { "Conv", "Relu", "MaxPool" };
	struct model_facts *model = &s->report.model;

	for (uint32_t i = 0; i <= SAMPLE_NODES; i++)
		snprintf(s->value[i], sizeof s->value[i], i ? "r%u" : "data<%u>", i);
	for (uint32_t i = 0; i < SAMPLE_NODES; i++) {
		struct model_node *node = &s->node[i];
		uint32_t kind = i % 3;

		node->op_type = i < SAMPLE_BLOCKS * 3	? types[kind]
				: i == SAMPLE_NODES - 1 ? "Softmax"
				: kind			? "Gemm"
							: "Flatten";
		snprintf(s->name[i], sizeof s->name[i], i == 3 ? "/gr\303\274n<b>&\"fire'\"/%s_%u" : "/block%2$u/%1$s",
			 node->op_type, i / 3);
		s->in[i] = s->value[i];
		s->out[i] = s->value[i + 1];
		node->name = s->name[i];
		node->inputs = &s->in[i];
		node->outputs = &s->out[i];
		node->n_inputs = node->n_outputs = 1;
		node->flops = kind == 0 && i < SAMPLE_BLOCKS * 3 ? 24000000 + 6000000 * (int64_t)i : 100000;
		node->bytes = kind == 0 ? 1200000 : 800000 - 20000 * (int64_t)i;
	}
	*model = (struct model_facts){ .path = "/models/squeeze <tiny> & co.onnx",
				       .name = "squeeze <tiny> & co",
				       .producer = "pytorch 2.4",
				       .opset = "ai.onnx 17",
				       .file_bytes = 4956208,
				       .n_parameters = 1235496,
				       .weight_bytes = 4941984,
				       .flops = 703000000,
				       .bytes = 17900000,
				       .n_unknown = 1,
				       .n_nodes = SAMPLE_NODES,
				       .nodes = s->node,
				       .n_listed = SAMPLE_NODES,
				       .inputs = sample_inputs,
				       .outputs = sample_outputs,
				       .n_inputs = 1,
				       .n_outputs = 1 };
}

static inline void sample_machine(struct model_machine *machine)
{
	machine->cpu = "AMD EPYC 9R14";
	machine->kernel = "6.1.0-18-amd64";
	machine->n_cpus = 4;
	machine->memory_bytes = 16ll << 30;
	machine->peak.core_flops = (struct machine_rate){ 80e9, 78e9, 86e9 };
	machine->peak.flops = (struct machine_rate){ 290e9, 250e9, 310e9 };
	machine->peak.bytes = (struct machine_rate){ 38e9, 35e9, 41e9 };
	machine->peak.cache_bytes = (struct machine_rate){ 400e9, 380e9, 420e9 };
	machine->peak.n_cpus = 4;
	machine->peak.instructions = "AVX-512";
}

static inline void sample_latencies(struct sample *s, uint32_t r, double typical_ns, uint32_t n)
{
	struct model_result *result = &s->result[r];
	uint64_t now_ns = 5000000000;
	double wave = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct model_latency *one = &s->latency[r][i];

		wave = 0.8 * wave + sample_random(s) - 0.5;
		one->queued_ns = -1;
		one->start_ns = now_ns;
		one->duration_ns = (uint64_t)(typical_ns * (1 + 0.03 * wave + (sample_random(s) < 0.015 ? 0.9 : 0)));
		now_ns += one->duration_ns + 400;
	}
	result->latencies = s->latency[r];
	result->n_latencies = n;
	result->shapes = sample_shapes;
	result->n_shapes = 1;
	result->steady_ns = (int64_t)(now_ns - 5000000000);
	result->cpu_user_ns = result->steady_ns * 2;
	result->cpu_system_ns = result->steady_ns / 20;
}

static inline void sample_steps(struct sample *s, uint32_t r, int64_t mebibytes, int64_t creation_ns)
{
	static const char *const names[] = { "runtime loaded",	"session created", "inputs made",
					     "first inference", "warm-up",	   "steady" };
	static const char *const phases[] = { "load", "graph transformers", "partitioning", "compilation",
					      "pre-packing" };
	static const int percent[SAMPLE_RUNS][5] = {
		{ 30, 50, 2, 0, 8 }, { 5, 8, 4, 78, 1 }, { 20, 10, 5, 50, 5 }, { 31, 49, 2, 0, 8 }
	};
	int64_t at_ns = 1000000000;

	for (int i = 0; i < 6; i++) {
		struct model_step *step = &s->step[r][i];

		step->name = names[i];
		step->begin_ns = at_ns;
		at_ns += i == 1 ? creation_ns : 30000000 * (i + 1);
		step->end_ns = at_ns;
		step->rss_bytes = (20 + mebibytes * (i ? 10 + i : 3) / 15) << 20;
		step->peak_bytes = step->rss_bytes + (i > 1 ? 8 << 20 : 0);
	}
	for (int i = 0; i < 5; i++)
		s->phase[r][i] = (struct model_phase){ phases[i], creation_ns * percent[r][i] / 100, i + 1 };
	s->result[r].steps = s->step[r];
	s->result[r].n_steps = 6;
	s->result[r].creation_ns = creation_ns;
	s->result[r].phases = s->phase[r];
	s->result[r].n_phases = 5;
	s->result[r].peak_bytes = s->step[r][5].peak_bytes;
}

static inline struct model_operator *sample_operator(struct sample *s, uint32_t r, const char *name,
						     const char *op_type, const char *provider, double mean_ns)
{
	struct model_operator *op = &s->op[r][s->result[r].n_operators++];

	*op = (struct model_operator){
		.name = name, .op_type = op_type, .provider = provider, .n = 2100, .flops = -1, .bytes = -1
	};
	op->mean_ns = mean_ns;
	op->interval_ns = mean_ns * 0.01;
	op->p50_ns = mean_ns * 0.98;
	op->share_ns = mean_ns * 2100;
	s->result[r].operators = s->op[r];
	s->result[r].n_operator_runs = 2100;
	s->result[r].operators_wall_ns =
	    (isnan(s->result[r].operators_wall_ns) ? 2100 * 60000 : s->result[r].operators_wall_ns) + op->share_ns;
	s->result[r].unattributed_ns = 2100 * 60000;
	return op;
}

/* Conv and Relu fused, named after the output of Relu. */
static inline void sample_cpu_operators(struct sample *s, uint32_t r, double factor)
{
	for (uint32_t i = 0; i < SAMPLE_NODES; i++) {
		bool is_conv = !strcmp(s->node[i].op_type, "Conv");

		if (!strcmp(s->node[i].op_type, "Relu"))
			continue;
		snprintf(s->renamed[i], sizeof s->renamed[i], "r%u_nchwc", i + 2);
		sample_operator(s, r, is_conv ? s->renamed[i] : s->name[i], s->node[i].op_type, "CPUExecutionProvider",
				factor * (is_conv ? 180000 + 40000 * i : 30000));
	}
	sample_operator(s, r, "ReorderOutput", "ReorderOutput", "CPUExecutionProvider", 45000);
}

static inline int sample_compare(const void *a, const void *b)
{
	double x = ((const struct model_operator *)a)->share_ns, y = ((const struct model_operator *)b)->share_ns;
	int order = (x < y) - (x > y);

	return order ? order
		     : strcmp(((const struct model_operator *)a)->name, ((const struct model_operator *)b)->name);
}

static inline void sample_runs(struct sample *s)
{
	static const char *const labels[SAMPLE_RUNS] = { "cpu", "openvino", "webgpu", "cpu x2", "qnn" };
	static const char *const providers[SAMPLE_RUNS] = { "cpu", "openvino", "webgpu", "cpu", "qnn" };
	static const double typical_ns[] = { 4800000, 2600000, 1100000, 8900000 };
	static const int64_t creation_ns[] = { 38000000, 412000000, 903000000, 38500000 };

	for (uint32_t r = 0; r < SAMPLE_RUNS; r++) {
		struct model_result *result = &s->result[r];

		model_result_init(result);
		result->label = labels[r];
		result->provider = providers[r];
		result->device = r == 2 ? "GPU" : "CPU";
		result->concurrency = r == 3 ? 2 : 1;
		result->runtime = "onnxruntime";
		result->version = "1.23.1";
		result->available = "WebGPU, OpenVINO, CPU";
		if (r == 4)
			continue;
		result->n_lost = 0;
		result->event_ns = 19;
		result->first_ns = r == 2 ? 81000000 : (int64_t)(typical_ns[r] * 1.9);
		result->n_warmup = 40;
		result->warmup_words = "steady after 0.2 s and 40 inferences";
		result->recording = "squeeze.pftrace";
		sample_latencies(s, r, typical_ns[r], r == 1 ? 80 : SAMPLE_LATENCIES);
		sample_steps(s, r, 60 + 110 * r, creation_ns[r]);
		result->outputs = r == 2 ? sample_different : sample_compared;
		result->n_outputs = r ? 1 : 0;
		result->against = r ? "cpu" : NULL;
	}
	s->result[4].error = "QNN_DEVICE_CREATE failed: <no device> \"0\"\n";
	s->result[4].failed_in = "session created";
	s->result[0].transformers = sample_transformers;
	s->result[0].n_transformers = 2;
	s->result[2].counters = sample_counters;
	s->result[2].devices = sample_devices;
	s->result[2].n_devices = 2;
	s->result[1].devices_missing = "cannot load NVIDIA's library: <none>";
	s->result[2].n_counters = 2;
	s->result[0].energy_joules = 84;
	s->result[0].energy_scope = "package 0";
	s->result[1].energy_missing = "the machine does not tell";
}

static inline struct sample *sample_new(void)
{
	struct sample *s = calloc(1, sizeof *s);

	s->seed = 7;
	model_report_init(&s->report);
	sample_model(s);
	sample_machine(&s->report.machine);
	sample_runs(s);
	sample_cpu_operators(s, 0, 1);
	sample_operator(s, 1, "OpenVINOExecutionProvider_OpenVINO-EP-subgraph_1_0", "OpenVINO-EP-subgraph_1",
			"OpenVINOExecutionProvider", 1900000);
	for (uint32_t i = SAMPLE_NODES - 3; i < SAMPLE_NODES; i++)
		sample_operator(s, 1, s->name[i], s->node[i].op_type, "CPUExecutionProvider", 200000);
	for (uint32_t i = 0; i < SAMPLE_NODES; i++)
		sample_operator(s, 2, s->name[i], s->node[i].op_type, "WebGpuExecutionProvider",
				i % 3 ? 9000 : 120000 + 2000 * i);
	sample_cpu_operators(s, 3, 1.8);
	for (uint32_t r = 0; r < SAMPLE_RUNS; r++)
		qsort(s->op[r], s->result[r].n_operators, sizeof s->op[r][0], sample_compare);
	s->result[0].placements = s->result[3].placements = sample_on_cpu;
	s->result[0].n_placements = s->result[3].n_placements = 1;
	s->result[1].placements = sample_on_openvino;
	s->result[1].n_placements = 2;
	s->result[2].placements = sample_on_gpu;
	s->result[2].n_placements = 1;
	for (uint32_t r = 0; r < SAMPLE_RUNS; r++)
		s->result[r].is_kernels_asked = r != 3;
	s->result[0].kernels_missing = "the CPU provider has none inside its operators";
	s->result[1].kernels = sample_kernels;
	s->result[1].n_kernels = 2;
	s->result[1].kernels_source = "ONNX Runtime's profile";
	s->result[1].n_kernel_runs = s->result[1].n_kernel_slices = 2100;
	s->result[1].kernels_note = "the profile is cut <off>";
	s->result[2].kernels = sample_cycles;
	s->result[2].n_kernels = 3;
	s->result[2].kernels_source = "NPU profile";
	s->result[2].n_kernel_runs = 20;
	s->result[2].n_kernel_slices = 40;
	s->result[3].kernels_missing = "not asked for: --ep-profile shows them";
	s->report.results = s->result;
	s->report.n_results = SAMPLE_RUNS;
	s->report.settings = sample_settings;
	s->report.n_settings = 2;
	s->report.start_realtime_ns = 1795000000000000000;
	s->report.version = "0.1.0";
	s->report.command = "inftrace model --ep cpu,openvino,webgpu,qnn 'squeeze <tiny> & co.onnx'";
	return s;
}

#endif
