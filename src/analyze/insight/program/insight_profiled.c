// SPDX-License-Identifier: Apache-2.0
/* ONNX Runtime's own profiler was on in a recorded process: it takes time at each operator. text: its file. */
#include "analyze/insight/insight_in.h"

extern const struct insight insight_profiled;

enum { PATH = 60 };

static void find(struct finder *finder)
{
	const struct recording_facts *facts = finder->run->result->recorded;
	uint32_t path = 0;

	if (!facts || !facts->is_largest || facts->model->process == SUMMARY_NONE ||
	    !finder_is_of_runtime(finder, "onnxruntime"))
		return;
	path = facts->summary->processes[facts->model->process].profile;
	if (path)
		finder_add(finder, &insight_profiled, NAN)->text = names_text(facts->summary->names, path);
}

static void say(const struct speaker *to)
{
	FINDING("the runtime's own profiler is on, and takes time at each operator");
	EVIDENCE("the process writes its profile into %s", model_text(to->finding->text, PATH, to->is_ascii).s);
	NEXT("enable_profiling = False in SessionOptions: this recording has the operators without it");
}

const struct insight insight_profiled = {
	.name = "profiled",
	.severity = INSIGHT_ADVICE,
	.find = find,
	.say = say,
	.figures = { .text = "file" },
};
