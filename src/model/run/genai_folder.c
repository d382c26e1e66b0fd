// SPDX-License-Identifier: Apache-2.0
/* Reads the few fields of genai_config.json that say what to run. Checks no model: run_decoder.c does. */
#include "model/run/genai_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/json_fields.h"

enum { MOST_BYTES = 1 << 20 };

struct config {
	const char *file;
	int64_t context_length;
	bool has_pipeline, shares_buffer;
};

#define AT(field) offsetof(struct config, field)

static const struct json_field decoder_fields[] = {
	{ "filename", JSON_FIELD_NAME, AT(file) },
	{ "pipeline", JSON_FIELD_IS_THERE, AT(has_pipeline) },
	{ NULL },
};
static const struct json_field model_fields[] = {
	{ "context_length", JSON_FIELD_WHOLE, AT(context_length) },
	{ "decoder", JSON_FIELD_OBJECT, 0, decoder_fields },
	{ NULL },
};
static const struct json_field search_fields[] = {
	{ "past_present_share_buffer", JSON_FIELD_BOOL, AT(shares_buffer) },
	{ NULL },
};
static const struct json_field fields[] = {
	{ "model", JSON_FIELD_OBJECT, 0, model_fields },
	{ "search", JSON_FIELD_OBJECT, 0, search_fields },
	{ NULL },
};

bool genai_folder_is(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

static int check(struct genai_folder *to, const struct config *config, struct err *err)
{
	if (!config->file && config->has_pipeline)
		return err_set(err, ENOTSUP, "its decoder is a pipeline of several files, which is not supported");
	if (!config->file)
		return err_set(err, EINVAL, "it names no file of a decoder (model.decoder.filename)");
	if (strlen(config->file) >= sizeof to->model)
		return err_set(err, ENAMETOOLONG, "the name of its decoder's file is too long");
	strcpy(to->model, config->file);
	to->context_length = config->context_length > 0 ? config->context_length : 0;
	to->shares_buffer = config->shares_buffer;
	return 0;
}

int genai_folder_parse(struct genai_folder *to, const char *text, size_t size, struct err *err)
{
	struct arena arena = { 0 };
	struct json_fields reader = { .arena = &arena };
	struct config config = { 0 };
	enum json_token token;
	int rc = 0;

	memset(to, 0, sizeof *to);
	json_read_init(&reader.json, text, size);
	token = json_read_next(&reader.json);
	if (token == JSON_OBJECT)
		json_fields_read(&reader, fields, &config);
	else
		json_fields_skip(&reader, token);
	if (reader.is_out_of_memory)
		rc = err_set(err, ENOMEM, "out of memory");
	else if (reader.json.is_broken || json_read_next(&reader.json) != JSON_END)
		rc = err_set(err, EINVAL, "it is not JSON from byte %zu on", (size_t)(reader.json.at - text));
	rc = rc ? rc : check(to, &config, err);
	arena_done(&arena);
	return rc;
}

static int read_config(struct genai_folder *to, const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), rc; /* not for the writer of a pipe */
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
	char *text = malloc(MOST_BYTES);
	struct stat status;
	size_t size;

	if (!in || fstat(fd, &status))
		rc = err_set(err, errno, "%s", strerror(errno));
	else if (!S_ISREG(status.st_mode))
		rc = err_set(err, EINVAL, "it is no file");
	else if (!text)
		rc = err_set(err, ENOMEM, "out of memory");
	else if ((size = fread(text, 1, MOST_BYTES, in)) == MOST_BYTES)
		rc = err_set(err, EFBIG, "it has more than 1 MiB");
	else if (ferror(in))
		rc = err_set(err, errno, "%s", strerror(errno));
	else
		rc = genai_folder_parse(to, text, size, err);
	if (in)
		fclose(in);
	free(text);
	return rc;
}

int genai_folder_read(struct genai_folder *to, const char *path, struct err *err)
{
	char config[PATH_MAX], name[PATH_MAX];

	if (snprintf(config, sizeof config, "%s/genai_config.json", path) >= (int)sizeof config)
		return err_set(err, ENAMETOOLONG, "cannot read %s: the path is too long", path);
	if (access(config, F_OK))
		return err_set(
		    err, ENOENT,
		    "cannot read %s: it is a folder without genai_config.json; pass the .onnx file inside it", path);
	if (read_config(to, config, err))
		return err_wrap(err, "cannot use the folder %s: cannot read its genai_config.json", path);
	memcpy(name, to->model, sizeof name);
	if (snprintf(to->model, sizeof to->model, "%s/%s", path, name) >= (int)sizeof to->model)
		return err_set(err, ENAMETOOLONG, "cannot read %s: the path of its decoder is too long", path);
	return 0;
}
