// SPDX-License-Identifier: Apache-2.0
/* Runs the rows of runtimes[] in a child; the parent checks the child's answer. Names no runtime itself. */
#include "capture/proc/file_version.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "capture/proc/file_look.h"
#include "runtime/file_runtime.h"
#include "runtime/other_runtimes.h"

/* Plain data, because it is sent through a pipe. */
struct answer {
	uint32_t runtime; /* index in runtimes[] */
	char version[32];
	char other[48]; /* the title of one that is not there; "": none */
};

static int look(const struct image_file *file, void *opaque, struct err *err)
{
	struct answer *answer = opaque;
	struct file_runtime in;
	int code = file_runtime_find(&in, file, err);

	if (!code && !in.runtime && other_runtimes_in(&in.rtti))
		snprintf(answer->other, sizeof answer->other, "%s", other_runtimes_in(&in.rtti));
	else if (!code && !in.runtime)
		code = err_set(err, ENOENT, "cannot read the version of %s: it contains no known runtime",
			       image_file_image(file)->path);
	if (!code && in.runtime) {
		while (runtimes[answer->runtime] != in.runtime)
			answer->runtime++;
		snprintf(answer->version, sizeof answer->version, "%s", in.found.version);
	}
	file_runtime_done(&in);
	return code;
}

/* The child has read hostile bytes: rejects a row that does not exist, or a version that is not text. */
static const struct runtime *check(const struct answer *answer)
{
	size_t n = 0;

	while (runtimes[n])
		n++;
	for (size_t i = 0; i < sizeof answer->version && answer->version[i]; i++)
		if (answer->version[i] <= ' ' || answer->version[i] > '~')
			return NULL;
	return answer->runtime < n && memchr(answer->version, 0, sizeof answer->version) ? runtimes[answer->runtime]
											 : NULL;
}

int file_version(struct file_version *found, int fd, const char *name, struct err *err)
{
	struct answer answer = { 0 };
	int code = file_look_at(look, &answer, sizeof answer, fd, name, err);

	*found = (struct file_version){ 0 };
	if (code)
		return code;
	answer.other[sizeof answer.other - 1] = 0;
	if (*answer.other && (found->other = other_runtimes_titled(answer.other)))
		return err_set(err, ENOENT, "cannot read the version of %s: it contains %s", name, found->other);
	found->runtime = check(&answer);
	if (!found->runtime)
		return err_set(err, EIO, "cannot read the version of %s: the answer makes no sense", name);
	memcpy(found->version, answer.version, sizeof found->version);
	return 0;
}
