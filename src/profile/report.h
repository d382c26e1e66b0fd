/* SPDX-License-Identifier: Apache-2.0 */
/* A report in the making: the text that an exporter writes of the samples of one model. One thread. */
#ifndef PROFILE_REPORT_H
#define PROFILE_REPORT_H

#include "profile/gather.h"
#include "trace/export/exporter.h"

struct report {
	const struct exporter *exporter;
	struct sink *sink; /* NULL: it has no sample yet, or memory ran out */
	int fd;
	struct array defined; /* bool, by number of the track */
	uint32_t n_samples;
	struct array part; /* const struct gather_slice *, of the sample that is put */
};

/* exporter: export_latency_csv or export_chrome. Nothing is open until the first sample. */
void report_init(struct report *report, const struct exporter *exporter);
/* 0, or -errno: the sample is not in it. */
int report_add(struct report *report, const struct gather *gather, const struct sample *sample);
/* Ends the text, for the caller to free, and begins the next one; NULL: out of memory. gather: of its samples. */
char *report_end(struct report *report, struct gather *gather, size_t *len);
/* Drops what there is. */
void report_done(struct report *report);

#endif
