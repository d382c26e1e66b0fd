// SPDX-License-Identifier: Apache-2.0
/*
 * The copies of ONNX Runtime that `inftrace model` could use, and the execution providers that each says it has. To say
 * that it must be loaded, which happens in a child process: one that crashes or hangs is a line that says so.
 */
#include "cmd/doctor.h"

#include <stdio.h>

#include "base/json.h"
#include "model/ort_ask.h"
#include "model/ort_find.h"

enum { TIMEOUT_MS = 10000 };

static void print_one(const struct ort_found *found, const struct ort_answer *answer, const char *why_not)
{
	printf("  %-4s onnxruntime %-10s %s (%s)\n", why_not ? "no" : "ok", *found->version ? found->version : "?",
	       found->path, found->how);
	if (why_not) {
		printf("       %s\n", why_not);
		return;
	}
	printf("       providers:");
	for (size_t i = 0; i < answer->n_providers; i++)
		printf("%s %s", i ? "," : "", answer->provider[i]);
	printf("\n");
}

static void write_one(struct json *json, const struct ort_found *found, const struct ort_answer *answer,
		      const char *why_not)
{
	json_object(json, NULL);
	json_text(json, "version", *found->version ? found->version : NULL);
	json_text(json, "path", found->path);
	json_text(json, "found", found->how);
	json_text(json, "reason", why_not);
	json_array(json, "providers");
	for (size_t i = 0; i < answer->n_providers; i++)
		json_text(json, NULL, answer->provider[i]);
	json_end(json, ']');
	json_end(json, '}');
}

int doctor_providers(struct json *json, struct err *err)
{
	struct ort_found_list list;
	int rc = ort_find_all(NULL, &list, err);

	if (rc)
		return rc;
	if (json)
		json_array(json, "model_runtimes");
	for (size_t i = 0; i < list.n; i++) {
		struct ort_answer answer = { 0 };
		const char *why_not = list.item[i].why_not;
		struct err why;

		if (!*why_not)
			why_not = ort_ask(list.item[i].path, TIMEOUT_MS, &answer, &why) ? why.msg : NULL;
		if (json)
			write_one(json, &list.item[i], &answer, why_not);
		else
			print_one(&list.item[i], &answer, why_not);
	}
	if (json)
		json_end(json, ']');
	else if (!list.n)
		puts("  none found; give inftrace model --runtime PATH, or: pip install onnxruntime");
	ort_find_done(&list);
	return 0;
}
