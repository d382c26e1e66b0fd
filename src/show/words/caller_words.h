/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of the program that asked for inferences, in words. */
#ifndef SHOW_WORDS_CALLER_WORDS_H
#define SHOW_WORDS_CALLER_WORDS_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

/* "classify (/srv/app/classify.py:31)" without folders: "classify (classify.py:31)"; "app+0x1234" of an address. */
struct printable caller_short(const char *caller, int columns, bool is_ascii);
/*
 * "classify (classify.py:31)"; "classify (classify.py:31): 250, warm_up (app.py:9): 50 and 3 more" of several, at most
 * n_most of them, those with most inferences first; "": not known.
 */
struct printable caller_words(const struct summary *summary, const struct summary_model *model, uint32_t n_most,
			      bool is_ascii);
/* The same of its sessions, without counts. */
struct printable caller_words_creation(const struct summary *summary, const struct summary_model *model,
				       uint32_t n_most, bool is_ascii);

#endif
