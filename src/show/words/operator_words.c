// SPDX-License-Identifier: Apache-2.0
#include "show/words/operator_words.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/text/units.h"

/* Options of providers by which an inference becomes one call that starts all kernels. */
static const struct {
	const char *option, *graph;
} graphs[] = {
	{ "enable_cuda_graph", "CUDA" },
	{ "cuda_graph_enable", "CUDA" }, /* of TensorRT: trt_..., of TensorRT for RTX: nv_... */
	{ "enable_hip_graph", "HIP" },
	{ "enableGraphCapture", "captured" },
};

/* Is it given as 1 or true, in whatever notation: "option=1", {"option":"True"}? */
static bool is_on(const char *text, const char *option)
{
	const char *at = strstr(text, option);

	if (!at)
		return false;
	at += strlen(option);
	at += strspn(at, " \"':=");
	return *at == '1' || tolower((unsigned char)*at) == 't';
}

bool operators_are_rare(const struct summary_model *model)
{
	return 2 * model->coverage.n_without > model->runs.latency.n;
}

struct printable operators_without(const struct summary *summary, const struct summary_model *model)
{
	const char *asked = names_text(summary->names, model->providers);
	struct printable to = { "" };

	if (!model->coverage.n_without)
		return to;
	printable_add(&to, "%s of ", units_count(model->coverage.n_without).s);
	printable_add(&to, "%s ", printable_count(model->runs.latency.n, "inference").s);
	for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
		if (is_on(asked, graphs[i].option)) {
			printable_add(&to, "ran no operator: they replay a %s graph", graphs[i].graph);
			return to;
		}
	printable_add(&to, "have no operators");
	return to;
}

struct operators_alone operators_alone(const struct summary *summary)
{
	struct operators_alone alone = { 0 };

	for (uint32_t i = 0; i < summary->n_elsewhere && !summary->n_inferences; i++) {
		const struct summary_operator *type = &summary->elsewhere[i];

		if (type->where != WHERE_OUTSIDE || !type->n)
			continue;
		if (!type->op_type || (alone.type && type->process != alone.type->process))
			return (struct operators_alone){ 0 };
		alone.type = alone.type ? alone.type : type;
		alone.n_types = (uint32_t)(type - alone.type) + 1;
		alone.n += type->n;
		alone.ns += type->self_ns;
	}
	return alone;
}

unsigned operators_rest(const struct summary_coverage *coverage, struct operators_rest rest[OPERATORS_REST])
{
	const struct operators_rest all[OPERATORS_REST] = {
		{ "setup", coverage->setup_ns },
		{ "process stopped", coverage->halted_ns },
		{ "waiting for other inferences", coverage->turn_ns },
		{ "unattributed", coverage->unattributed_ns - coverage->turn_ns },
	};
	unsigned n = 0;

	for (unsigned i = 0; i < OPERATORS_REST; i++)
		if (all[i].ns || i == OPERATORS_REST - 1)
			rest[n++] = all[i];
	return n;
}
