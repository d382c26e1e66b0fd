// SPDX-License-Identifier: Apache-2.0
/*
 * A trace file, any bytes, through every format of the report: sums are right, and only plain text reaches a terminal.
 */
#include <stdio.h>
#include <stdlib.h>

#include "analyze/insight/recorded.h"
#include "analyze/summary/summary_maker.h"
#include "fuzz.h"
#include "show/report/reports.h"
#include "trace/perfetto/perfetto_read.h"

static void require(bool claim, const char *what)
{
	if (claim)
		return;
	fprintf(stderr, "not true: %s\n", what);
	abort();
}

static void check_model(const struct summary *summary, const struct summary_model *model)
{
	const struct summary_coverage *coverage = &model->coverage;
	uint64_t types = 0, nodes = 0, phases = 0;

	/* sums are capped at the largest number: beyond it they cannot be right */
	if (coverage->wall_ns > UINT64_MAX / 4 || model->creation.duration.total_ns > UINT64_MAX / 4)
		return;
	for (uint32_t i = 0; i < model->types.n; i++)
		types += summary->types[model->types.first + i].share_ns;
	for (uint32_t i = 0; i < model->nodes.n; i++)
		nodes += summary->nodes[model->nodes.first + i].share_ns;
	for (int i = 0; i < N_PHASES; i++)
		phases += model->creation.phase_ns[i];
	require(coverage->wall_ns == coverage->operators_ns + coverage->setup_ns + coverage->unattributed_ns,
		"inferences add up");
	require(types == coverage->operators_ns && nodes == types, "operators add up");
	require(phases == model->creation.duration.total_ns, "phases add up");
}

static void check_text(const char *text, size_t size, bool is_ascii)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)text[i];

		require((c >= 0x20 || c == '\n') && c != 0x7f && (!is_ascii || c < 0x80), "the page is plain text");
	}
}

static void print(const struct summary *summary, bool is_ascii)
{
	struct report_look look = { .is_ascii = is_ascii, .is_all = !is_ascii, .width = 80 };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	struct recorded recorded;
	struct err err;
	struct report report;

	require(out && !recorded_init(&recorded, summary, &err), "there is memory");
	report = (struct report){ summary, recorded.model, recorded.n };
	for (size_t i = 0; reports[i]; i++) {
		report_write(out, reports[i], &report, &look);
		fflush(out);
		if (!i)
			check_text(text, size, is_ascii);
	}
	fclose(out);
	recorded_done(&recorded);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct names *names = names_new();
	uint32_t last_track = 0;
	struct summary_opts opts = { .window = size % 3 ? 0 : 1 };
	struct summary_maker *maker = summary_begin(names, &last_track, &opts);
	struct perfetto_read_result result;
	struct summary_file file = { .path = "input", .bytes = size };
	struct summary *summary;
	struct err err;

	if (!perfetto_read(data, size, summary_sink(maker), &result, &err)) {
		file.is_cut = result.is_cut;
		file.cut_at = result.cut_at;
		summary = summary_end(maker, &file, &err);
		maker = NULL;
		require(summary, "there is memory");
		for (uint32_t i = 0; i < summary->n_models; i++)
			check_model(summary, &summary->models[i]);
		print(summary, size & 1);
		summary_free(summary);
	}
	summary_drop(maker);
	names_free(names);
	return 0;
}
