/* SPDX-License-Identifier: Apache-2.0 */
/* Names in a result, for people: labels, providers, steps. Texts are harmless for a terminal (base/printable.h). */
#ifndef ANALYZE_RESULT_RESULT_WORDS_H
#define ANALYZE_RESULT_RESULT_WORDS_H

#include <stdbool.h>

#include "base/text/printable.h"

/* A text of a stranger, "-" for NULL; a provider without "ExecutionProvider". */
struct printable model_text(const char *text, int columns, bool is_ascii);
struct printable model_provider(const char *name, int columns, bool is_ascii);
/* What outputs are compared with: "those of cpu", "those expected". */
struct printable model_against(const char *label, int columns, bool is_ascii);
/* "session created" for the step "session"; another name stays as it is. is_of_tokens: the runs made tokens. */
const char *model_step_words(const char *step, bool is_of_tokens);
/* "create the session", to follow "failed to"; NULL for another name. */
const char *model_step_task(const char *step);

#endif
