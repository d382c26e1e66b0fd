/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that all requests of OTLP have, for otlp_*.c: attributes, ids, resources, messages around messages. */
#ifndef FLEET_DOOR_OTLP_PUT_H
#define FLEET_DOOR_OTLP_PUT_H

#include <stdio.h>

#include "base/pb.h"
#include "fleet/door/door.h"

/* LONGEST: a point or a record, with all its attributes. */
enum { OTLP_LONGEST = 32 << 10 };

uint8_t *otlp_put_bytes(uint8_t *at, uint32_t number, const void *data, size_t len);
/* "" is left out. */
uint8_t *otlp_put_attribute(uint8_t *at, uint32_t number, const char *key, const char *text);
/* 32 hexadecimal digits, or 16. */
uint8_t *otlp_put_id(uint8_t *at, uint32_t number, const char *digits);
/* Field 1 of a resource: this watcher, or the service whose inferences they are. */
uint8_t *otlp_put_watcher(uint8_t *at, const struct metrics_own *own);
/* Field 1 of a scope. */
uint8_t *otlp_put_scope(uint8_t *at, const struct metrics_own *own);
/* What is known of an inference of the tail, as attributes. */
uint8_t *otlp_put_row(uint8_t *at, uint32_t number, const struct door_in *in, const struct tail_row *row);
/* A message that is complete, as a field of another one. */
void otlp_wrap(FILE *out, uint32_t number, const void *data, size_t size);
/*
 * A record of a resource of its own: wraps it in scope and resource, whose numbers are the same in all requests. room:
 * OTLP_LONGEST bytes for what is around it.
 */
void otlp_put_record(FILE *out, const struct metrics_own *own, const struct series_labels *labels,
		     const uint8_t *record, size_t size);

#endif
