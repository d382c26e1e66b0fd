// SPDX-License-Identifier: Apache-2.0
/*
 * Gets in before a runtime's first use, however the program binds it.
 *
 * Loaded with the program, or linked into it statically: the constructor (start.c) inspects all modules. Loaded later,
 * also as what another library needs: each module calls __gmon_start__ while it is initialised. Looked up by name
 * (Python's modules, Node's, Go, C#, Java, Rust, providers' libraries): the agent defines dlsym. It arms when the name
 * is an entry of a runtime of the table, and passes every call on by a tail jump, because the real dlsym inspects its
 * caller.
 *
 * No name of a runtime is defined, so that every program is bound to what it would be bound to without the agent: its
 * own copy, or none. dlopen is not replaced, because it uses the RUNPATH of its caller.
 */
#include "capture/agent/arm/first.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "capture/agent/agent.h"
#include "capture/agent/arm/arm.h"
#include "capture/agent/arm/code.h"
#include "capture/agent/device.h"
#include "capture/agent/exec/sandbox.h"
#include "capture/agent/glibc.h"
#include "capture/agent/replace/jump.h"
#include "runtime/runtimes.h"

void *(*first_real_dlsym)(void *, const char *)__attribute__((visibility("hidden")));

void first_start(void)
{
	glibc_start();
	first_real_dlsym = glibc.dlsym;
}

void *first_dlsym(void *handle, const char *name)
{
	if (!first_real_dlsym)
		first_start();
	return first_real_dlsym ? first_real_dlsym(handle, name) : NULL;
}

static bool matches(const char *entry, const char *name)
{
	size_t len = strlen(entry);

	return entry[len - 1] == '*' ? !strncmp(name, entry, len - 1) : !strcmp(name, entry);
}

/* Whether a program enters a runtime by this name, or a runtime its own library. */
static bool is_entry(const char *name)
{
	for (const struct runtime *const *runtime = runtimes; *runtime; runtime++)
		for (const char *const *entry = (*runtime)->entries; *entry; entry++)
			if (**entry == *name && matches(*entry, name))
				return true;
	return false;
}

/* A function of the agent in the place of the C library's; NULL: none. The handle of one library has no caller. */
static void *instead_of(void *handle, const char *name)
{
	if (handle == RTLD_DEFAULT && !strcmp(name, "rocprofiler_configure") && devices_wanted())
		return devices_instead_of(name, first_real_dlsym(handle, name));
	if (handle == RTLD_DEFAULT || handle == RTLD_NEXT)
		return NULL;
	if ((!strncmp(name, "cupti", 5) || !strncmp(name, "ptiView", 7)) && devices_wanted())
		return devices_instead_of(name, first_real_dlsym(handle, name));
	if (strcmp(name, "prctl") && strcmp(name, "syscall"))
		return NULL;
	return sandbox_instead_of(name, first_real_dlsym(handle, name));
}

/* A runtime's function that is not called through any word that could be replaced. NULL: the real one. */
static void *instead_of_entry(void *handle, const char *name)
{
	void *real, *found = NULL;

	if (handle == RTLD_DEFAULT || handle == RTLD_NEXT || !first_real_dlsym ||
	    !(real = first_real_dlsym(handle, name)))
		return NULL;
	for (const struct agent_code *const *code = agent_codes; *code && !found; code++)
		if ((*code)->instead_of)
			found = (*code)->instead_of(name, real);
	return found;
}

/* Called by dlsym below, before the real one. Returns the answer if it is another one. */
__attribute__((used, visibility("hidden"))) void *first_look(void *handle, const char *name);

void *first_look(void *handle, const char *name)
{
	void *found = NULL;
	int saved = errno;

	if (!first_real_dlsym)
		first_start();
	if (name && is_entry(name) && agent_is_wanted()) {
		arm_new_modules();
		found = instead_of_entry(handle, name);
	} else if (name && first_real_dlsym)
		found = instead_of(handle, name);
	errno = saved;
	return found;
}

/*
 * The start files that every C compiler links into a module call this when the module is initialised, before its
 * constructors, if anybody defines it; only programs built for gprof do.
 */
void __gmon_start__(void) __attribute__((visibility("default")));

void __gmon_start__(void)
{
	int saved = errno;

	if (agent_is_wanted())
		arm_new_modules();
	errno = saved;
}

JUMP_UNLESS_FOUND(dlsym, first_look, first_real_dlsym);
