// SPDX-License-Identifier: Apache-2.0
/* Prints the result of a run in a few lines. `inftrace model` does the analysis. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/ort/ort_ask.h"
#include "model/ort/ort_find.h"
#include "model/run/run.h"

static const char *const device_types[] = { "cpu", "gpu", "npu", "other" };

static double ms(uint64_t ns)
{
	return (double)ns / 1e6;
}

static double mib(uint64_t bytes)
{
	return (double)bytes / (1 << 20);
}

static void print_phases(const struct run_result *result)
{
	printf("%-14s %12s %12s %12s\n", "phase", "ms", "CPU ms", "memory MiB");
	for (uint32_t i = 0; i < RUN_N_PHASES; i++) {
		const struct run_phase *phase = &result->phases[i];

		if (phase->state == RUN_ENDED)
			printf("%-14s %12.3f %12.1f %12.1f\n", run_result_phase_name(i),
			       ms(phase->end_ns - phase->start_ns), ms(phase->cpu_user_ns + phase->cpu_system_ns),
			       mib(phase->rss_bytes));
	}
}

static void print_tensor(const struct run_tensor *tensor)
{
	printf("%-14s %s", tensor->is_output ? "output" : "input", tensor->name);
	if (tensor->n_dims >= 0) {
		printf(" %s[", tensor_type_name(tensor->type));
		for (int32_t i = 0; i < tensor->n_dims; i++)
			printf("%s%lld", i ? "," : "", (long long)tensor->dim[i]);
		printf("]");
	}
	if (*tensor->file)
		printf(" in %s", tensor->file);
	if (tensor->compared == RUN_SAME)
		printf(", as expected: at most %.3g off", tensor->max_abs);
	if (tensor->compared == RUN_DIFFERENT || tensor->compared == RUN_NOT_COMPARABLE)
		printf(", not as expected: %s", tensor->why);
	printf("\n");
}

static int by_value(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/*
 * The measured latencies of a group, sorted, counted from their scheduled start; of generations those of first tokens,
 * or of all others. The caller frees the array.
 */
static uint64_t *sorted(const struct run_result *result, uint32_t group, bool first_tokens, size_t *n)
{
	const struct run_latency *latency = (const struct run_latency *)(result + 1);
	uint64_t taken =
	    result->n_latencies < result->latency_capacity ? result->n_latencies : result->latency_capacity;
	uint64_t *value = malloc((taken + 1) * sizeof *value);

	*n = 0;
	for (uint64_t i = 0; value && i < taken; i++)
		if (latency[i].phase == RUN_STEADY && latency[i].status == RUN_LATENCY_OK &&
		    latency[i].group == group && (result->n_tokens && !latency[i].set) == first_tokens)
			value[(*n)++] = latency[i].queued_ns
					    ? latency[i].start_ns + latency[i].duration_ns - latency[i].queued_ns
					    : latency[i].duration_ns;
	if (*n)
		qsort(value, *n, sizeof *value, by_value);
	return value;
}

static void print_latencies(const struct run_result *result, uint32_t group, bool first_tokens, const char *words)
{
	size_t n;
	uint64_t *value = sorted(result, group, first_tokens, &n);

	if (n)
		printf(", %s %zu: min %.3f, p50 %.3f, p90 %.3f, p99 %.3f, max %.3f ms", words, n, ms(value[0]),
		       ms(value[n / 2]), ms(value[n * 9 / 10]), ms(value[n * 99 / 100]), ms(value[n - 1]));
	free(value);
}

static void print_group(const struct run_result *result, uint32_t group)
{
	printf("%-14s %s: first %.3f ms", "latency", result->groups[group].text, ms(result->groups[group].first_ns));
	if (result->n_tokens)
		print_latencies(result, group, true, "then first tokens");
	print_latencies(result, group, false, result->n_tokens ? "tokens" : "then");
	printf("\n");
}

static void print_devices(const struct run_result *result)
{
	for (uint32_t i = 0; i < result->n_devices; i++)
		printf("device %-7u %s on %s (%s)%s %s\n", i, result->devices[i].provider,
		       device_types[result->devices[i].type], result->devices[i].vendor,
		       result->devices[i].is_chosen ? ", used" : "", result->devices[i].metadata);
}

static bool is_placed(const struct run_result *result, const char *provider)
{
	for (uint32_t i = 0; i < result->n_placed; i++)
		if (!strcmp(result->placed[i].name, provider))
			return true;
	return false;
}

static void print_found(const struct ort_found *found)
{
	static struct ort_answer answer;
	struct err err = { 0 };

	printf("%-14s %s %s (%s)\n", "runtime", *found->version ? found->version : "?", found->path, found->how);
	if (!ort_ask(found->path, 10000, &answer, &err))
		for (size_t i = 0; i < answer.n_providers; i++)
			printf("%-14s %s\n", "provider", answer.provider[i]);
	if (*err.msg)
		printf("%-14s %s\n", "not usable", err.msg);
}

int run_summary_runtimes(const char *named, struct err *err)
{
	struct ort_found_list list;
	int rc = ort_find_all(named, &list, err);

	if (rc)
		return rc;
	for (size_t i = 0; i < list.n; i++)
		print_found(&list.item[i]);
	if (!list.n)
		printf("no ONNX Runtime found\n");
	ort_find_done(&list);
	return 0;
}

void run_summary_devices(const struct run_result *result)
{
	printf("%-14s %s %s (%s)\n", "runtime", result->runtime_version, result->runtime_path, result->runtime_found);
	print_devices(result);
	if (!result->n_devices)
		printf("no provider offers a device\n");
}

void run_summary_print(const struct run_result *result)
{
	printf("%-14s %s %s (%s)\n", "runtime", result->runtime_version, result->runtime_path, result->runtime_found);
	for (uint32_t i = 0; i < result->n_asked; i++)
		printf("%-14s %s %s\n", "provider", result->asked[i].name, result->asked[i].options);
	print_devices(result);
	for (uint32_t i = 0; i < result->n_placed; i++)
		printf("%-14s %u node%s in %u part%s on %s\n", "placed", result->placed[i].n_nodes,
		       result->placed[i].n_nodes == 1 ? "" : "s", result->placed[i].n_subgraphs,
		       result->placed[i].n_subgraphs == 1 ? "" : "s", result->placed[i].name);
	for (uint32_t i = 0; i < result->n_asked && result->n_placed; i++)
		if (!is_placed(result, result->asked[i].name))
			printf("%-14s no node on %s\n", "placed", result->asked[i].name);
	for (uint32_t i = 0; i < result->n_tensors; i++)
		print_tensor(&result->tensors[i]);
	print_phases(result);
	if (*result->warm_up_text)
		printf("%-14s %s\n", "warm-up", result->warm_up_text);
	for (uint32_t i = 0; i < result->n_groups; i++)
		print_group(result, i);
	if (result->wall_ns)
		printf("%-14s %.2f %s a second, %.0f %% CPU\n", "throughput",
		       (double)result->n_steady * 1e9 / (double)result->wall_ns,
		       result->n_tokens ? "generations" : "inferences",
		       (double)(result->cpu_user_ns + result->cpu_system_ns) * 100 / (double)result->wall_ns);
	if (result->n_unserved)
		printf("%-14s %llu arrivals at the end of the measured part, not part of any figure\n", "unserved",
		       (unsigned long long)result->n_unserved);
	if (run_result_stop_text(result->stop))
		printf("%-14s ended early: %s\n", "measured part", run_result_stop_text(result->stop));
	if (*result->profile_path)
		printf("%-14s %s\n", "profile", result->profile_path);
	if (*result->provider_profile_path)
		printf("%-14s %s\n", "profile", result->provider_profile_path);
}
