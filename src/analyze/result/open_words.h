/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences about what did not end. */
#ifndef ANALYZE_RESULT_OPEN_WORDS_H
#define ANALYZE_RESULT_OPEN_WORDS_H

#include "analyze/summary/summary.h"
#include "base/text/printable.h"

/* What lasted longest, if nothing of its kind that ended lasted as long; "": nothing did. */
struct printable open_words(const struct summary *summary, bool is_ascii);
/* Who created a session that its process inherited: "created in 42, before the fork"; "": its process, or unknown. */
struct printable open_creator(const struct summary *summary, const struct summary_session *session);

#endif
