// SPDX-License-Identifier: Apache-2.0
/*
 * CUPTI serves one at a time. A program that profiles itself (torch.profiler, ONNX Runtime's profiling builds) would be
 * refused, or be given our buffers: so the calls by which it begins lead here first, and what we have begun is ended
 * before they go on. Other modules' imports of these functions are replaced, and look-ups by name answered.
 */
#include "capture/agent/cupti/cupti_in.h"
#include "capture/agent/device/device_yield.h"
#include "capture/agent/glibc.h"

static void (*wanted)(const char *function); /* set before any of this is called */

static int on_subscribe(void **subscriber, cupti_callback *callback, void *data)
{
	wanted("cuptiSubscribe");
	return cupti.Subscribe(subscriber, callback, data);
}

static int on_register(cupti_request *request, cupti_complete *complete)
{
	wanted("cuptiActivityRegisterCallbacks");
	return cupti.ActivityRegisterCallbacks(request, complete);
}

static int (*real_subscribe_v2)(void **, cupti_callback *, void *, void *);

static int on_subscribe_v2(void **subscriber, cupti_callback *callback, void *data, void *params)
{
	wanted("cuptiSubscribe_v2");
	return real_subscribe_v2(subscriber, callback, data, params);
}

static const struct device_entry entries[] = {
	{ "cuptiSubscribe", on_subscribe },
	{ "cuptiSubscribe_v2", on_subscribe_v2 },
	{ "cuptiActivityRegisterCallbacks", on_register },
	{ NULL, NULL },
};

static struct device_yield watched = { .entries = entries };

void cupti_yield_watch(void (*to)(const char *function))
{
	wanted = to;
	if (!real_subscribe_v2)
		*(void **)&real_subscribe_v2 = glibc.dlsym(cupti.library, "cuptiSubscribe_v2");
	device_yield_watch(&watched);
}

void *cupti_instead_of(const char *name, void *real)
{
	void *with = cupti.library ? device_yield_entry(&watched, name) : NULL;

	return with && real == glibc.dlsym(cupti.library, name) ? with : NULL;
}
