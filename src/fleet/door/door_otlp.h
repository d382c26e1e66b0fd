/* SPDX-License-Identifier: Apache-2.0 */
/* The options of OTLP. */
#ifndef FLEET_DOOR_DOOR_OTLP_H
#define FLEET_DOOR_DOOR_OTLP_H

/* Texts are borrowed; NULL: not given. */
struct door_otlp_opts {
	const char *url;	  /* of the receiver; /v1/metrics is added */
	const char *headers_file; /* lines "Name: value" */
	const char *authority;	  /* certificates, PEM, that the receiver's is checked with */
};

/* Where OTEL_EXPORTER_OTLP_METRICS_ENDPOINT or OTEL_EXPORTER_OTLP_ENDPOINT name a receiver; NULL: they do not. */
const char *door_otlp_url_of_environment(void);

#endif
