// SPDX-License-Identifier: Apache-2.0
/* `inftrace model MODEL`: what a model's file says of itself. Runs nothing. */
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/model_static.h"
#include "cmd/term.h"

struct model_opts {
	bool dry_run, json, all, ascii;
	struct opt_list dims;
};

static const struct opt model_opt_table[] = {
	{ 'n', "dry-run", NULL, "analyse the file, run nothing", OPT_FLAG, offsetof(struct model_opts, dry_run) },
	{ 'd', "dim", "NAME=N", "give a free dimension a size; INPUT:AXIS=N for one without a name", OPT_LIST,
	  offsetof(struct model_opts, dims) },
	{ 0, NULL, NULL, "Output:" },
	{ 0, "json", NULL, "print JSON, doc/model-json.md", OPT_FLAG, offsetof(struct model_opts, json) },
	{ 'a', "all", NULL, "show every type, value and reason, not the most important ones", OPT_FLAG,
	  offsetof(struct model_opts, all) },
	{ 0, "ascii", NULL, "print nothing but ASCII; by default where the locale says so", OPT_FLAG,
	  offsetof(struct model_opts, ascii) },
	{ 0 },
};

static void print(const struct model_opts *opts, const struct model_static *analysis)
{
	struct export_opts text = {
		.has_color = *term_style(stdout, TERM_BOLD) != 0,
		.is_ascii = opts->ascii || term_wants_ascii(),
		.is_all = opts->all,
		.width = term_page_width(),
	};
	struct json json;

	if (!opts->json) {
		if (!opts->dry_run)
			fputs("The file is only analysed, as with --dry-run: nothing runs.\n\n", stdout);
		model_static_text(stdout, analysis, &text);
		return;
	}
	json_init(&json, stdout);
	json_object(&json, NULL);
	model_static_json(&json, analysis);
	json_end(&json, '}');
	json_done(&json);
}

static int model_run(const void *opts, int argc, char **argv, struct err *err)
{
	const struct model_opts *own = opts;
	struct model_static analysis = { 0 };
	int code = model_static_dims(&analysis, &own->dims, err);

	if (!code)
		code = model_static_read(&analysis, argv[0], err);
	if (!code) {
		print(own, &analysis);
		/* Such a model cannot be loaded: the page says why. */
		code = onnx_external_check(&analysis.externals, NULL) ? CMD_NO : CMD_DONE;
	}
	model_static_done(&analysis);
	return code;
}

const struct cmd cmd_model = {
	.name = "model",
	.usage = "[options] MODEL",
	.summary = "say what a model has to do, by its file alone",
	.help = "Reads an ONNX model and says what it is made of: operators by type, parameters, inputs and outputs "
		"with their shapes, "
		"free dimensions, weights and where they lie, operations and bytes moved for each operator and in all, "
		"and what of that is "
		"not known and why.\n\n"
		"A multiply-add counts as two operations. Bytes moved are those of inputs, weights and outputs, each "
		"once: the least that has "
		"to move. What depends on a free dimension is not known until --dim gives it a size.\n\n"
		"Exit status: 0; 1 when the model cannot be loaded because external data is missing or too short; 3 "
		"when MODEL is no ONNX "
		"model or is damaged.",
	.examples =
	    (const struct cmd_example[]){
		{ "inftrace model --dry-run resnet50.onnx", "the page" },
		{ "inftrace model --dry-run --dim batch=4 --dim seq=128 bert.onnx", "with free dimensions given" },
		{ "inftrace model --dry-run --json resnet50.onnx | jq .total.flops", "one number" },
		{ 0 },
	    },
	.opts = model_opt_table,
	.opts_size = sizeof(struct model_opts),
	.min_args = 1,
	.max_args = 1,
	.run = model_run,
};
