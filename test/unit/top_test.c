// SPDX-License-Identifier: Apache-2.0
/*
 * The page of top, drawn into grids from made-up sums, against files in test/data/top; and what keys do.
 * INFTRACE_BLESS=1 rewrites the files: read the difference.
 */
#include "show/top/top.h"

#include <math.h>
#include <stdio.h>

#include "cases.h"
#include "stream.h"

#define SECOND UINT64_C(1000000000)

struct made {
	struct stream s;
	struct live *live;
	struct top top;
	uint64_t now_ns;
	uint32_t process[3], lane[3], thread[3], cpu, own_cpu[3], memory, gpu;
	int64_t number;
};

static void run(struct made *m, int which, const char *model, uint64_t us, const char *status)
{
	uint64_t at_us = m->now_ns / 1000;

	m->number++;
	stream_operator(&m->s, m->thread[which], at_us, "conv_1", "Conv", m->number);
	stream_end(&m->s, m->thread[which], at_us + us / 2);
	stream_operator(&m->s, m->thread[which], at_us + us / 2, "a/very/long/name/of/a/node/MatMul_17", "MatMul",
			m->number);
	stream_end(&m->s, m->thread[which], at_us + us / 2 + us / 4);
	stream_inference(&m->s, m->lane[which], at_us, model, 1, m->number);
	stream_text(&m->s, KEY_STATUS, status);
	stream_end(&m->s, m->lane[which], at_us + us);
}

static void interval(struct made *m, int n)
{
	for (int i = 0; i < n; i++)
		run(m, 0, "resnet50", 800 + (uint64_t)i % 5 * 100, i == 3 ? "bad" : "ok");
	for (int i = 0; i < n / 4; i++)
		run(m, 1, "speech \033[31m\u00e4\u4e16", 20000, "ok");
	stream_sample(&m->s, m->cpu, m->now_ns / 1000, 10 * (double)(n % 11));
	stream_sample(&m->s, m->memory, m->now_ns / 1000, 3e9);
	stream_sample(&m->s, m->gpu, m->now_ns / 1000, 40);
	for (int i = 0; i < 2; i++)
		stream_sample(&m->s, m->own_cpu[i], m->now_ns / 1000, 150.0 / (i + 1));
	sink_flush(m->s.sink, NULL);
	m->now_ns += SECOND;
	live_roll(m->live, m->now_ns);
}

static void make(struct made *m)
{
	*m = (struct made){ .now_ns = SECOND };
	stream_init(&m->s);
	m->live = live_new(m->s.names, &m->s.last_track, m->now_ns, NULL);
	m->s.sink = live_sink(m->live);
	m->cpu = stream_counter(&m->s, 0, "cpu", "%");
	m->memory = stream_counter(&m->s, 0, "memory used", "bytes");
	m->gpu = stream_counter(&m->s, 0, "gpu card0 busy", "%");
	for (int i = 0; i < 3; i++) {
		m->process[i] = stream_process(&m->s, 1000 + i, i == 1 ? "node" : "python");
		m->lane[i] = stream_lane(&m->s, m->process[i], "models");
		m->thread[i] = stream_thread(&m->s, m->process[i], 2000 + i);
		m->own_cpu[i] = stream_counter(&m->s, m->process[i], "cpu", "%");
	}
	top_init(&m->top, m->live, m->s.names, "all programs that load a runtime");
	m->top.cost = (struct top_cost){ 0.012, 12 << 20 };
	m->top.memory_bytes = 8e9;
	for (int i = 0; i < 12; i++)
		interval(m, 20 + i);
	stream_begin(&m->s, m->lane[2], m->now_ns / 1000, KIND_SESSION, "llama");
	stream_begin(&m->s, m->lane[2], m->now_ns / 1000, KIND_LOAD, "load");
	interval(m, 32);
}

static void done(struct made *m)
{
	live_free(m->live);
	stream_done(&m->s);
}

static const struct grid_cell *at(const struct grid *grid, int x, int y)
{
	return &grid->cell[y * grid->columns + x];
}

static void print_styles(const struct grid *grid, int y, FILE *out)
{
	static const char letters[] = ".bdgwr#HSCL";

	for (int x = 0; x < grid->columns; x++)
		fputc(letters[at(grid, x, y)->style], out);
	fputc('\n', out);
}

/* Lines without spaces at their end. has_styles: each followed by a line of letters, one for the style of each cell. */
static void print_grid(const struct grid *grid, FILE *out, int has_styles)
{
	for (int y = 0; y < grid->rows; y++) {
		int end = grid->columns;

		while (end && !strcmp(at(grid, end - 1, y)->s, " "))
			end--;
		for (int x = 0; x < end; x++)
			fputs(at(grid, x, y)->s, out);
		fputc('\n', out);
		if (has_styles)
			print_styles(grid, y, out);
	}
}

static char *drawn(struct made *m, int columns, int rows, int has_styles)
{
	struct grid grid;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(grid_init(&grid, columns, rows), 0);
	top_draw(&m->top, &grid);
	print_grid(&grid, out, has_styles);
	assert_int_equal(fclose(out), 0);
	grid_done(&grid);
	return text;
}

static char *file_text(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text = calloc(1, 1 << 16);

	assert_non_null(file);
	assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
	fclose(file);
	return text;
}

static void check(char *text, const char *name)
{
	char path[400], *expected;
	FILE *file;

	snprintf(path, sizeof path, "%s/data/top/%s", TEST_DIR, name);
	if (getenv("INFTRACE_BLESS")) {
		file = fopen(path, "wb");
		fputs(text, file);
		fclose(file);
	}
	expected = file_text(path);
	assert_string_equal(text, expected);
	free(expected);
	free(text);
}

#define CASE(name) TEST_OF(name, struct made, m, make(m), done(m))

CASE(page_fits_every_size)
{
	static const int sizes[][2] = { { 80, 24 }, { 120, 40 }, { 40, 10 }, { 200, 30 } };
	char name[40];

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		snprintf(name, sizeof name, "page-%dx%d.txt", sizes[i][0], sizes[i][1]);
		check(drawn(m, sizes[i][0], sizes[i][1], 0), name);
	}
	check(drawn(m, 39, 24, 0), "too-narrow.txt");
	m->top.is_ascii = true;
	check(drawn(m, 80, 24, 1), "ascii-styles.txt");
}

/* No size breaks it, and no line is wider than the terminal. */
CASE(page_survives_every_size)
{
	for (int mode = 0; mode < 6; mode++) {
		top_key(&m->top, (uint32_t)"xhn/\\s"[mode]);
		for (int columns = 0; columns < 150; columns += 7)
			for (int rows = 0; rows < 60; rows += 5)
				free(drawn(m, columns, rows, 0));
		top_key(&m->top, TOP_KEY_ESCAPE);
	}
}

/* Bytes that a terminal obeys come from names of models; none reaches it. */
CASE(names_are_harmless)
{
	char *text;
	size_t size;
	FILE *out;

	text = drawn(m, 200, 30, 0);
	assert_null(strchr(text, '\033'));
	assert_non_null(strstr(text, "speech \\x1b[31m"));
	free(text);
	out = open_memstream(&text, &size);
	top_print(&m->top, out, 160);
	fclose(out);
	assert_null(strchr(text, '\033'));
	free(text);
}

CASE(pages_of_help_notes_and_sort)
{
	stream_int(&m->s, KEY_COUNT, 1500);
	stream_text(&m->s, KEY_WHERE, "ring of thread 7, 8192 KiB: full");
	stream_instant(&m->s, m->process[0], m->now_ns / 1000, KIND_LOST, "lost");
	live_tell(m->live, LIVE_NOTE_UNSEEN,
		  "cannot attach to server (77): it belongs to another user; run: sudo inftrace top");
	interval(m, 20);
	check(drawn(m, 80, 24, 0), "page-warning.txt");
	assert_int_equal(top_key(&m->top, TOP_KEY_F1 + 1), TOP_DRAW);
	check(drawn(m, 80, 24, 0), "notes.txt");
	top_key(&m->top, 'x');
	top_key(&m->top, '?');
	check(drawn(m, 80, 40, 0), "help.txt");
	top_key(&m->top, 'x');
	top_key(&m->top, TOP_KEY_F1 + 5);
	check(drawn(m, 80, 24, 0), "sort.txt");
}

/* The line of the page that begins with this PID; 0: there is none. */
static int line_of(struct made *m, const char *pid)
{
	char *text = drawn(m, 120, 40, 0), *line = strtok(text, "\n");
	int n = 0, found = 0;

	for (; line; line = strtok(NULL, "\n"), n++)
		if (!strncmp(line + strspn(line, " "), pid, strlen(pid)))
			found = n;
	free(text);
	return found;
}

static bool has(struct made *m, const char *what)
{
	char *text = drawn(m, 120, 40, 0);
	bool found = strstr(text, what) != NULL;

	free(text);
	return found;
}

static void sort_by(struct made *m, enum top_column column)
{
	top_key(&m->top, TOP_KEY_F1 + 5);
	top_key(&m->top, TOP_KEY_HOME);
	for (int i = 0; i < (int)column; i++)
		top_key(&m->top, TOP_KEY_DOWN);
	top_key(&m->top, TOP_KEY_ENTER);
}

CASE(keys_sort_and_select)
{
	assert_true(line_of(m, "1000") < line_of(m, "1001")); /* by rate */
	assert_true(has(m, "Operators of resnet50 by node"));
	top_key(&m->top, TOP_KEY_DOWN);
	assert_true(has(m, "Operators of speech"));
	sort_by(m, TOP_MEDIAN);
	assert_true(line_of(m, "1001") < line_of(m, "1000"));
	assert_true(has(m, "Operators of speech")); /* selection follows the model */
	top_key(&m->top, 'I');
	assert_true(line_of(m, "1000") < line_of(m, "1001"));
	top_key(&m->top, 't');
	assert_true(has(m, "by type"));
	top_key(&m->top, TOP_KEY_HOME);
	assert_true(has(m, "Operators of llama"));
	top_key(&m->top, TOP_KEY_END);
	assert_true(has(m, "Operators of speech"));
	top_key(&m->top, TOP_KEY_TAB);
	for (int i = 0; i < 100; i++)
		top_key(&m->top, TOP_KEY_DOWN);
	assert_true(has(m, "Conv"));
}

static void type(struct made *m, const char *text)
{
	for (; *text; text++)
		top_key(&m->top, (uint32_t)*text);
}

CASE(keys_search_and_filter)
{
	top_key(&m->top, '/');
	type(m, "llam");
	assert_true(has(m, "Search: llam"));
	top_key(&m->top, TOP_KEY_ENTER);
	assert_true(has(m, "Operators of llama"));
	top_key(&m->top, '\\');
	type(m, "nodex");
	assert_true(has(m, "hidden by the filter"));
	top_key(&m->top, TOP_KEY_BACKSPACE);
	top_key(&m->top, TOP_KEY_ENTER);
	assert_true(line_of(m, "1001") && !line_of(m, "1000"));
	assert_true(has(m, "filter: node"));
	top_key(&m->top, TOP_KEY_ESCAPE);
	assert_true(line_of(m, "1000") && line_of(m, "1001"));
}

CASE(keys_pause_write_and_quit)
{
	assert_false(top_is_paused(&m->top));
	assert_int_equal(top_key(&m->top, ' '), TOP_DRAW);
	assert_true(top_is_paused(&m->top) && has(m, "paused"));
	top_key(&m->top, ' ');
	assert_false(top_is_paused(&m->top));
	assert_int_equal(top_key(&m->top, 'o'), TOP_WRITE);
	assert_int_equal(top_key(&m->top, TOP_KEY_REDRAW), TOP_REDRAW);
	assert_int_equal(top_key(&m->top, 'Z'), TOP_NOTHING);
	assert_int_equal(top_key(&m->top, 'q'), TOP_QUIT);
	assert_int_equal(top_key(&m->top, TOP_KEY_F10), TOP_QUIT);
}

CASE(models_that_do_not_match_are_left_out)
{
	struct err err;

	m->top.models = pattern_new("^res", &err);
	assert_non_null(m->top.models);
	assert_true(line_of(m, "1000") && !line_of(m, "1001"));
	pattern_free(m->top.models);
}

/* --sample 4: of four inferences one is recorded, and three are counted. */
CASE(rates_of_sampled_inferences_are_estimates)
{
	uint64_t n;

	n = live_model(m->live, 0)->sum.n;
	stream_int(&m->s, KEY_COUNT, 3 * (int64_t)(n + 10));
	stream_instant(&m->s, m->process[0], m->now_ns / 1000, KIND_NOTE, EVENT_NOTE_SAMPLED_OUT);
	interval(m, 10);
	assert_true(has(m, " ~40.0 "));
	assert_true(has(m, "inferences only counted (--sample, --rate)"));
	assert_false(has(m, "~8.00"));
}

/* A worker beside the first one: a row for both, or one for each. */
CASE(workers_have_one_row_and_p_shows_each)
{
	for (int i = 0; i < 10; i++)
		run(m, 2, "resnet50", 400, "ok");
	interval(m, 20);
	assert_true(line_of(m, "x2 python") && !line_of(m, "1000"));
	assert_true(has(m, "Operators of resnet50 by node"));
	top_key(&m->top, '\\');
	type(m, "1002");
	top_key(&m->top, TOP_KEY_ENTER);
	assert_true(line_of(m, "x2 python"));
	top_key(&m->top, 'p');
	assert_true(line_of(m, "1002") && !line_of(m, "1000"));
	top_key(&m->top, TOP_KEY_ESCAPE);
	assert_true(line_of(m, "1000") && line_of(m, "1002"));
}

CASE(json_is_one_line_of_json)
{
	char *text;
	size_t size;
	FILE *out;

	m->top.cost.cpu = NAN;
	out = open_memstream(&text, &size);
	top_print_json(&m->top, out, 1700000000000000000u);
	fclose(out);
	assert_ptr_equal(strchr(text, '\n'), text + size - 1);
	check(text, "interval.json");
}

/* Operators of a GPU end before it has computed them: the page, the lines and JSON say so, of that model alone. */
CASE(operators_that_only_start_work_are_marked)
{
	static const char sentence[] = "Operators of CUDA only start work on the device";
	char *text = NULL;
	size_t size;
	FILE *out;

	m->top.chosen = live_model(m->live, 0)->id;
	text = drawn(m, 140, 30, 0);
	assert_null(strstr(text, sentence));
	free(text);
	for (int i = 0; i < 40; i++) {
		uint64_t at_us = m->now_ns / 1000 + (uint64_t)i * 2000;

		m->number++;
		stream_text(&m->s, KEY_OP_TYPE, "Gemm");
		stream_text(&m->s, KEY_PROVIDER, "CUDAExecutionProvider");
		stream_int(&m->s, KEY_INFERENCE, m->number);
		stream_begin(&m->s, m->thread[0], at_us, KIND_OPERATOR, "on_gpu");
		stream_end(&m->s, m->thread[0], at_us + 900);
		stream_inference(&m->s, m->lane[0], at_us, "resnet50", 1, m->number);
		stream_text(&m->s, KEY_STATUS, "ok");
		stream_end(&m->s, m->lane[0], at_us + 1000);
	}
	interval(m, 4);
	text = drawn(m, 80, 30, 0);
	assert_non_null(strstr(text, sentence));
	assert_non_null(strstr(text, "on_gpu"));
	free(text);
	text = drawn(m, 80, 14, 0); /* rows come first */
	assert_null(strstr(text, sentence));
	assert_non_null(strstr(text, "conv_1"));
	free(text);
	out = open_memstream(&text, &size);
	top_print(&m->top, out, 100);
	top_print_json(&m->top, out, 1700000000000000000u);
	fclose(out);
	assert_non_null(strstr(text, "  resnet50: Operators of CUDA only start work"));
	assert_non_null(strstr(text, "\"provider\": \"CUDAExecutionProvider\",\"is_deferred\": true"));
	assert_non_null(strstr(text, "\"provider\": \"CPUExecutionProvider\",\"is_deferred\": false"));
	free(text);
}

/* The table of models is sorted by a figure with noise: rows whose figures hardly differ keep their places. */
CASE(rows_do_not_jump)
{
	int before, n = 0;

	stream_inference(&m->s, m->lane[0], 1, "twin", 2, 900);
	stream_end(&m->s, m->lane[0], 2);
	for (int i = 0; i < 30; i++) {
		for (int k = 0; k < 20 + i % 2; k++)
			run(m, 2, "twin b", 100, "ok");
		for (int k = 0; k < 20 + (i + 1) % 2; k++)
			run(m, 2, "twin a", 100, "ok");
		interval(m, 4);
		before = n;
		n = has(m, "twin b") ? line_of(m, "1002") : 0;
		if (i > LIVE_WINDOW + 1)
			assert_int_equal(n, before);
	}
}
