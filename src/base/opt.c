// SPDX-License-Identifier: Apache-2.0
/* Parses options by their table. Does not print: help, manual pages and completion read the same table elsewhere. */
#include "base/opt.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/near.h"

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit time_units[] = {
	{ "", 1000000000 },	 { "ns", 1 },
	{ "us", 1000 },		 { "ms", 1000000 },
	{ "s", 1000000000 },	 { "m", 60000000000 },
	{ "min", 60000000000 },	 { "h", 3600000000000 },
	{ "d", 86400000000000 }, { 0 },
};

static const struct unit size_units[] = {
	{ "", 1 },
	{ "B", 1 },
	{ "K", 1 << 10 },
	{ "KB", 1 << 10 },
	{ "KiB", 1 << 10 },
	{ "k", 1 << 10 },
	{ "M", 1 << 20 },
	{ "MB", 1 << 20 },
	{ "MiB", 1 << 20 },
	{ "G", 1 << 30 },
	{ "GB", 1 << 30 },
	{ "GiB", 1 << 30 },
	{ 0 },
};

/* Reads digits at *text and moves it behind them. false: none, or too large. */
static bool read_digits(const char **text, uint64_t *value)
{
	const char *start = *text;

	for (*value = 0; **text >= '0' && **text <= '9'; ++*text)
		if (__builtin_mul_overflow(*value, 10, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(**text - '0'), value))
			return false;
	return *text > start;
}

/* Reads the digits behind a decimal point, at most nine, as billionths. */
static bool read_fraction(const char **text, uint64_t *billionths)
{
	uint64_t scale = 100000000;

	*billionths = 0;
	if (**text != '.')
		return true;
	++*text;
	if (**text < '0' || **text > '9')
		return false;
	for (; **text >= '0' && **text <= '9'; ++*text, scale /= 10)
		*billionths += scale * (uint64_t)(**text - '0');
	return true;
}

static bool read_quantity(const char *text, const struct unit *units, uint64_t *value)
{
	uint64_t whole, billionths, part;

	if (!read_digits(&text, &whole) || !read_fraction(&text, &billionths))
		return false;
	for (; units->name; units++) {
		if (strcmp(units->name, text) != 0)
			continue;
		part = (uint64_t)((double)billionths * (double)units->factor / 1e9 + 0.5);
		return !__builtin_mul_overflow(whole, units->factor, &whole) &&
		       !__builtin_add_overflow(whole, part, value);
	}
	return false;
}

int opt_parse_duration(const char *text, uint64_t *ns, struct err *err)
{
	if (!read_quantity(text, time_units, ns))
		return err_set(err, EINVAL, "expected a time such as 500us, 10ms, 1.5s, 2m or 1h");
	return 0;
}

int opt_parse_size(const char *text, uint64_t *bytes, struct err *err)
{
	if (!read_quantity(text, size_units, bytes))
		return err_set(err, EINVAL, "expected a size such as 4096, 256K, 1M or 2G");
	return 0;
}

static int parse_int(const char *text, int *value, struct err *err)
{
	uint64_t wide;

	if (!read_digits(&text, &wide) || *text)
		return err_set(err, EINVAL, "expected a whole number");
	if (wide > INT_MAX)
		return err_set(err, EINVAL, "the largest value is %d", INT_MAX);
	*value = (int)wide;
	return 0;
}

static int parse_period(const char *text, uint64_t *ns, struct err *err)
{
	int code = opt_parse_duration(text, ns, err);

	return !code && !*ns ? err_set(err, EINVAL, "it must be more than 0") : code;
}

/* Whether text is one of the words of "a|b|c". */
static int check_choice(const char *words, const char *text, struct err *err)
{
	size_t len = strlen(text);

	for (const char *word = words; *word; word += *word == '|') {
		size_t word_len = strcspn(word, "|");

		if (word_len == len && !memcmp(word, text, len))
			return 0;
		word += word_len;
	}
	return err_set(err, EINVAL, "expected one of %s", words);
}

static int add_to_list(struct opt_list *list, const char *text, struct err *err)
{
	if (list->n == sizeof list->item / sizeof *list->item)
		return err_set(err, EINVAL, "it may be given at most %zu times", list->n);
	list->item[list->n++] = text;
	return 0;
}

static int set_value(const struct opt *row, void *opts, const char *value, struct err *err)
{
	void *field = (char *)opts + row->offset;

	switch (row->type) {
	case OPT_FLAG:
		*(bool *)field = true;
		return 0;
	case OPT_CHOICE:
		if (check_choice(row->metavar, value, err))
			return -EINVAL;
		*(const char **)field = value;
		return 0;
	case OPT_STR:
		*(const char **)field = value;
		return 0;
	case OPT_INT:
		return parse_int(value, field, err);
	case OPT_DURATION:
		return opt_parse_duration(value, field, err);
	case OPT_PERIOD:
		return parse_period(value, field, err);
	case OPT_SIZE:
		return opt_parse_size(value, field, err);
	case OPT_LIST:
		return add_to_list(field, value, err);
	}
	return err_set(err, EINVAL, "of an unknown type");
}

static int set_defaults(const struct opt *table, void *opts, struct err *err)
{
	for (const struct opt *row = table; !opt_is_end(row); row++)
		if (row->name && row->fallback && set_value(row, opts, row->fallback, err))
			return err_wrap(err, "cannot use '%s' as the default of --%s", row->fallback, row->name);
	return 0;
}

static const struct opt *find_name(const struct opt *table, const char *name, size_t len)
{
	for (; !opt_is_end(table); table++)
		if (table->name && strlen(table->name) == len && !memcmp(table->name, name, len))
			return table;
	return NULL;
}

static const struct opt *find_letter(const struct opt *table, char letter)
{
	for (; !opt_is_end(table); table++)
		if (table->name && table->letter == letter)
			return table;
	return NULL;
}

static int unknown_name(const struct opt *table, const char *name, size_t len, struct err *err)
{
	struct near near;

	near_init(&near, name, len);
	near_offer(&near, "help");
	for (; !opt_is_end(table); table++)
		if (table->name)
			near_offer(&near, table->name);
	if (near_best(&near))
		return err_set(err, EINVAL, "unknown option --%.*s; did you mean --%s?", (int)len, name,
			       near_best(&near));
	return err_set(err, EINVAL, "unknown option --%.*s", (int)len, name);
}

static int unknown_letter(const struct opt *table, char letter, struct err *err)
{
	for (; !opt_is_end(table); table++) {
		if (!table->name || table->former != letter)
			continue;
		if (table->letter)
			return err_set(err, EINVAL, "unknown option -%c; it is called -%c (--%s) now", letter,
				       table->letter, table->name);
		return err_set(err, EINVAL, "unknown option -%c; it is called --%s now", letter, table->name);
	}
	return err_set(err, EINVAL, "unknown option -%c", letter);
}

/* The words of the command line that are still to be parsed, and those found to be arguments. */
struct words {
	char **argv;
	int argc, at, n_rest;
};

static int take_value(const struct opt *row, void *opts, struct words *words, const char *value, struct err *err)
{
	if (!value && words->at < words->argc)
		value = words->argv[words->at++];
	if (!value)
		return err_set(err, EINVAL, "option --%s needs a value: --%s %s", row->name, row->name, row->metavar);
	if (set_value(row, opts, value, err))
		return err_wrap(err, "cannot use '%s' as --%s", value, row->name);
	return 0;
}

static int parse_name(const struct opt *table, void *opts, struct words *words, const char *name, struct err *err)
{
	size_t len = strcspn(name, "=");
	const struct opt *row = find_name(table, name, len);

	if (!row && len == 4 && !memcmp(name, "help", 4))
		return OPT_HELP;
	if (!row)
		return unknown_name(table, name, len, err);
	if (row->type != OPT_FLAG)
		return take_value(row, opts, words, name[len] ? name + len + 1 : NULL, err);
	if (name[len])
		return err_set(err, EINVAL, "option --%s takes no value", row->name);
	return set_value(row, opts, NULL, err);
}

static int parse_letters(const struct opt *table, void *opts, struct words *words, const char *letters, struct err *err)
{
	for (; *letters; letters++) {
		const struct opt *row = find_letter(table, *letters);

		if (!row && *letters == 'h')
			return OPT_HELP;
		if (!row)
			return unknown_letter(table, *letters, err);
		if (row->type != OPT_FLAG)
			return take_value(row, opts, words, letters[1] ? letters + 1 : NULL, err);
		set_value(row, opts, NULL, err);
	}
	return 0;
}

int opt_parse(const struct opt *table, void *opts, int argc, char **argv, enum opt_order order, struct err *err)
{
	struct words words = { .argv = argv, .argc = argc };
	bool is_over = false;
	int rc = set_defaults(table, opts, err);

	while (!rc && words.at < argc) {
		char *word = argv[words.at++];

		if (is_over || word[0] != '-' || !word[1]) {
			argv[words.n_rest++] = word;
			is_over = is_over || order == OPT_FIRST;
		} else if (!strcmp(word, "--")) {
			is_over = true;
		} else if (word[1] == '-') {
			rc = parse_name(table, opts, &words, word + 2, err);
		} else {
			rc = parse_letters(table, opts, &words, word + 1, err);
		}
	}
	return rc ? rc : words.n_rest;
}

int opt_misused(struct err *err, const char *fmt, ...)
{
	char msg[sizeof err->msg];
	va_list args;

	va_start(args, fmt);
	vsnprintf(msg, sizeof msg, fmt, args);
	va_end(args);
	return err_set(err, OPT_MISUSED, "%s", msg);
}
