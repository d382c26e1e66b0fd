/* SPDX-License-Identifier: Apache-2.0 */
/* The options of OTLP. What they leave open, the environment says: OTEL_EXPORTER_OTLP_*, of each signal or of all. */
#ifndef FLEET_DOOR_DOOR_OTLP_H
#define FLEET_DOOR_DOOR_OTLP_H

#include <stdbool.h>

enum otlp_signal { OTLP_METRICS, OTLP_TRACES, OTLP_LOGS, N_OTLP_SIGNALS };

/* Texts are borrowed; NULL: not given. */
struct door_otlp_opts {
	const char *url[N_OTLP_SIGNALS]; /* of metrics: also of the others; "none": not sent */
	const char *headers_file;	 /* lines "Name: value" */
	const char *authority;		 /* certificates, PEM, that the receiver's is checked with */
};

/* Whether there is a receiver of any signal. */
bool door_otlp_is_wanted(const struct door_otlp_opts *opts);

#endif
