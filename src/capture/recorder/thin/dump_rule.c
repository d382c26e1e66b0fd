// SPDX-License-Identifier: Apache-2.0
/* Reads rules. Watches nothing. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/opt.h"
#include "capture/recorder/thin/thin_in.h"

static const char *skip_spaces(const char *at)
{
	return at + strspn(at, " \t");
}

static int refuse(const char *text, const char *at, const char *expected, struct err *err)
{
	return err_set(err, EINVAL, "at character %zu: expected %s", (size_t)(at - text) + 1, expected);
}

/* Moves behind the word, unless more letters follow. */
static bool take_word(const char **at, const char *word)
{
	size_t len = strlen(word), n = strspn(*at, "abcdefghijklmnopqrstuvwxyz0123456789.");

	if (n != len || strncmp(*at, word, len) != 0)
		return false;
	*at += len;
	return true;
}

/* p50, p99, p99.9 */
static bool take_quantile(const char **at, double *share)
{
	size_t n = **at == 'p' ? strspn(*at + 1, "0123456789.") : 0;
	char digits[8] = "", *end;

	if (!n || n >= sizeof digits)
		return false;
	memcpy(digits, *at + 1, n);
	*share = strtod(digits, &end) / 100;
	if (*end || *share <= 0 || *share >= 1)
		return false;
	*at += 1 + n;
	return true;
}

static bool take_subject(const char **at, struct dump_rule *rule)
{
	if (take_word(at, "error"))
		rule->kind = DUMP_ERROR;
	else if (take_word(at, "signal"))
		rule->kind = DUMP_SIGNAL;
	else if (take_word(at, "max"))
		rule->kind = DUMP_MAX;
	else if (take_word(at, "mean"))
		rule->kind = DUMP_MEAN;
	else if (take_quantile(at, &rule->share))
		rule->kind = DUMP_QUANTILE;
	else
		return false;
	return true;
}

static bool take_time(const char **at, uint64_t *ns)
{
	size_t n = strcspn(*at, ", \t");
	char text[40];
	struct err ignored;

	if (n >= sizeof text)
		return false;
	snprintf(text, sizeof text, "%.*s", (int)n, *at);
	if (opt_parse_duration(text, ns, &ignored) || !*ns)
		return false;
	*at += n;
	return true;
}

static int take_rule(const char *text, const char **at, struct dump_rule *rule, struct err *err)
{
	const char *begin = *at = skip_spaces(*at);

	*rule = (struct dump_rule){ 0 };
	if (!take_subject(at, rule))
		return refuse(text, begin, "p50, p99 or another percentile, max, mean, error or signal", err);
	snprintf(rule->name, sizeof rule->name, "%.*s", (int)(*at - begin), begin);
	*at = skip_spaces(*at);
	if (rule->kind != DUMP_ERROR && rule->kind != DUMP_SIGNAL) {
		if (**at != '>')
			return refuse(text, *at, "> and a time, such as >50ms", err);
		*at = skip_spaces(*at + 1);
		if (!take_time(at, &rule->limit_ns))
			return refuse(text, *at, "a time such as 50ms", err);
		*at = skip_spaces(*at);
	}
	return **at && **at != ',' ? refuse(text, *at, "a comma or the end", err) : 0;
}

int dump_rules_add(struct dump_rules *rules, const char *text, struct err *err)
{
	const char *at = text;

	do {
		int code;

		if (rules->n == DUMP_RULES)
			return refuse(text, at, "at most 16 conditions in all", err);
		code = take_rule(text, &at, &rules->rule[rules->n], err);
		if (code)
			return code;
		rules->n++;
	} while (*at++ == ',');
	return 0;
}
