// SPDX-License-Identifier: Apache-2.0
/*
 * What programs and those who scrape send: an environment, a cgroup, an Accept header, an address. Texts that are kept
 * end in NUL, are whole, and have no control characters.
 */
#include "fleet/aggregate/origin.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/utf8.h"
#include "fleet/door/door_in.h"
#include "fuzz.h"

static void require_clean(const char *text, size_t size)
{
	size_t len = strnlen(text, size);

	if (len == size || !utf8_is_valid(text, len))
		abort();
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			abort();
}

static void check(const struct origin_program *origin)
{
	require_clean(origin->service, sizeof origin->service);
	require_clean(origin->service_namespace, sizeof origin->service_namespace);
	require_clean(origin->service_version, sizeof origin->service_version);
	require_clean(origin->k8s_namespace, sizeof origin->k8s_namespace);
	require_clean(origin->k8s_pod, sizeof origin->k8s_pod);
	require_clean(origin->pod_uid, sizeof origin->pod_uid);
	require_clean(origin->container, sizeof origin->container);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct origin_program origin = { "" };
	char *text = malloc(size + 1);
	struct address address;
	struct err err;

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = 0;
	origin_take_environment(&origin, text, size);
	origin_take_cgroup(&origin, text, size);
	check(&origin);
	if (prometheus_format_of(text) >= N_PROMETHEUS_FORMATS)
		abort();
	if (!address_parse(text, &address, &err) && !address.size)
		abort();
	secret_is_borne("token", text);
	free(text);
	return 0;
}
