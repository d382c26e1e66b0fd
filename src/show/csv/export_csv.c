// SPDX-License-Identifier: Apache-2.0
/* A report as six tables for spreadsheets: RFC 4180, UTF-8; what is not known is an empty field. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/remark/remarks.h"
#include "base/text/csv.h"
#include "show/words/export.h"
#include "show/words/model/model_words.h"

struct csv {
	FILE *out;
	bool has_field;
};

static void next_field(struct csv *csv)
{
	if (csv->has_field)
		fputc(',', csv->out);
	csv->has_field = true;
}

static void end_row(struct csv *csv)
{
	fputs("\r\n", csv->out);
	csv->has_field = false;
}

static void put_text(struct csv *csv, const char *text)
{
	next_field(csv);
	if (text)
		csv_put_text(csv->out, text, strlen(text));
}

static void put_int(struct csv *csv, int64_t value)
{
	next_field(csv);
	if (value >= 0)
		fprintf(csv->out, "%" PRId64, value);
}

static void put_real(struct csv *csv, double value)
{
	next_field(csv);
	if (isfinite(value))
		fprintf(csv->out, fabs(value) < 1e9 ? "%.9g" : "%.0f", value);
}

/* Nanoseconds, of which nobody needs parts. */
static void put_ns(struct csv *csv, double ns)
{
	next_field(csv);
	if (isfinite(ns))
		fprintf(csv->out, "%.0f", ns);
}

static void put_header(struct csv *csv, const char *names)
{
	fputs(names, csv->out);
	end_row(csv);
}

static void put_run(struct csv *csv, const struct model_analysis *analysis, uint32_t r)
{
	const struct model_run *run = &analysis->runs[r];
	const struct model_result *result = run->result;
	const struct stats_series *latency = &run->latency;
	const struct model_reach *reach = &analysis->comparison.reach[r];

	put_text(csv, result->label);
	put_text(csv, result->provider);
	put_text(csv, result->device);
	put_text(csv, result->error);
	put_text(csv, result->runtime);
	put_text(csv, result->version);
	put_int(csv, result->concurrency);
	put_int(csv, result->n_threads);
	put_int(csv, result->creation_ns);
	put_int(csv, result->first_ns);
	put_int(csv, (int64_t)latency->n);
	put_int(csv, (int64_t)run->n_failed);
	put_ns(csv, latency->mean_ns);
	put_ns(csv, latency->interval_ns);
	put_ns(csv, latency->n ? (double)latency->min_ns : NAN);
	for (int i = 0; i < STATS_N_PERCENTILES; i++)
		put_ns(csv, latency->percentile[i].ns);
	put_ns(csv, latency->n ? (double)latency->max_ns : NAN);
	put_real(csv, run->rate_per_s);
	put_real(csv, run->speed.value);
	put_real(csv, run->speed.low);
	put_real(csv, run->speed.high);
	put_real(csv, run->cores);
	put_int(csv, result->peak_bytes);
	put_real(csv, run->energy_joules);
	put_int(csv, result->n_operators ? (int64_t)reach->n_own_nodes : -1);
	put_int(csv, result->n_operators ? (int64_t)reach->n_other_nodes : -1);
	put_text(csv, !run->speed.is_known ? NULL : run->speed.is_different ? "true" : "false");
	put_int(csv, run->n_rounds ? (int64_t)run->n_rounds : -1);
	put_real(csv, run->others_cores);
	put_text(csv, model_facts_of(analysis->report, r)->path);
	put_text(csv, result->runtime_path);
	put_text(csv, result->optimization);
	put_int(csv, result->n_items);
	put_real(csv, run->items_per_s);
	put_text(csv, model_per(analysis));
	put_int(csv, result->runs ? (int64_t)result->runs->n_open : -1);
	put_int(csv, result->runs ? (int64_t)result->runs->open_ns : -1);
	end_row(csv);
}

void export_csv_runs(FILE *out, const struct report *report)
{
	struct csv csv = { out, false };

	put_header(&csv, "run,provider,device,error,runtime,version,concurrency,threads,creation_ns,"
			 "first_inference_ns,inferences,failed_inferences,mean_ns,mean_interval_95_ns,min_ns,"
			 "p50_ns,p90_ns,p95_ns,p99_ns,p99_9_ns,max_ns,per_second,speed,speed_low,speed_high,"
			 "cpus_in_use,peak_rss_bytes,energy_joules_per_inference,model_nodes_on_provider,"
			 "model_nodes_elsewhere,speed_is_different,rounds,cpus_in_use_by_others,model_path,"
			 "runtime_path,optimization,batch_size,items_per_second,speed_of,not_ended,not_ended_ns");
	for (uint32_t i = 0; i < report->n_analyses; i++)
		for (uint32_t r = 0; report_shows(report, i) && r < report->analysis[i].report->n_results; r++)
			put_run(&csv, &report->analysis[i], r);
}

static void put_operator(struct csv *csv, const struct model_analysis *analysis, const struct model_row *row,
			 uint32_t r)
{
	static const char *const hows[] = { "", "same", "renamed", "fused", "subgraph" };
	const struct model_join *join = &row->join[r];
	const struct model_operator *op = &analysis->report->results[r].operators[join->at];
	const struct model_bound *bound = &analysis->runs[r].bounds[join->at];
	bool is_own = join->how == MODEL_SAME || join->how == MODEL_RENAMED;

	put_text(csv, row->node == MODEL_NONE ? NULL : row->name);
	put_text(csv, analysis->report->results[r].label);
	put_text(csv, hows[join->how]);
	put_text(csv, op->name);
	put_text(csv, op->op_type);
	put_text(csv, op->provider);
	put_int(csv, analysis->comparison.n_nodes_of[r][join->at]);
	/* the time of what stands for several nodes is given once, with the node that names it */
	put_int(csv, is_own ? (int64_t)op->n : -1);
	put_ns(csv, is_own ? op->mean_ns : NAN);
	put_ns(csv, is_own ? op->interval_ns : NAN);
	put_ns(csv, is_own ? op->p50_ns : NAN);
	put_ns(csv, is_own ? op->share_ns : NAN);
	put_real(csv, is_own ? bound->flops_per_s : NAN);
	put_real(csv, is_own ? bound->bytes_per_s : NAN);
	put_real(csv, is_own ? bound->share : NAN);
	put_text(csv, is_own && bound->by != MODEL_BOUND_UNKNOWN ? model_bound_words(bound->by) : NULL);
	put_real(csv, row->speed[r].value);
	end_row(csv);
}

static void put_rows(struct csv *csv, const struct model_analysis *analysis)
{
	for (uint32_t i = 0; i < analysis->comparison.n_rows; i++)
		for (uint32_t r = 0; r < analysis->report->n_results; r++)
			if (analysis->comparison.rows[i].join[r].how != MODEL_NOT_RUN)
				put_operator(csv, analysis, &analysis->comparison.rows[i], r);
}

void export_csv_operators(FILE *out, const struct report *report)
{
	struct csv csv = { out, false };

	put_header(&csv, "node,run,how,operator,op_type,provider,nodes,calls,mean_ns,mean_interval_95_ns,p50_ns,"
			 "share_ns,flops_per_second,bytes_per_second,share_of_possible,bound_by,speed");
	for (uint32_t i = 0; i < report->n_analyses; i++)
		if (report_shows(report, i))
			put_rows(&csv, &report->analysis[i]);
}

static void put_size(struct csv *csv, const struct report *report, const struct summary_size *size)
{
	put_text(csv, report->analysis[size->model].report->results[0].label);
	put_int(csv, (int64_t)size->elements);
	put_text(csv, names_text(report->summary->names, size->shapes));
	put_int(csv, (int64_t)size->n);
	put_ns(csv, (double)size->wall_ns);
	put_ns(csv, (double)size->p50_ns);
	put_ns(csv, (double)size->p90_ns);
	put_ns(csv, (double)size->p99_ns);
	end_row(csv);
}

void export_csv_sizes(FILE *out, const struct report *report)
{
	struct csv csv = { out, false };

	put_header(&csv, "run,elements,shapes,inferences,total_ns,p50_ns,p90_ns,p99_ns");
	for (uint32_t i = 0; report->summary && i < report->summary->n_sizes; i++)
		if (report_shows(report, report->summary->sizes[i].model))
			put_size(&csv, report, &report->summary->sizes[i]);
}

static void put_generation(struct csv *csv, const struct report *report, const struct generation *row)
{
	put_text(csv, report->analysis[row->model].report->results[0].label);
	put_int(csv, row->session);
	put_int(csv, row->thread);
	put_ns(csv, (double)(row->begin_ns - report->summary->recording.begin_ns));
	put_ns(csv, (double)(row->end_ns - row->begin_ns));
	put_int(csv, row->n_prefills ? (int64_t)row->prompt_tokens : -1);
	put_int(csv, (int64_t)row->cached_tokens);
	put_int(csv, (int64_t)row->output_tokens);
	put_int(csv, (int64_t)row->batch);
	put_ns(csv, row->first_token_ns ? (double)row->first_token_ns : NAN);
	put_ns(csv, row->per_token_ns);
	put_ns(csv, row->p50_ns ? (double)row->p50_ns : NAN);
	put_ns(csv, row->p99_ns ? (double)row->p99_ns : NAN);
	put_ns(csv, row->max_ns ? (double)row->max_ns : NAN);
	put_real(csv, row->tokens_per_s);
	put_ns(csv, (double)row->prefill_ns);
	put_ns(csv, (double)row->encoder_ns);
	put_ns(csv, (double)row->decode_ns);
	put_ns(csv, (double)row->others_ns);
	put_ns(csv, (double)row->outside_ns);
	put_int(csv, (int64_t)row->length);
	put_ns(csv, (double)row->sampling_ns);
	put_ns(csv, (double)row->text_ns);
	end_row(csv);
}

void export_csv_generations(FILE *out, const struct report *report)
{
	struct csv csv = { out, false };

	put_header(&csv, "run,session,tid,begin_ns,duration_ns,prompt_tokens,cached_tokens,output_tokens,batch,"
			 "first_token_ns,per_token_ns,between_p50_ns,between_p99_ns,between_max_ns,tokens_per_s,"
			 "prefill_ns,encoder_ns,decode_ns,others_ns,outside_ns,cache_length,sampling_ns,text_ns");
	for (uint32_t i = 0; report->summary && i < report->summary->n_generations; i++)
		if (report_shows(report, report->summary->generations[i].model))
			put_generation(&csv, report, &report->summary->generations[i]);
}

static void put_recorded_kernels(struct csv *csv, const struct report *report)
{
	const struct summary *summary = report->summary;

	for (uint32_t i = 0; i < summary->n_kernels; i++) {
		const struct summary_spread *duration = &summary->kernels[i].duration;

		put_text(csv, NULL);
		put_text(csv, names_text(summary->names, summary->kernels[i].name));
		put_text(csv,
			 summary->kernels[i].op_type ? names_text(summary->names, summary->kernels[i].op_type) : NULL);
		put_text(csv, NULL);
		put_text(csv, NULL);
		put_int(csv, (int64_t)duration->n);
		put_ns(csv, (double)duration->total_ns);
		put_int(csv, -1);
		put_real(csv, summary->kernels_ns ? (double)duration->total_ns / (double)summary->kernels_ns : NAN);
		put_ns(csv, duration->mean_ns);
		put_ns(csv, (double)duration->p50_ns);
		put_ns(csv, (double)duration->p99_ns);
		put_ns(csv, (double)duration->max_ns);
		end_row(csv);
	}
}

static void put_recorded_cycles(struct csv *csv, const struct summary *summary)
{
	for (uint32_t i = 0; i < summary->n_cycles; i++) {
		const struct summary_cycles *node = &summary->cycles[i];

		put_text(csv, NULL);
		put_text(csv, names_text(summary->names, node->name));
		put_text(csv, node->op_type ? names_text(summary->names, node->op_type) : NULL);
		put_text(csv, NULL);
		put_text(csv, NULL);
		put_int(csv, (int64_t)node->n);
		put_ns(csv, NAN);
		put_int(csv, (int64_t)node->cycles);
		put_real(csv, summary->all_cycles ? (double)node->cycles / (double)summary->all_cycles : NAN);
		for (int column = 0; column < 4; column++)
			put_ns(csv, NAN);
		end_row(csv);
	}
}

static void put_kernels_of(struct csv *csv, const struct model_result *result)
{
	for (uint32_t i = 0; i < result->n_kernels; i++) {
		const struct model_kernel *kernel = &result->kernels[i];

		if (kernel->is_whole)
			continue;
		put_text(csv, result->label);
		put_text(csv, kernel->name);
		put_text(csv, kernel->op_type);
		put_text(csv, kernel->implementation);
		put_text(csv, kernel->source_ops);
		put_int(csv, kernel->n);
		put_ns(csv, kernel->time_ns);
		put_int(csv, kernel->cycles);
		put_real(csv, kernel->share);
		put_ns(csv, kernel->n > 0 ? kernel->time_ns / (double)kernel->n : NAN);
		for (int empty = 0; empty < 3; empty++)
			put_text(csv, NULL);
		end_row(csv);
	}
}

void export_csv_kernels(FILE *out, const struct report *report)
{
	struct csv csv = { out, false };

	put_header(&csv, "run,kernel,op_type,implementation,source_nodes,calls,total_ns,cycles,share,mean_ns,"
			 "p50_ns,p99_ns,max_ns");
	if (report->summary) {
		put_recorded_kernels(&csv, report);
		put_recorded_cycles(&csv, report->summary);
	}
	for (uint32_t i = 0; !report->summary && i < report->n_analyses; i++)
		for (uint32_t r = 0; r < report->analysis[i].report->n_results; r++)
			put_kernels_of(&csv, &report->analysis[i].report->results[r]);
}

void export_csv_losses(FILE *out, const struct report *report)
{
	const struct remarks remarks = { .summary = report->summary, .is_running = report->is_running };
	size_t n = report->summary ? remarks_count(report->summary) : 0;
	struct csv csv = { out, false };

	put_header(&csv, "kind,is_loss,text");
	for (size_t i = 0; i < n; i++) {
		struct remark remark = remarks_at(&remarks, i);

		if (!*remark.text.s)
			continue;
		put_text(&csv, remark.kind);
		put_text(&csv, remark.is_loss ? "true" : "false");
		put_text(&csv, remark.text.s);
		end_row(&csv);
	}
}
