// SPDX-License-Identifier: Apache-2.0
/*
 * Adds the requested providers to the session, in order: plugin providers by their devices, built-in ones by their own
 * function or the general one. The CPU provider is always present and last.
 */
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/near.h"
#include "model/run/provider_names.h"
#include "model/run/run.h"

enum { MAX_OPTIONS = 64 };

/* Options of one provider, as the runtime's two arrays. */
struct options {
	const char *key[MAX_OPTIONS], *value[MAX_OPTIONS];
	size_t n;
};

static int add_option(struct options *options, const char *key, const char *value, struct err *err)
{
	if (options->n == MAX_OPTIONS)
		return err_set(err, E2BIG, "a provider takes at most %d options", MAX_OPTIONS);
	options->key[options->n] = key;
	options->value[options->n++] = value;
	return 0;
}

static bool has_option(const struct options *options, const char *key)
{
	for (size_t i = 0; i < options->n; i++)
		if (!strcmp(options->key[i], key))
			return true;
	return false;
}

/* Whether the option NAME:KEY=VALUE belongs to this provider. Without a name it belongs to the first requested one. */
static bool is_option_of(const struct run *run, const char *text, const char *provider, const char **key)
{
	const char *colon = memchr(text, ':', strcspn(text, "="));
	char name[RUN_NAME];

	*key = colon ? colon + 1 : text;
	if (!colon)
		return run->result->n_asked && !strcmp(run->result->asked[0].name, provider);
	snprintf(name, sizeof name, "%.*s", (int)(colon - text), text);
	return !strcmp(provider_names_full(name), provider);
}

/* The options for this provider on the command line. Their texts live until the end. */
static int take_given(const struct run *run, const char *provider, struct options *options, struct err *err)
{
	const struct opt_list *list = &run->opts->provider_option;

	for (size_t i = 0; i < list->n; i++) {
		const char *text;
		char *key, *equals;

		if (!is_option_of(run, list->item[i], provider, &text))
			continue;
		key = strdup(text);
		equals = key ? strchr(key, '=') : NULL;
		if (!equals)
			return err_no_memory(err, "cannot set the provider's options");
		*equals = 0;
		if (add_option(options, key, equals + 1, err))
			return -E2BIG;
	}
	return 0;
}

/* An option for a provider that is not requested would be ignored silently. */
static int check_given(const struct run *run, struct err *err)
{
	const struct opt_list *list = &run->opts->provider_option;
	const char *key;

	for (size_t i = 0; i < list->n; i++) {
		bool is_taken = false;

		for (uint32_t k = 0; k < run->result->n_asked; k++)
			is_taken |= is_option_of(run, list->item[i], run->result->asked[k].name, &key);
		for (size_t k = 0; k < run->n_libraries && run->opts->policy; k++)
			is_taken |= is_option_of(run, list->item[i], run->library[k].provider, &key);
		if (!is_taken)
			return err_set(err, EINVAL,
				       run->opts->policy
					   ? "cannot use '%s' as --ep-option: with --policy the form is "
					     "NAME:KEY=VALUE, for a provider whose library is registered"
					   : "cannot use '%s' as --ep-option: --ep does not name this provider",
				       list->item[i]);
	}
	return 0;
}

/* The path of a file beside the provider's library, or in the folder of its profiles; NULL: out of memory. */
static char *path_of(const char *folder, size_t len, const char *name)
{
	char *path = malloc(len + strlen(name) + 2);

	if (path)
		sprintf(path, "%.*s/%s", (int)len, folder, name);
	return path;
}

/* Without a backend, QNN silently leaves every node to the CPU, or finds no device. */
static int add_backend(const char *library, struct options *options, struct err *err)
{
	const char *slash = strrchr(library, '/');
	char *path;

	if (!slash || has_option(options, "backend_path") || has_option(options, "backend_type"))
		return 0;
	path = path_of(library, (size_t)(slash - library), "libQnnHtp.so");
	return path && !access(path, R_OK) ? add_option(options, "backend_path", path, err) : 0;
}

static int complete_qnn(struct run *run, const struct run_provider *asked, struct options *options, struct err *err)
{
	char *path;

	if (add_backend(asked->library, options, err))
		return -E2BIG;
	if (!run->opts->ep_profile)
		return 0;
	path = path_of(run->opts->ep_profile_dir, strlen(run->opts->ep_profile_dir), "qnn-profile.csv");
	if (!path)
		return err_no_memory(err, "cannot enable QNN's profiler");
	snprintf(run->result->provider_profile_path, RUN_PATH, "%s", path);
	if (add_option(options, "profiling_level", run->opts->ep_profile, err))
		return -E2BIG;
	return add_option(options, "profiling_file_path", path, err);
}

static int make_profile_folder(const struct run_opts *opts, struct err *err)
{
	if (!opts->ep_profile || !mkdir(opts->ep_profile_dir, 0777) || errno == EEXIST)
		return 0;
	return err_set(err, errno, "cannot create the folder %s: %s", opts->ep_profile_dir, strerror(errno));
}

/* Other providers write to the runtime's profile. */
static int profile_in_runtime(struct run *run, struct err *err)
{
	const struct ort_api *api = &run->api;
	char *prefix;

	if (!run->opts->ep_profile || run->opts->profile || run->result->profile_path[0])
		return 0;
	prefix = path_of(run->opts->ep_profile_dir, strlen(run->opts->ep_profile_dir), "runtime-profile");
	if (!prefix)
		return err_no_memory(err, "cannot enable the provider's profiler");
	snprintf(run->result->profile_path, RUN_PATH, "%s", prefix);
	return ort_api_check(api, api->enable_profiling(run->options, prefix), err, "enable the runtime's profiler");
}

static void note_options(struct run_provider *asked, const struct options *options)
{
	size_t used = 0;

	for (size_t i = 0; i < options->n && used < sizeof asked->options; i++)
		used += (size_t)snprintf(asked->options + used, sizeof asked->options - used, "%s%s=%s", i ? " " : "",
					 options->key[i], options->value[i]);
}

static int append_devices(struct run *run, const struct run_provider *asked, const struct options *options, int n,
			  struct err *err)
{
	const struct ort_api *api = &run->api;
	const struct ort_device *chosen[RUN_MAX_DEVICES];
	size_t n_chosen = 0;

	for (size_t i = 0; i < run->n_devices && n_chosen < (size_t)n; i++)
		if (run->result->devices[i].is_chosen && !strcmp(run->result->devices[i].provider, asked->name))
			chosen[n_chosen++] = run->device[i];
	return ort_api_check(
	    api,
	    api->append_devices(run->options, run->env, chosen, n_chosen, options->key, options->value, options->n),
	    err, "use %s", asked->name);
}

/* Providers with an options object: create, fill, append, release. */
struct by_object {
	struct ort_status *(*create)(struct ort_provider_options **);
	struct ort_status *(*update)(struct ort_provider_options *, ort_texts, ort_texts, size_t);
	struct ort_status *(*append)(struct ort_session_options *, const struct ort_provider_options *);
	void (*release)(struct ort_provider_options *);
};

static int append_by_object(struct run *run, const char *name, const struct options *options,
			    const struct by_object *by, struct err *err)
{
	struct ort_provider_options *object = NULL;
	int rc;

	if (!by->create || !by->append)
		return err_set(err, ENOTSUP, "cannot use %s: ONNX Runtime %s lacks it", name, run->api.version);
	rc = ort_api_check(&run->api, by->create(&object), err, "use %s", name);
	if (!rc && options->n)
		rc = ort_api_check(&run->api, by->update(object, options->key, options->value, options->n), err,
				   "use the options of %s", name);
	if (!rc)
		rc = ort_api_check(&run->api, by->append(run->options, object), err, "use %s", name);
	if (object)
		by->release(object);
	return rc;
}

static int append_by_name(struct run *run, const char *name, const char *generic, const struct options *options,
			  struct err *err)
{
	return ort_api_check(&run->api,
			     run->api.append_provider(run->options, generic, options->key, options->value, options->n),
			     err, "use %s", name);
}

/* The exported functions of old releases: their only parameter is a device number. */
static int append_by_symbol(struct run *run, const struct provider_name *provider, const struct options *options,
			    struct err *err)
{
	struct ort_status *(*append)(struct ort_session_options *, int);
	char symbol[128];

	snprintf(symbol, sizeof symbol, "OrtSessionOptionsAppendExecutionProvider_%s", provider->generic);
	*(void **)&append = dlsym(run->api.library, symbol);
	if (!append || options->n)
		return append_by_name(run, provider->full_name, provider->generic, options, err);
	return ort_api_check(&run->api, append(run->options, 0), err, "use %s", provider->full_name);
}

static int append_inside(struct run *run, const struct provider_name *provider, const struct options *options,
			 struct err *err)
{
	const struct ort_api *api = &run->api;
	const char *name = provider->full_name;

#define BY_OBJECT(kind) \
	append_by_object(run, name, options, \
			 &(struct by_object){ api->create_##kind##_options, api->update_##kind##_options, \
					      api->append_##kind, api->release_##kind##_options }, \
			 err)
	switch (provider->way) {
	case PROVIDER_CPU:
		return 0;
	case PROVIDER_CUDA:
		return BY_OBJECT(cuda);
	case PROVIDER_TENSORRT:
		return BY_OBJECT(tensorrt);
	case PROVIDER_ROCM:
		return BY_OBJECT(rocm);
	case PROVIDER_CANN:
		return BY_OBJECT(cann);
	case PROVIDER_DNNL:
		return BY_OBJECT(dnnl);
	case PROVIDER_OPENVINO:
		if (api->append_openvino)
			return ort_api_check(
			    api, api->append_openvino(run->options, options->key, options->value, options->n), err,
			    "use %s", name);
		break;
	case PROVIDER_VITISAI:
		if (api->append_vitisai)
			return ort_api_check(
			    api, api->append_vitisai(run->options, options->key, options->value, options->n), err,
			    "use %s", name);
		break;
	case PROVIDER_BY_SYMBOL:
		return append_by_symbol(run, provider, options, err);
	case PROVIDER_BY_NAME:
		break;
	}
#undef BY_OBJECT
	return append_by_name(run, name, provider->generic, options, err);
}

/* Lists the available providers and what to do. */
static int refuse(const struct run *run, const char *name, struct err *err)
{
	const struct run_result *result = run->result;
	char have[200] = "", package[80];
	struct near near;

	near_init(&near, name, strlen(name));
	for (uint32_t i = 0; i < result->n_available; i++) {
		size_t used = strlen(have);

		snprintf(have + used, sizeof have - used, "%s%s", i ? ", " : "", result->available[i]);
		near_offer(&near, result->available[i]);
	}
	if (!provider_names_find(name))
		provider_names_offer(&near);
	if (!provider_names_find(name) && near_best(&near))
		return err_set(err, ENOENT, "cannot use the provider '%s': unknown; did you mean %s?", name,
			       near_best(&near));
	if (provider_names_package(name)) {
		/* as pip calls it */
		snprintf(package, sizeof package, "%.*s", (int)strcspn(provider_names_package(name), "/"),
			 provider_names_package(name));
		for (char *at = package; *at; at++)
			*at = *at == '_' ? '-' : *at;
		return err_set(err, ENOENT,
			       "cannot use %s: ONNX Runtime %s offers only %s, and the Python package %s is not "
			       "installed beside it; install that package, or pass --ep-library or another --runtime",
			       name, run->api.version, have, package);
	}
	return err_set(
	    err, ENOENT,
	    "cannot use the provider '%s': ONNX Runtime %s offers only %s; pass --ep-library or another --runtime",
	    name, run->api.version, have);
}

static int append(struct run *run, uint32_t number, struct err *err)
{
	struct run_provider *asked = &run->result->asked[number];
	const struct provider_name *provider = provider_names_find(asked->name);
	struct options options = { 0 };
	int n_devices, rc = take_given(run, asked->name, &options, err);

	if (!rc)
		rc = make_profile_folder(run->opts, err);
	if (!rc && provider && !strcmp(provider->name, "qnn"))
		rc = complete_qnn(run, asked, &options, err);
	else if (!rc)
		rc = profile_in_runtime(run, err);
	if (rc)
		return rc;
	note_options(asked, &options);
	if (provider && provider->way == PROVIDER_CPU)
		return options.n ? err_set(err, EINVAL, "CPUExecutionProvider takes no options") : 0;
	/*
	 * A runtime also offers devices for a built-in provider: registered libraries are added by device, built-in
	 * providers by their function.
	 */
	if (asked->library[0] || !run_device_is_inside(run, asked->name)) {
		n_devices = run_device_choose(run, asked->name, err);
		if (n_devices < 0)
			return n_devices;
		if (n_devices)
			return append_devices(run, asked, &options, n_devices, err);
		if (asked->library[0])
			return err_set(err, ENODEV,
				       "cannot use %s: %s finds no device for it on this machine; --list-devices lists "
				       "all devices",
				       asked->name, asked->library);
		return refuse(run, asked->name, err);
	}
	if (!provider)
		return append_by_name(run, asked->name, asked->name, &options, err);
	return append_inside(run, provider, &options, err);
}

/* When the runtime chooses the provider, it reads the provider's options from those of the session. */
static int offer_options(struct run *run, const struct run_library *library, struct err *err)
{
	struct options options = { 0 };
	char prefix[RUN_NAME], key[2 * RUN_NAME];
	int rc = take_given(run, library->provider, &options, err);

	if (!rc && !strcmp(library->provider, "QNNExecutionProvider"))
		rc = add_backend(library->path, &options, err);
	snprintf(prefix, sizeof prefix, "%s", library->provider);
	for (char *at = prefix; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	for (size_t i = 0; i < options.n && !rc; i++) {
		snprintf(key, sizeof key, "ep.%s.%s", prefix, options.key[i]);
		rc = ort_api_check(&run->api, run->api.add_config(run->options, key, options.value[i]), err,
				   "set %s to '%s'", key, options.value[i]);
	}
	return rc;
}

static int set_policy(struct run *run, struct err *err)
{
	static const char *const names[] = {
		"default", "prefer-cpu", "prefer-npu", "prefer-gpu", "max-performance", "max-efficiency", "min-power",
	};
	int policy = 0;

	if (ORT_API_NEEDS(&run->api, set_policy, "let the runtime choose the provider", err))
		return -ENOTSUP;
	while (strcmp(names[policy], run->opts->policy))
		policy++;
	snprintf(run->result->policy, sizeof run->result->policy, "%s", run->opts->policy);
	return ort_api_check(&run->api, run->api.set_policy(run->options, policy), err,
			     "let the runtime choose the provider");
}

int run_provider_append(struct run *run, struct err *err)
{
	int rc = check_given(run, err);

	if (rc)
		return rc;
	if (run->opts->policy) {
		rc = set_policy(run, err);
		for (size_t i = 0; i < run->n_libraries && !rc; i++)
			rc = offer_options(run, &run->library[i], err);
		if (!rc)
			rc = make_profile_folder(run->opts, err);
		return rc ? rc : profile_in_runtime(run, err);
	}
	for (uint32_t i = 0; i < run->result->n_asked; i++) {
		rc = append(run, i, err);
		if (rc)
			return rc;
	}
	return 0;
}
