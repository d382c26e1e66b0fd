/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One recording, one result of `inftrace model`, or one machine's rows of `inftrace watch`, as a comparison needs it:
 * figures of its models, their operators, its resources, and the circumstances. Texts are those of the file. What is
 * not known is NULL, NAN, -1 or n == 0.
 */
#ifndef ANALYZE_DIFF_DIFF_RUN_H
#define ANALYZE_DIFF_DIFF_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/stats/stats_typical.h"
#include "analyze/summary/summary_model.h"
#include "base/arena.h"
#include "base/err.h"

/* Figures of a model. Those in time are nanoseconds. */
enum diff_figure {
	DIFF_MEDIAN,	/* of the latency */
	DIFF_WITHIN,	/* of the medians of sizes of inputs, where the mix of sizes changed: diff_sizes.c */
	DIFF_OPERATORS, /* lower quartiles of all operators of an inference together */
	DIFF_P99,
	DIFF_MEAN,
	DIFF_FIRST, /* first inference of a session */
	DIFF_RATE,  /* inferences per second */
	DIFF_CPU,   /* of the inference's own thread */
	DIFF_WAIT,  /* of that thread for a CPU */
	DIFF_FIRST_TOKEN,
	DIFF_PER_TOKEN, /* mean time between tokens */
	DIFF_TOKENS,	/* output tokens per second */
	DIFF_DEVICE,	/* kernels and copies of an inference, added up */
	DIFF_IDLE,	/* the device, between these */
	DIFF_CREATION,
	DIFF_PHASE, /* the first of N_PHASES */
	N_DIFF_FIGURES = DIFF_PHASE + N_PHASES
};

enum diff_unit { DIFF_NS, DIFF_PER_SECOND, DIFF_BYTES, DIFF_PLAIN };

/* What a figure is called, and whether more of it is worse. */
struct diff_figure_name {
	const char *key, *words;
	enum diff_unit unit;
	bool is_better_higher;
};

struct diff_figure_name diff_figure_name(int figure); /* enum diff_figure */
/* The same of a result of `inftrace model --tokens`, in words: there it is of tokens. */
const char *diff_token_words(int figure);

struct diff_operator {
	const char *name, *op_type, *provider, *shapes;
	const char *node;  /* of the model's file, or the name without what the runtime has added to it */
	double calls;	   /* per inference */
	double median_ns;  /* of a call */
	double typical_ns; /* of a call: its lower quartile, or its median where only that is known */
	double device_ns;  /* per inference, what it asked a device for; NAN: nothing, or not known */
	double scatter;	   /* of the logarithm of typical_ns; NAN: not known */
	struct stats_typical blocks;
	uint32_t order; /* in which they ran first */
};

/* Inferences whose inputs are of one size. */
struct diff_size {
	const char *shapes; /* of one of them */
	uint32_t size;	    /* of struct summary_size */
	double elements, p50_ns, p90_ns, wall_ns;
	uint64_t n;
};

struct diff_sizes {
	struct diff_size *size; /* the smallest first */
	uint32_t n;
};

struct diff_model {
	const char *name, *runtime, *provider, *options; /* runtime: NULL: not known */
	const char *label; /* of a result: what the run is called there, whatever its model's name; NULL: a recording */
	const char *work;  /* of a result: what one measurement is of, "batch 8"; NULL: nothing special */
	uint64_t n, n_failed, n_open; /* open: did not end */
	bool counts_tokens;	      /* of a result: tokens were measured, not inferences */
	const char *caller;	      /* the line that asked for most; NULL: not known */
	uint32_t n_callers;
	double figure[N_DIFF_FIGURES];
	double scatter[N_DIFF_FIGURES]; /* of the figure's logarithm, from parts of this run; NAN: not known */
	struct diff_operator *operators;
	uint32_t n_operators;
	double mean_interval_ns;	/* of a result: 95 %, of the mean of this run alone; NAN: not known */
	struct diff_sizes sizes;	/* of recordings, where shapes are known */
	struct diff_sizes coarse_sizes; /* as in struct summary_model */
	bool are_sizes_mixed;
	const char *operators_missing; /* why there are none; NULL: there are some */
	double wall_ns;		       /* of all inferences: what is most important comes first */
	double event_ns;	       /* of recording one event */
};

struct diff_resource {
	const char *scope; /* "python", "machine", a device */
	const char *name, *unit;
	double mean, max, last; /* mean and last of several processes: NAN */
	uint64_t n;		/* values */
	/* Of how many processes of that name max is the sum, which lived at one time: of memory. Of other counters, the
	 * process with most stands for all, and this is 1, as for what is no process's. */
	uint32_t n_processes;
};

/* "machine": "AMD EPYC". What should be the same on both sides. */
enum diff_fact {
	DIFF_KIND,    /* "recording", "result of inftrace model" */
	DIFF_MACHINE, /* its processor */
	DIFF_VERSION, /* of inftrace */
	DIFF_RUNTIME,
	DIFF_LEVEL,
	DIFF_COMMAND,
	DIFF_CPUS,
	DIFF_MEMORY,
	DIFF_KERNEL,
	DIFF_SERVICE, /* of rows of watch alone: "shop 1.4" */
	/* of results alone */
	DIFF_MODEL, /* "resnet18, 4,956,208 bytes" */
	DIFF_SETTINGS,
	N_DIFF_FACTS
};

extern const char *const diff_facts[N_DIFF_FACTS];

enum diff_source { DIFF_OF_RECORDING, DIFF_OF_RESULT, DIFF_OF_WATCH };

struct diff_run {
	const char *path;    /* of rows of watch: the machine in it, "rows.json, web-1", or "..., web-1 and others" */
	const char *machine; /* whose rows of watch they are; NULL: of several, or none */
	const char *fact[N_DIFF_FACTS];
	struct diff_model *models;
	struct diff_resource *resources;
	const char **notes;    /* what is missing from it, in words: "it is cut off at byte 512" */
	const char *not_ended; /* what lasted longer than all others and did not end, in words; NULL: nothing */
	uint32_t n_models, n_resources, n_notes;
	int64_t start_realtime_ns; /* of a result: since 1970; -1: not known */
	double busy; /* share of the time in which something waited for a CPU of the machine; NAN: not known */
	enum diff_source source;
};

enum { DIFF_MAX_RUNS = 256 };

/* Zeroed: no run. */
struct diff_side {
	struct diff_run *runs;
	uint32_t n_runs;
};

/*
 * Reads n files: recordings (or what inftrace import reads), the JSON of `inftrace model`, and rows of `inftrace
 * watch`. A file is a run, but rows are a run for each machine, whatever files they are in; beyond DIFF_MAX_RUNS,
 * machines share one. All of it is in the arena; paths are borrowed. 0; or -errno and err, which names the file.
 */
int diff_read(struct diff_side *side, const char *const *path, uint32_t n, struct arena *arena, struct err *err);

/* One more run, which is the caller's to set; NULL: err has why. */
struct diff_run *diff_side_add(struct diff_side *side, struct arena *arena, struct err *err);

struct summary;
/* The parts of diff_read. Both: 0, or -errno and err. */
int diff_recording_of(struct diff_run *run, const struct summary *summary, struct arena *arena, struct err *err);
int diff_result_of(struct diff_run *run, const char *text, size_t len, struct arena *arena, struct err *err);

/* DIFF_OPERATORS from the operators. */
void diff_model_sum(struct diff_model *model);
/* All figures not known. */
void diff_model_init(struct diff_model *model);

#endif
