/* SPDX-License-Identifier: Apache-2.0 */
/* The changes of a model and its operators as a plot, for a page of HTML. */
#ifndef SHOW_DIFF_DIFF_PLOT_H
#define SHOW_DIFF_DIFF_PLOT_H

#include <stdio.h>

#include "analyze/diff/diff.h"

/* number: of the model on its page. Draws nothing where no change has an interval. */
void diff_plot(FILE *out, const struct diff_pair *pair, uint32_t number);

#endif
