// SPDX-License-Identifier: Apache-2.0
/* Words for findings. Every figure in them is one of the report. */
#include "show/words/model_words.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct model_locale model_locale_enter(void)
{
	locale_t own = newlocale(LC_ALL_MASK, "C", NULL);

	return (struct model_locale){ own, own ? uselocale(own) : NULL };
}

void model_locale_leave(const struct model_locale *locale)
{
	if (!locale->own)
		return;
	uselocale(locale->old);
	freelocale(locale->own);
}

enum { NAME = 60, ERROR = 200 };

struct printable model_text(const char *text, int columns, bool is_ascii)
{
	size_t len = text ? strlen(text) : 0;

	while (len && (text[len - 1] == '\n' || text[len - 1] == ' '))
		len--;
	return len ? printable_text(text, len, columns, is_ascii) : (struct printable){ "-" };
}

struct printable model_provider(const char *name, int columns, bool is_ascii)
{
	static const char suffix[] = "ExecutionProvider";
	size_t len = name ? strlen(name) : 0, tail = sizeof suffix - 1;

	if (len > tail && !memcmp(name + len - tail, suffix, tail))
		len -= tail;
	return len ? printable_text(name, len, columns, is_ascii) : (struct printable){ "-" };
}

struct printable model_against(const char *label, int columns, bool is_ascii)
{
	struct printable to = { "those " };

	if (label && !strcmp(label, "expected"))
		printable_add(&to, "expected");
	else
		printable_add(&to, "of %s", model_text(label, columns, is_ascii).s);
	return to;
}

struct units_text model_metric(double value, const char *unit)
{
	static const char *const prefixes[] = { "", "k", "M", "G", "T", "P" };
	struct units_text to = { "-" };
	int i = 0;

	if (!isfinite(value))
		return to;
	for (; i < 5 && fabs(value) >= 999.5; i++)
		value /= 1000;
	snprintf(to.s, sizeof to.s, "%.20s%s%s%.16s", units_decimal(value).s, *prefixes[i] || *unit ? " " : "",
		 prefixes[i], unit);
	return to;
}

struct units_text model_joules(double joules)
{
	return fabs(joules) < 1 ? model_metric(joules * 1000, "mJ") : model_metric(joules, "J");
}

struct units_text model_ratio_words(const struct model_ratio *ratio)
{
	struct units_text to = { "-" };
	int digits;

	if (!isfinite(ratio->value))
		return to;
	digits = ratio->value < 0.095 ? 4 : 2;
	if (!ratio->is_known)
		snprintf(to.s, sizeof to.s, "%.*f x", digits, ratio->value);
	else if (!ratio->is_different && isfinite(ratio->low))
		snprintf(to.s, sizeof to.s, "cannot tell (%.*f to %.*f x)", digits, ratio->low, digits, ratio->high);
	else if (!ratio->is_different)
		snprintf(to.s, sizeof to.s, "cannot tell (%.*f x)", digits, ratio->value);
	else if (ratio->low > 1 || ratio->high < 1)
		snprintf(to.s, sizeof to.s, "%.*f x (%.*f to %.*f)", digits, ratio->value, digits, ratio->low, digits,
			 ratio->high);
	else
		snprintf(to.s, sizeof to.s, "%.*f x", digits, ratio->value);
	return to;
}

static const struct step {
	const char *name, *words, *task;
} steps[] = {
	{ "load-runtime", "runtime loaded", "load the runtime" },
	{ "environment", "environment made", "make the runtime's environment" },
	{ "libraries", "libraries loaded", "load the provider's library" },
	{ "session", "session created", "create the session" },
	{ "inputs", "inputs made", "make the inputs" },
	{ "first", "first inference", "run the first inference" },
	{ "warm-up", "warm-up", "warm up" },
	{ "steady", "steady phase", "run the measured inferences" },
	{ "unload", "all released", "release the session" },
};

static const struct step *step_of(const char *name)
{
	for (size_t i = 0; name && i < sizeof steps / sizeof *steps; i++)
		if (!strcmp(steps[i].name, name))
			return &steps[i];
	return NULL;
}

const char *model_step_words(const char *step)
{
	const struct step *found = step_of(step);

	return found ? found->words : step;
}

const char *model_step_task(const char *step)
{
	const struct step *found = step_of(step);

	return found ? found->task : NULL;
}

const char *model_bound_words(enum model_bound_by by)
{
	static const char *const words[N_MODEL_BOUNDS] = { "not known", "compute", "memory", "overhead" };

	return words[by];
}

const char *model_drift_words(enum model_drift drift)
{
	static const char *const words[] = { "too few to tell a drift", "steady", "slowing down", "quickening" };

	return words[drift];
}

/* What the words of one finding are made of. */
struct speaker {
	const struct model_analysis *analysis;
	const struct model_insight *insight;
	const struct model_run *run;
	bool is_ascii;
	struct printable text;
	struct model_words *to;
};

#define FINDING(...) printable_add(&to->to->finding, __VA_ARGS__)
#define EVIDENCE(...) printable_add(&to->to->evidence, __VA_ARGS__)
#define NEXT(...) printable_add(&to->to->next, __VA_ARGS__)

static const char *base_label(const struct speaker *to, struct printable *room)
{
	*room = model_text(to->analysis->report->results[0].label, NAME, to->is_ascii);
	return room->s;
}

static void say_failed(const struct speaker *to)
{
	const struct model_result *result = to->run->result;

	if (model_step_task(result->failed_in))
		FINDING("it failed to %s", model_step_task(result->failed_in));
	else
		FINDING("it failed");
	EVIDENCE("%s", model_text(to->insight->text, ERROR, to->is_ascii).s);
	if (result->available)
		NEXT("this runtime has %s", model_text(result->available, ERROR, to->is_ascii).s);
}

static void say_outputs(const struct speaker *to)
{
	FINDING("outputs differ from %s", model_against(to->run->result->against, NAME, to->is_ascii).s);
	EVIDENCE("%s of %s", units_count((uint64_t)to->insight->a).s, units_count((uint64_t)to->insight->b).s);
	if (isfinite(to->insight->value))
		EVIDENCE(", by %.3g at most", to->insight->value);
	NEXT("look at the table of outputs before its speed counts");
}

static void say_outputs_unknown(const struct speaker *to)
{
	FINDING("outputs could not be compared with %s", model_against(to->run->result->against, NAME, to->is_ascii).s);
	EVIDENCE("%s of %s: %s", units_count((uint64_t)to->insight->a).s, units_count((uint64_t)to->insight->b).s,
		 model_text(to->insight->text, ERROR, to->is_ascii).s);
	NEXT("whether it computes the same is not known");
}

static void say_busy(const struct speaker *to)
{
	const struct model_insight *insight = to->insight;

	FINDING("other programs kept the machine busy");
	if (isfinite(insight->value)) {
		EVIDENCE("they used %s of its %s CPUs meanwhile", units_decimal(insight->value).s,
			 units_count((uint64_t)insight->b).s);
		if (isfinite(to->run->cores))
			EVIDENCE(", this run %s", units_decimal(to->run->cores).s);
	}
	if (insight->low > 0)
		EVIDENCE("%sit waited for one in %s of the time in which it could have run",
			 isfinite(insight->value) ? "; " : "", units_percent(insight->low).s);
	NEXT("its figures are those of a busy machine: measure again while nothing else runs");
}

static void say_nothing_taken(const struct speaker *to)
{
	FINDING("the provider ran no node");
	EVIDENCE("all %s ran on %s", units_count((uint64_t)to->insight->b).s,
		 model_provider(to->insight->text, NAME, to->is_ascii).s);
	NEXT("its figures are those of %s", model_provider(to->insight->text, NAME, to->is_ascii).s);
}

static void say_partly_taken(const struct speaker *to)
{
	FINDING("the provider took only %s of %s nodes", units_count((uint64_t)to->insight->a).s,
		units_count((uint64_t)to->insight->b).s);
	EVIDENCE("the others take %s of the time", units_percent(to->insight->value).s);
	NEXT("at most %s an inference; the table of operators says which", units_duration(to->insight->gain_ns).s);
}

static bool agrees(const struct model_result *result)
{
	for (uint32_t i = 0; i < result->n_outputs; i++)
		if (!result->outputs[i].is_equal)
			return false;
	return true;
}

static void say_faster(const struct speaker *to)
{
	struct printable room;

	FINDING("it is the fastest");
	EVIDENCE("%.2f times as fast as %s", to->insight->value, base_label(to, &room));
	if (to->insight->low > 1)
		EVIDENCE(" (%.2f to %.2f)", to->insight->low, to->insight->high);
	NEXT("%sit saves %s an inference", agrees(to->run->result) ? "" : "if its outputs will do, ",
	     units_duration(to->insight->gain_ns).s);
}

static void say_uneven(const struct speaker *to)
{
	const struct model_series *series = &to->run->latency;

	FINDING("a few inferences take much of the time");
	EVIDENCE("%s of %s take more than %s each, %s of all the time", units_count((uint64_t)to->insight->a).s,
		 units_count((uint64_t)to->insight->b).s, units_duration(series->outlier_ns).s,
		 units_percent(to->insight->value).s);
	NEXT("the median is %s below the mean; the recording says why each was slow",
	     units_duration(to->insight->gain_ns).s);
}

static void say_drifts(const struct speaker *to)
{
	bool is_slowing = to->insight->value > 1;

	FINDING("it gets %s while it runs", is_slowing ? "slower" : "faster");
	EVIDENCE("the last quarter's median is %.2f times the first's", to->insight->value);
	NEXT("%s", is_slowing ? "its mean depends on how long it runs" : "a longer warm-up would show its steady pace");
}

static void say_few_values(const struct speaker *to)
{
	double times = pow(to->insight->value / 0.01, 2);

	FINDING("the mean is uncertain");
	if (to->run->n_rounds > 1) {
		EVIDENCE("%s %s; the means of its %u processes lie between %s and %s", to->is_ascii ? "+-" : "\302\261",
			 units_percent(to->insight->value).s, to->run->n_rounds,
			 units_duration(to->run->round_low_ns).s, units_duration(to->run->round_high_ns).s);
		NEXT("measure in more of them (--rounds), while the machine does nothing else");
		return;
	}
	EVIDENCE("%s %s; %s inferences in a row are worth %s independent ones", to->is_ascii ? "+-" : "\302\261",
		 units_percent(to->insight->value).s, units_count((uint64_t)to->insight->b).s,
		 units_count((uint64_t)to->insight->a).s);
	if (times > 100)
		NEXT("measure longer, and in several processes (--rounds)");
	else if (times > 1)
		NEXT("about %s times as long a run would make it 1 %%", units_decimal(ceil(times)).s);
}

static void say_slow_first(const struct speaker *to)
{
	FINDING("the first inference is slow");
	EVIDENCE("%s, %s times the median", units_duration(to->insight->low).s, units_decimal(to->insight->value).s);
	NEXT("run one before the first request comes");
}

static void say_slow_phase(const struct speaker *to)
{
	const struct model_result *result = to->run->result;
	bool is_transformer = false;

	for (uint32_t i = 0; i < result->n_transformers; i++)
		is_transformer |= result->transformers[i].name == to->insight->text;
	FINDING("%s rules session creation", to->text.s);
	EVIDENCE("%s of %s, %s", units_duration(to->insight->low).s, units_duration((double)result->creation_ns).s,
		 units_percent(to->insight->value).s);
	if (is_transformer || !strcmp(to->insight->text ? to->insight->text : "", "graph transformers"))
		NEXT("an optimized model, written once (--optimized-model FILE), loads without it");
	else if (!strcmp(to->insight->text ? to->insight->text : "", "provider compilation"))
		NEXT("a model compiled once (--compile FILE), where the provider can, loads without it");
	else
		NEXT("%s is what there is to win", units_duration(to->insight->low).s);
}

static void say_bound(const struct speaker *to)
{
	const struct machine_peak *peak = &to->analysis->report->machine.peak;
	enum model_insight_kind kind = to->insight->kind;

	FINDING("%s of the operators' time is %s", units_percent(to->insight->value).s,
		kind == MODEL_MEMORY_BOUND    ? "memory-bound"
		: kind == MODEL_COMPUTE_BOUND ? "compute-bound"
					      : "far above both bounds");
	EVIDENCE("%s of %s operators", units_count((uint64_t)to->insight->a).s,
		 units_count((uint64_t)to->insight->b).s);
	if (kind != MODEL_OVERHEAD_BOUND)
		EVIDENCE(" at %s of the possible", units_percent(to->insight->low).s);
	if (kind == MODEL_MEMORY_BOUND)
		EVIDENCE(", beside %s of memory and %s of caches", model_metric(peak->bytes.high, "B/s").s,
			 model_metric(peak->cache_bytes.high, "B/s").s);
	else if (kind == MODEL_COMPUTE_BOUND)
		EVIDENCE(", beside %s float32", model_metric(peak->flops.high, "FLOP/s").s);
	else
		EVIDENCE(" take more than %.0f times what the machine allows", 1 / MODEL_OVERHEAD);
	NEXT("%s", kind == MODEL_MEMORY_BOUND	 ? "what moves fewer bytes: narrower types, fused operators"
		   : kind == MODEL_COMPUTE_BOUND ? "what computes less: narrower types, a smaller model, more cores"
						 : "what spreads their overhead: larger batches, fused operators");
}

static void say_slow_operator(const struct speaker *to)
{
	FINDING("%s has most to win", to->text.s);
	EVIDENCE("it reaches %s of what the machine allows", units_percent(to->insight->value).s);
	NEXT("at most %s an inference", units_duration(to->insight->gain_ns).s);
}

static void say_tiny(const struct speaker *to)
{
	FINDING("many tiny operators");
	EVIDENCE("%s of %s take less than 5 us; %s of the time lies outside of operators",
		 units_count((uint64_t)to->insight->a).s, units_count((uint64_t)to->insight->b).s,
		 units_percent(to->insight->value).s);
	NEXT("%s an inference, which a larger batch shares", units_duration(to->insight->gain_ns).s);
}

static void say_layout(const struct speaker *to)
{
	FINDING("operators that only reorder or convert");
	EVIDENCE("%s of %s, %s of the operators' time", units_count((uint64_t)to->insight->a).s,
		 units_count((uint64_t)to->insight->b).s, units_percent(to->insight->value).s);
	NEXT("at most %s an inference, with one layout and type throughout", units_duration(to->insight->gain_ns).s);
}

static void say_threads(const struct speaker *to)
{
	FINDING("more threads than CPUs");
	EVIDENCE("%s threads on %s", units_count((uint64_t)to->insight->a).s, units_count((uint64_t)to->insight->b).s);
	NEXT("compare with %s threads in all", units_count((uint64_t)to->insight->b).s);
}

static void say_idle(const struct speaker *to)
{
	FINDING("it leaves CPUs unused");
	EVIDENCE("it uses %s of %s", units_decimal(to->insight->value).s, units_count((uint64_t)to->insight->b).s);
	if (to->run->result->concurrency > 0)
		NEXT("compare with more than %s inference%s at a time",
		     units_count((uint64_t)to->run->result->concurrency).s,
		     to->run->result->concurrency == 1 ? "" : "s");
}

static void say_scaling(const struct speaker *to)
{
	FINDING("concurrency does not scale");
	EVIDENCE("%s at a time have %s times the throughput of %s", units_count((uint64_t)to->insight->a).s,
		 units_decimal(to->insight->value).s, units_count((uint64_t)to->insight->b).s);
	NEXT("with %s at a time each is answered sooner", units_count((uint64_t)to->insight->b).s);
}

static void say_queue(const struct speaker *to)
{
	double at_a_time = to->run->result->concurrency > 0 ? (double)to->run->result->concurrency : 1;

	FINDING("requests wait");
	EVIDENCE("%s of the response time", units_percent(to->insight->value).s);
	if (to->insight->a >= 0)
		EVIDENCE(", at %s", units_rate((double)to->insight->a).s);
	NEXT("it can do %s at most", units_rate(at_a_time * 1e9 / to->run->latency.mean_ns).s);
}

static void say_lost(const struct speaker *to)
{
	FINDING("events are missing from the recording");
	EVIDENCE("%s", units_count((uint64_t)to->insight->a).s);
	NEXT("operators' figures lack them");
}

struct model_words model_words_of(const struct model_analysis *analysis, const struct model_insight *insight,
				  bool is_ascii)
{
	static void (*const say[N_MODEL_INSIGHTS])(const struct speaker *) = {
		[MODEL_RUN_FAILED] = say_failed,
		[MODEL_OUTPUTS_DIFFER] = say_outputs,
		[MODEL_OUTPUTS_UNKNOWN] = say_outputs_unknown,
		[MODEL_BUSY_MACHINE] = say_busy,
		[MODEL_NOTHING_TAKEN] = say_nothing_taken,
		[MODEL_PARTLY_TAKEN] = say_partly_taken,
		[MODEL_FASTER] = say_faster,
		[MODEL_UNEVEN] = say_uneven,
		[MODEL_DRIFTS] = say_drifts,
		[MODEL_FEW_VALUES] = say_few_values,
		[MODEL_SLOW_FIRST] = say_slow_first,
		[MODEL_SLOW_PHASE] = say_slow_phase,
		[MODEL_MEMORY_BOUND] = say_bound,
		[MODEL_COMPUTE_BOUND] = say_bound,
		[MODEL_OVERHEAD_BOUND] = say_bound,
		[MODEL_SLOW_OPERATOR] = say_slow_operator,
		[MODEL_TINY_OPERATORS] = say_tiny,
		[MODEL_MOVES_LAYOUT] = say_layout,
		[MODEL_MANY_THREADS] = say_threads,
		[MODEL_IDLE_CORES] = say_idle,
		[MODEL_NO_SCALING] = say_scaling,
		[MODEL_QUEUES] = say_queue,
		[MODEL_LOST_EVENTS] = say_lost,
	};
	struct model_words words = { { "" }, { "" }, { "" } };
	struct speaker speaker = { .analysis = analysis,
				   .insight = insight,
				   .run = &analysis->runs[insight->result],
				   .is_ascii = is_ascii,
				   .text = model_text(insight->text, NAME, is_ascii),
				   .to = &words };

	say[insight->kind](&speaker);
	return words;
}

struct printable model_not_found(const struct model_analysis *analysis, uint32_t run)
{
	const struct model_reach *reach = &analysis->comparison.reach[run];
	uint32_t n = reach->n_not_run - reach->n_constant;
	struct printable to = { "" };

	if (!analysis->report->results[run].n_operators || !reach->n_not_run)
		return to;
	printable_add(&to, "of the model's %s nodes ", units_count(analysis->report->model.n_listed).s);
	if (reach->n_constant)
		printable_add(&to, "%s depend on no input's values and did not run%s", units_count(reach->n_constant).s,
			      n ? ", " : "");
	if (n)
		printable_add(&to, "%s %s not found: removed, or part of an operator whose name does not tell",
			      units_count(n).s, n == 1 ? "was" : "were");
	return to;
}

/* The last one before i that finds the same; UINT32_MAX: none. */
static uint32_t same_before(const struct model_analysis *analysis, const struct model_finding *finding, uint32_t i)
{
	for (uint32_t k = i; k-- > 0;)
		if (analysis->insights[k].kind == analysis->insights[i].kind &&
		    !strcmp(finding[k].words.finding.s, finding[i].words.finding.s))
			return k;
	return UINT32_MAX;
}

struct model_finding *model_findings(const struct model_analysis *analysis, bool is_ascii)
{
	uint32_t n = analysis->n_insights;
	struct model_finding *finding = calloc((size_t)n + 1, sizeof *finding);

	for (uint32_t i = 0; finding && i < n; i++) {
		uint32_t same;

		finding[i].words = model_words_of(analysis, &analysis->insights[i], is_ascii);
		finding[i].next_same = UINT32_MAX;
		same = same_before(analysis, finding, i);
		finding[i].is_repeated = same != UINT32_MAX;
		if (finding[i].is_repeated)
			finding[same].next_same = i;
	}
	for (uint32_t i = 0; finding && i < n; i++) {
		uint32_t next = finding[i].next_same;

		finding[i].is_next_below =
		    next != UINT32_MAX && !strcmp(finding[i].words.next.s, finding[next].words.next.s);
	}
	return finding;
}

bool model_was_busy(const struct model_analysis *analysis)
{
	for (uint32_t i = 0; i < analysis->n_insights; i++)
		if (analysis->insights[i].kind == MODEL_BUSY_MACHINE)
			return true;
	return false;
}

struct printable model_deferred_words(const struct model_analysis *analysis, uint32_t run, bool is_ascii)
{
	const struct model_result *result = &analysis->report->results[run];
	struct printable to = { "" };

	for (uint32_t i = 0; i < result->n_operators; i++) {
		if (!model_is_deferred(result->operators[i].provider))
			continue;
		printable_add(&to, "%s: ", model_text(result->label, NAME, is_ascii).s);
		printable_add(
		    &to,
		    "operators of %s only start what the device computes; their time is that of starting it, and "
		    "waiting for the device is unattributed (--ep-profile shows what runs there)",
		    model_provider(result->operators[i].provider, NAME, is_ascii).s);
		break;
	}
	return to;
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

struct printable model_energy_words(const struct model_analysis *analysis, uint32_t run, bool is_ascii)
{
	const struct model_result *results = analysis->report->results, *result = &results[run];
	struct printable to = { "" };
	bool is_of_all = true;

	for (uint32_t r = 1; r < analysis->report->n_results; r++)
		is_of_all &= is_same(results[r].energy_missing, results->energy_missing) &&
			     is_same(results[r].energy_scope, results->energy_scope);
	if ((is_of_all && run) || (!result->energy_scope && !result->energy_missing))
		return to;
	if (!is_of_all)
		printable_add(&to, "%s: ", model_text(result->label, NAME, is_ascii).s);
	if (result->energy_scope && (isfinite(result->energy_joules) || !result->energy_missing))
		printable_add(&to, "energy is that of %s", model_text(result->energy_scope, ERROR, is_ascii).s);
	else
		printable_add(&to, "energy is not known: %s", model_text(result->energy_missing, 400, is_ascii).s);
	return to;
}
