// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "fleet/door/door_in.h"

enum { RESOURCE = 1, RESOURCE_ATTRIBUTE = 1, SCOPE = 1, SCOPE_NAME = 1, SCOPE_VERSION, KEY = 1, VALUE };
enum { REQUEST_OF_RESOURCE = 1, OF_SCOPE = 2, RECORD = 2 };
enum { STRING_VALUE = 1, INT_VALUE = 3 };

uint8_t *otlp_put_bytes(uint8_t *at, uint32_t number, const void *data, size_t len)
{
	at = pb_put_varint(pb_put_varint(at, PB_TAG(number, PB_BYTES)), len);
	memcpy(at, data, len);
	return at + len;
}

uint8_t *otlp_put_attribute(uint8_t *at, uint32_t number, const char *key, const char *text)
{
	uint8_t *inside, *value;

	if (!*text)
		return at;
	at = pb_open(at, number, &inside);
	at = otlp_put_bytes(at, KEY, key, strlen(key));
	at = pb_open(at, VALUE, &value);
	at = otlp_put_bytes(at, STRING_VALUE, text, strlen(text));
	at = pb_close(at, value);
	return pb_close(at, inside);
}

static uint8_t *otlp_put_integer(uint8_t *at, uint32_t number, const char *key, int64_t integer)
{
	uint8_t *inside, *value;

	at = pb_open(at, number, &inside);
	at = otlp_put_bytes(at, KEY, key, strlen(key));
	at = pb_open(at, VALUE, &value);
	at = pb_put_uint(at, INT_VALUE, (uint64_t)integer);
	at = pb_close(at, value);
	return pb_close(at, inside);
}

uint8_t *otlp_put_id(uint8_t *at, uint32_t number, const char *digits)
{
	uint8_t id[16];
	size_t n = strlen(digits) / 2;
	unsigned byte;

	for (size_t i = 0; i < n && i < sizeof id; i++)
		id[i] = sscanf(digits + 2 * i, "%2x", &byte) == 1 ? (uint8_t)byte : 0;
	return otlp_put_bytes(at, number, id, n);
}

static const char *host_id(const struct origin_host *host)
{
	return *host->machine ? host->machine : host->boot;
}

uint8_t *otlp_put_watcher(uint8_t *at, const struct metrics_own *own)
{
	const struct origin_host *host = &own->host;
	uint8_t *inside;

	at = pb_open(at, RESOURCE, &inside);
	at = otlp_put_attribute(at, RESOURCE_ATTRIBUTE, "service.name", "inftrace");
	at = otlp_put_attribute(at, RESOURCE_ATTRIBUTE, "service.version", own->version);
	at = otlp_put_attribute(at, RESOURCE_ATTRIBUTE, "service.instance.id", host->name);
	at = otlp_put_attribute(at, RESOURCE_ATTRIBUTE, "host.name", host->name);
	at = otlp_put_attribute(at, RESOURCE_ATTRIBUTE, "host.id", host_id(host));
	return pb_close(at, inside);
}

static uint8_t *otlp_put_service(uint8_t *at, const struct metrics_own *own, const struct series_labels *labels)
{
	uint8_t *inside;

	at = pb_open(at, RESOURCE, &inside);
	at = otlp_put_attribute(at, RESOURCE_ATTRIBUTE, "service.name", labels->service);
	at = otlp_put_attribute(at, RESOURCE_ATTRIBUTE, "service.version", labels->service_version);
	at = otlp_put_attribute(at, RESOURCE_ATTRIBUTE, "k8s.namespace.name", labels->k8s_namespace);
	at = otlp_put_attribute(at, RESOURCE_ATTRIBUTE, "k8s.pod.name", labels->k8s_pod);
	at = otlp_put_attribute(at, RESOURCE_ATTRIBUTE, "container.name", labels->container);
	at = otlp_put_attribute(at, RESOURCE_ATTRIBUTE, "host.name", own->host.name);
	at = otlp_put_attribute(at, RESOURCE_ATTRIBUTE, "host.id", host_id(&own->host));
	return pb_close(at, inside);
}

uint8_t *otlp_put_scope(uint8_t *at, const struct metrics_own *own)
{
	uint8_t *inside;

	at = pb_open(at, SCOPE, &inside);
	at = otlp_put_bytes(at, SCOPE_NAME, "inftrace", strlen("inftrace"));
	at = otlp_put_bytes(at, SCOPE_VERSION, own->version, strlen(own->version));
	return pb_close(at, inside);
}

/* -1: not known. */
static uint8_t *put_known(uint8_t *at, uint32_t number, const char *key, int64_t value)
{
	return value < 0 ? at : otlp_put_integer(at, number, key, value);
}

uint8_t *otlp_put_row(uint8_t *at, uint32_t number, const struct door_in *in, const struct tail_row *row)
{
	const struct tail_run *run = &row->run;
	const struct series_labels *labels = &run->series->labels;
	const char *recording = fleet_recording_of(in->fleet, run);
	char why[TAIL_WHY];

	tail_say_why(run, why, sizeof why);
	at = otlp_put_attribute(at, number, "inftrace.model", labels->model);
	at = otlp_put_attribute(at, number, "inftrace.runtime", labels->runtime);
	at = otlp_put_attribute(at, number, "inftrace.runtime_version", labels->runtime_version);
	at = otlp_put_attribute(at, number, "inftrace.provider", labels->provider);
	at = otlp_put_attribute(at, number, "inftrace.device", labels->device);
	at = otlp_put_attribute(at, number, "inftrace.reason", tail_reason_name(row->reason));
	at = otlp_put_integer(at, number, "inftrace.weight", (int64_t)row->weight);
	at = otlp_put_integer(at, number, "process.pid", run->pid);
	at = otlp_put_integer(at, number, "thread.id", run->tid);
	at = otlp_put_integer(at, number, "inftrace.inference", (int64_t)run->number);
	at = put_known(at, number, "inftrace.cpu_ns", run->cpu_ns);
	at = put_known(at, number, "inftrace.cpu_wait_ns", run->queued_ns);
	at = put_known(at, number, "inftrace.major_faults", run->major_faults);
	at = put_known(at, number, "inftrace.read_bytes", run->read_bytes);
	at = otlp_put_integer(at, number, "inftrace.at_a_time", (int64_t)run->n_open);
	at = otlp_put_attribute(at, number, "inftrace.why", why);
	at = otlp_put_attribute(at, number, "inftrace.operators", *run->operators ? run->operators : "not seen");
	return recording ? otlp_put_attribute(at, number, "inftrace.recording", recording) : at;
}

void otlp_wrap(FILE *out, uint32_t number, const void *data, size_t size)
{
	uint8_t head[2 * PB_VARINT_MAX], *at = pb_put_varint(head, PB_TAG(number, PB_BYTES));

	at = pb_put_varint(at, size);
	fwrite(head, 1, (size_t)(at - head), out);
	fwrite(data, 1, size, out);
}

void otlp_put_record(FILE *out, const struct metrics_own *own, const struct series_labels *labels,
		     const uint8_t *record, size_t size)
{
	uint8_t *buf = malloc(2 * OTLP_LONGEST), *at = buf, *scope;

	if (!buf)
		return;
	at = labels ? otlp_put_service(at, own, labels) : otlp_put_watcher(at, own);
	at = pb_open(at, OF_SCOPE, &scope);
	at = otlp_put_scope(at, own);
	at = otlp_put_bytes(at, RECORD, record, size);
	at = pb_close(at, scope);
	otlp_wrap(out, REQUEST_OF_RESOURCE, buf, (size_t)(at - buf));
	free(buf);
}
