// SPDX-License-Identifier: Apache-2.0
/*
 * Gets in before a runtime's first use, however the program binds it. Looked up (Python's modules, Node's, Go, C#,
 * Java, Rust, providers' libraries): the agent defines dlsym. It arms when the name is an entry of a runtime of the
 * table, and passes every call on by a tail jump, because the real dlsym inspects its caller. Linked: the agent defines
 * the function that programs are linked to (ort_base.c). Linked statically: the constructor inspects the program
 * itself. dlopen is not replaced, because it uses the RUNPATH of its caller.
 */
#include "capture/agent/first.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "capture/agent/agent.h"
#include "capture/agent/arm.h"
#include "capture/agent/code.h"

void *(*first_real_dlsym)(void *, const char *)__attribute__((visibility("hidden")));

void first_start(void)
{
	static const char *const versions[] = { "GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17" };

	for (unsigned i = 0; i < 3 && !first_real_dlsym; i++)
		first_real_dlsym = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", versions[i]);
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

/* The agent's own function of this name; NULL: none. */
static void *own(const char *name)
{
	for (const struct agent_code *const *code = agent_codes; *code; code++)
		if ((*code)->defined && !strcmp((*code)->defined, name))
			return (*code)->definition;
	return NULL;
}

struct answer {
	void *symbol;
	uintptr_t is_final; /* 1: symbol is the answer; 0: ask the real dlsym */
};

/* Called by dlsym below, before anything else. */
__attribute__((used, visibility("hidden"))) struct answer first_look(void *handle, const char *name);

struct answer first_look(void *handle, const char *name)
{
	struct answer answer = { NULL, 0 };
	int saved = errno;

	if (!first_real_dlsym)
		first_start();
	if (name && is_entry(name) && agent_is_wanted())
		arm_new_modules();
	/* a program that checks whether there is a runtime must not find our definition */
	if (name && handle == RTLD_DEFAULT && own(name)) {
		answer.symbol = first_dlsym(handle, name);
		if (answer.symbol == own(name))
			answer.symbol = first_real_dlsym(RTLD_NEXT, name);
		answer.is_final = 1;
	}
	errno = saved;
	return answer;
}

#if defined(__x86_64__)
__asm__(".globl dlsym\n"
	".type dlsym,@function\n"
	"dlsym:\n"
	"	endbr64\n"
	"	push %rdi\n"
	"	push %rsi\n"
	"	sub $8, %rsp\n"
	"	call first_look\n"
	"	add $8, %rsp\n"
	"	pop %rsi\n"
	"	pop %rdi\n"
	"	test %rdx, %rdx\n"
	"	jz 1f\n"
	"	ret\n"
	"1:	jmp *first_real_dlsym(%rip)\n"
	".size dlsym,.-dlsym\n");
#endif
