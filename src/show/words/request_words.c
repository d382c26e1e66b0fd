// SPDX-License-Identifier: Apache-2.0
/* Parts of less than a twentieth are left to JSON and queries. */
#include "show/words/request_words.h"

#include <string.h>

#include "base/text/units.h"

enum { NAME = 60, MOST = 4 };

static struct printable name_of(const struct summary *summary, uint32_t name, bool is_ascii)
{
	const char *text = names_text(summary->names, name);

	return printable_text(text, strlen(text), NAME, is_ascii);
}

/* ", 12 ms waited for the GIL, held by burn (app.py:4), in work (app.py:9)" */
static void add_part(struct printable *to, const struct summary *summary, const struct summary_request_part *part,
		     double ns, bool is_ascii)
{
	printable_add(to, "%s %s", units_duration(ns).s, names_text(summary->names, part->state));
	if (part->wait)
		printable_add(to, " (%s)", name_of(summary, part->wait, is_ascii).s);
	if (part->place)
		printable_add(to, " in %s", name_of(summary, part->place, is_ascii).s);
}

struct printable request_words(const struct summary *summary, const struct summary_request *request, bool is_ascii)
{
	const struct summary_request_part *part = summary->request_parts + request->first;
	double n = (double)request->n, wall_ns = (double)request->wall_ns, rest_ns = (double)request->unattributed_ns;
	struct printable text = { "" };

	printable_add(&text, "%s: %s in %s", units_duration(wall_ns / n).s,
		      units_duration((double)request->inferences_ns / n).s,
		      request->n_inferences == request->n
			  ? "1 inference"
			  : printable_count((uint64_t)((double)request->n_inferences / n + 0.5), "inference").s);
	for (uint32_t i = 0; i < request->n_parts; i++) {
		if (i < MOST && (double)part[i].ns >= wall_ns / 20) {
			printable_add(&text, ", ");
			add_part(&text, summary, &part[i], (double)part[i].ns / n, is_ascii);
		} else {
			rest_ns += (double)part[i].ns;
		}
	}
	if (rest_ns >= wall_ns / 20)
		printable_add(&text, ", %s of other things or not known", units_duration(rest_ns / n).s);
	return text;
}

static const struct summary_request *request_of(const struct summary *summary, const struct summary_slow *slow)
{
	for (uint32_t i = 0; i < summary->n_requests; i++) {
		const struct summary_request *request = &summary->requests[i];

		if (request->begin_ns && request->process == slow->process && request->tid == slow->tid &&
		    request->begin_ns <= slow->begin_ns && slow->begin_ns < request->begin_ns + request->wall_ns)
			return request;
	}
	return NULL;
}

struct printable request_words_before(const struct summary *summary, const struct summary_slow *slow, bool is_ascii)
{
	const struct summary_request *request = request_of(summary, slow);
	const struct summary_request_part *part = request ? summary->request_parts + request->first : NULL;
	struct printable text = { "" };
	uint32_t n = 0;

	for (uint32_t i = 0; request && i < request->n_parts && n < MOST; i++) {
		if (part[i].before_ns < request->wall_ns / 20)
			continue;
		if (!n++)
			printable_add(&text,
				      "before, in its request %s (%s): ", name_of(summary, request->name, is_ascii).s,
				      units_duration((double)request->wall_ns).s);
		else
			printable_add(&text, ", ");
		add_part(&text, summary, &part[i], (double)part[i].before_ns, is_ascii);
	}
	return text;
}
