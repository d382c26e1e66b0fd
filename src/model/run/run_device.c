// SPDX-License-Identifier: Apache-2.0
/*
 * Plugin providers: registers their libraries; the runtime then lists the devices of each provider. A library is
 * registered under the name of its provider, because the runtime uses it as the provider's name.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/ort/ort_find.h"
#include "model/ort/ort_plugins.h"
#include "model/run/provider_names.h"
#include "model/run/run.h"

static int register_library(struct run *run, const char *name, const char *path, struct err *err)
{
	struct run_result *result = run->result;
	struct run_library *library;

	if (ORT_API_NEEDS(&run->api, register_library, "register a provider's library", err))
		return -ENOTSUP;
	if (ort_api_check(&run->api, run->api.register_library(run->env, name, path), err, "register %s as %s", path,
			  name))
		return -EIO;
	library = realloc(run->library, (run->n_libraries + 1) * sizeof *library);
	if (!library)
		return err_set(err, ENOMEM, "cannot register %s: out of memory", path);
	run->library = library;
	library[run->n_libraries] = (struct run_library){ strdup(name), strdup(path) };
	if (!library[run->n_libraries].provider || !library[run->n_libraries].path)
		return err_set(err, ENOMEM, "cannot register %s: out of memory", path);
	run->n_libraries++;
	for (uint32_t i = 0; i < result->n_asked; i++)
		if (!strcmp(result->asked[i].name, name))
			snprintf(result->asked[i].library, RUN_PATH, "%s", path);
	return 0;
}

bool run_device_is_inside(const struct run *run, const char *full_name)
{
	for (uint32_t i = 0; i < run->result->n_available; i++)
		if (!strcmp(run->result->available[i], full_name))
			return true;
	return false;
}

static bool is_registered(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->n_libraries; i++)
		if (!strcmp(run->library[i].provider, name))
			return true;
	return false;
}

/* The provider in libonnxruntime_providers_qnn.so: "QNNExecutionProvider". NULL: the name has another form. */
static const char *provider_of_file(const char *path, char *name, size_t size)
{
	static const char prefix[] = "libonnxruntime_providers_";
	const char *file = basename(path), *full;

	if (strncmp(file, prefix, sizeof prefix - 1))
		return NULL;
	file += sizeof prefix - 1;
	snprintf(name, size, "%.*s", (int)strcspn(file, "._"), file);
	full = provider_names_full(name);
	return strcmp(full, name) ? full : NULL;
}

static int register_given(struct run *run, const char *text, struct err *err)
{
	char name[RUN_NAME];
	size_t len;
	const char *path = run_opts_pair(text, &len), *provider;

	if (path && len < sizeof name && !memchr(text, '/', len)) {
		memcpy(name, text, len);
		name[len] = 0;
		return register_library(run, provider_names_full(name), path, err);
	}
	provider = provider_of_file(text, name, sizeof name);
	if (!provider && run->result->n_asked == 1)
		provider = run->result->asked[0].name;
	if (!provider)
		return err_set(err, EINVAL, "cannot register %s: its provider is unknown; pass --ep-library NAME=%s",
			       text, text);
	return register_library(run, provider, text, err);
}

/*
 * Registers the library of an installed Python package; does nothing when the provider is built in or the runtime is
 * too old for plugins.
 */
static int register_found(struct run *run, const char *name, struct err *err)
{
	const char *pattern = provider_names_package(name);
	char path[PATH_MAX];

	if (!pattern || is_registered(run, name) || run_device_is_inside(run, name) || !run->api.register_library ||
	    !ort_find_in_packages(run->result->runtime_path, pattern, path, sizeof path))
		return 0;
	return register_library(run, name, path, err);
}

/* Registers all installed and usable packages, to choose from. */
static void register_all(struct run *run)
{
	struct err why;

	for (size_t i = 0; ort_plugins_provider(i); i++)
		if (register_found(run, ort_plugins_provider(i), &why))
			run_log_line(why.msg);
}

static void add_text(char *text, size_t size, const char *key, const char *value)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s=%s", used ? " " : "", key, value);
}

static void add_pairs(const struct ort_api *api, const struct ort_pairs *pairs, char *text, size_t size)
{
	ort_texts key = NULL, value = NULL;
	size_t n = 0;

	if (!pairs)
		return;
	api->pairs_all(pairs, &key, &value, &n);
	for (size_t i = 0; i < n; i++)
		add_text(text, size, key[i], value[i]);
}

static void note_device(const struct ort_api *api, const struct ort_device *from, struct run_device *to)
{
	const struct ort_hardware *hardware = api->device_hardware(from);
	int type = api->hardware_type(hardware);

	snprintf(to->provider, sizeof to->provider, "%s", api->device_provider(from));
	snprintf(to->provider_vendor, sizeof to->provider_vendor, "%s", api->device_vendor(from));
	snprintf(to->vendor, sizeof to->vendor, "%s", api->hardware_vendor(hardware));
	to->type = type >= 0 && type < RUN_DEVICE_OTHER ? (uint32_t)type : RUN_DEVICE_OTHER;
	add_pairs(api, api->device_metadata(from), to->metadata, sizeof to->metadata);
	add_pairs(api, api->hardware_metadata(hardware), to->metadata, sizeof to->metadata);
}

static int list_devices(struct run *run, struct err *err)
{
	struct run_result *result = run->result;

	if (!run->api.devices)
		return run->opts->list_devices ? ORT_API_NEEDS(&run->api, devices, "list devices", err) : 0;
	if (ort_api_check(&run->api, run->api.devices(run->env, &run->device, &run->n_devices), err, "list devices"))
		return -EIO;
	if (run->n_devices > RUN_MAX_DEVICES)
		run->n_devices = RUN_MAX_DEVICES;
	for (size_t i = 0; i < run->n_devices; i++)
		note_device(&run->api, run->device[i], &result->devices[i]);
	result->n_devices = (uint32_t)run->n_devices;
	return 0;
}

int run_device_libraries(struct run *run, struct err *err)
{
	const struct run_opts *opts = run->opts;

	for (size_t i = 0; i < opts->provider_library.n; i++)
		if (register_given(run, opts->provider_library.item[i], err))
			return -err->code;
	for (uint32_t i = 0; i < run->result->n_asked; i++)
		if (register_found(run, run->result->asked[i].name, err))
			return -err->code;
	if (opts->list_devices || opts->policy)
		register_all(run);
	return list_devices(run, err);
}

static bool has_value(const struct run_device *device, const char *text)
{
	static const char *const types[] = { "cpu", "gpu", "npu", "other" };
	const char *at = device->metadata;
	size_t len = strlen(text);

	if (!strncmp(text, "type=", 5))
		return !strcasecmp(text + 5, types[device->type]);
	if (!strncmp(text, "vendor=", 7))
		return !strcasecmp(text + 7, device->vendor);
	for (; (at = strstr(at, text)); at++)
		if ((at == device->metadata || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

/* Whether device i is listed in "0,2". */
static bool is_selected(const char *text, size_t i)
{
	for (char *end; *text; text = *end == ',' ? end + 1 : end) {
		unsigned long number = strtoul(text, &end, 10);

		if (end == text)
			return false;
		if (number == i)
			return true;
	}
	return false;
}

int run_device_choose(struct run *run, const char *provider, struct err *err)
{
	const struct run_opts *opts = run->opts;
	int n = 0, n_all = 0;

	for (size_t i = 0; i < run->n_devices; i++) {
		struct run_device *device = &run->result->devices[i];
		bool is_wanted = !strcmp(device->provider, provider);

		n_all += is_wanted;
		if (opts->select_devices)
			is_wanted &= is_selected(opts->select_devices, i);
		for (size_t k = 0; k < opts->filter_device.n; k++)
			is_wanted &= has_value(device, opts->filter_device.item[k]);
		device->is_chosen |= is_wanted;
		n += is_wanted;
	}
	if (n || !n_all)
		return n;
	return err_set(
	    err, ENODEV,
	    "cannot use %s: --select-devices and --filter-device exclude all of its %d device%s; see --list-devices",
	    provider, n_all, n_all == 1 ? "" : "s");
}
