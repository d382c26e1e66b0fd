// SPDX-License-Identifier: Apache-2.0
/* Pieces of the text report. Knows no section. */
#include "show/text/page.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/result/model/recording_result.h"
#include "base/text/provider.h"

const char *page_advice(const struct page *page)
{
	return page->summary->by_process
		   ? "What to try next, process by process (without --by process: for all of a program)"
		   : "What to try next";
}

void page_heading(const struct page *page, const char *fmt, ...)
{
	va_list args;

	fprintf(page->out, "\n%s", table_style(page->opts.has_color, TABLE_BOLD));
	va_start(args, fmt);
	vfprintf(page->out, fmt, args);
	va_end(args);
	fprintf(page->out, "%s\n", table_style(page->opts.has_color, TABLE_PLAIN));
}

/* column: where the line stands already. */
static void print_words(const struct page *page, int indent, int column, char *text)
{
	int used = 0;

	for (char *save, *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		int width = printable_width(word);

		if (used && indent + used + 1 + width > page->opts.width) {
			fputc('\n', page->out);
			used = 0;
		}
		fprintf(page->out, "%*s%s", used ? 1 : indent - column, "", word);
		used += width + (used ? 1 : 0);
		column = 0;
	}
}

void page_text(const struct page *page, int indent, enum table_style style, const char *fmt, ...)
{
	char *text = NULL;
	va_list args;
	int len;

	va_start(args, fmt);
	len = vasprintf(&text, fmt, args);
	va_end(args);
	if (len < 0)
		return;
	fputs(style ? table_style(page->opts.has_color, style) : "", page->out);
	print_words(page, indent, 0, text);
	fputs(style ? table_style(page->opts.has_color, TABLE_PLAIN) : "", page->out);
	fputc('\n', page->out);
	free(text);
}

void page_fact(const struct page *page, int columns, const char *name, const char *text)
{
	char *words = strdup(text);

	fprintf(page->out, "%s%s%s", table_style(page->opts.has_color, TABLE_DIM), name,
		table_style(page->opts.has_color, TABLE_PLAIN));
	if (words)
		print_words(page, columns, printable_width(name), words);
	fputc('\n', page->out);
	free(words);
}

struct table page_table(const struct page *page)
{
	return (struct table){ .indent = 2,
			       .width = page->opts.width,
			       .has_color = page->opts.has_color,
			       .is_ascii = page->opts.is_ascii };
}

struct printable page_name(const struct page *page, uint32_t name, int columns)
{
	const char *text = names_text(page->names, name);
	size_t len = names_len(page->names, name);

	/* messages often end in a line break */
	while (len && (text[len - 1] == '\n' || text[len - 1] == ' '))
		len--;
	if (!len)
		return (struct printable){ "-" };
	return printable_text(text, len, columns, page->opts.is_ascii);
}

struct printable page_provider(const struct page *page, uint32_t name, int columns)
{
	const char *text = names_text(page->names, name);

	if (!name)
		return (struct printable){ "-" };
	return printable_text(text, provider_length(text, names_len(page->names, name)), columns, page->opts.is_ascii);
}

struct printable page_idle(const struct page *page, uint32_t model)
{
	const struct summary_model *own = &page->summary->models[model];
	const struct summary_idle *idle = own->idle.n ? page->summary->idle + own->idle.first : NULL;
	struct printable list = { "" };

	for (uint32_t i = 0; i < own->idle.n; i++)
		printable_add(&list, "%s%s", i ? ", " : "",
			      printable_text(names_text(page->names, own->providers) + idle[i].at, idle[i].len, 40,
					     page->opts.is_ascii)
				  .s);
	return list;
}

bool page_shows(const struct page *page, uint32_t model)
{
	return !page->report || report_shows(page->report, model);
}

uint32_t page_n_shown(const struct page *page)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < page->summary->n_models; i++)
		n += page_shows(page, i);
	return n;
}

struct printable page_model(const struct page *page, uint32_t model, int columns)
{
	return recording_result_label(page->summary, model, columns, page->opts.is_ascii);
}

struct printable page_bar(const struct page *page, double share, int columns)
{
	struct printable text = { "" };
	int eighths = (int)lround(share * columns * 8);

	if (!(share > 0))
		return text;
	for (int i = 0; i < columns; i++, eighths -= 8) {
		if (page->opts.is_ascii)
			printable_add(&text, "%s", eighths >= 4 ? "#" : "");
		else if (eighths > 0)
			printable_add(&text, "\342\226%c", 0x90 - (eighths > 8 ? 8 : eighths));
	}
	return text;
}

struct units_text page_signal(int64_t number)
{
	/* of those that end a program; sigabbrev_np needs glibc 2.32 */
	static const char *const names[] = {
		[SIGHUP] = "HUP",   [SIGINT] = "INT",	    [SIGQUIT] = "QUIT",	    [SIGILL] = "ILL",
		[SIGTRAP] = "TRAP", [SIGABRT] = "ABRT",	    [SIGBUS] = "BUS",	    [SIGFPE] = "FPE",
		[SIGKILL] = "KILL", [SIGUSR1] = "USR1",	    [SIGSEGV] = "SEGV",	    [SIGUSR2] = "USR2",
		[SIGPIPE] = "PIPE", [SIGALRM] = "ALRM",	    [SIGTERM] = "TERM",	    [SIGXCPU] = "XCPU",
		[SIGXFSZ] = "XFSZ", [SIGSTKFLT] = "STKFLT", [SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF",
		[SIGPOLL] = "POLL", [SIGPWR] = "PWR",	    [SIGSYS] = "SYS",
	};
	const char *name = number > 0 && number < (int)(sizeof names / sizeof *names) ? names[number] : NULL;
	struct units_text text;

	snprintf(text.s, sizeof text.s, name ? "SIG%s" : "signal %s", name ? name : units_decimal((double)number).s);
	return text;
}

struct units_text page_offset(const struct page *page, uint64_t time_ns)
{
	uint64_t begin_ns = page->summary->recording.begin_ns;

	return time_ns < begin_ns ? (struct units_text){ "-" } : units_duration((double)(time_ns - begin_ns));
}
