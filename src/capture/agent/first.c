// SPDX-License-Identifier: Apache-2.0
/*
 * Being there before a runtime's first use, however it is bound.
 *
 * Linked: we define OrtGetApiBase without a version, which satisfies every program's import of it; it
 * arms and asks the library that the caller would have got. Looked up (Python's modules, Node's, Go, C#,
 * Java, Rust, providers' libraries): we define dlsym, which arms when the name is one by which runtimes are
 * entered, and passes every call on by a tail jump, because the real one wants to know its caller. Linked
 * in statically: the constructor looks through the program itself. dlopen is left alone: the library's
 * RUNPATH is its caller's.
 */
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <string.h>

#include "capture/agent/agent.h"
#include "runtime/image.h"

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

static bool is_entry(const char *name)
{
	switch (*name) {
	case 'O':
		return !strcmp(name, "OrtGetApiBase");
	case 'P':
		return !strncmp(name, "PyInit_", 7);
	case 'n':
		return !strcmp(name, "napi_register_module_v1");
	case 'J':
		return !strcmp(name, "JNI_OnLoad");
	case 'G':
		return !strcmp(name, "GetProvider");
	case 'C':
		return !strcmp(name, "CreateEpFactories");
	}
	return false;
}

const void *OrtGetApiBase(void);

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
	/* our own definition is not what a program asks for that wants to know whether there is a runtime */
	if (name && handle == RTLD_DEFAULT && !strcmp(name, "OrtGetApiBase")) {
		answer.symbol = first_dlsym(handle, name);
		if (answer.symbol == (void *)OrtGetApiBase)
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

/* DT_NEEDED of a module that names this library's file. */
static bool needs(const struct image *image, const char *path)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	uint64_t strings = 0;

	for (int pass = 0; pass < 2; pass++)
		for (uint64_t at = image->dynamic; at + 16 <= image->dynamic_end; at += 16) {
			uint64_t tag = image_word(image, at), value = image_word(image, at + 8);
			if (tag == DT_NULL)
				break;
			if (tag == DT_STRTAB)
				strings = value < image->base ? image->base + value : value;
			if (pass && tag == DT_NEEDED) {
				const char *name = image_text(image, strings + value, 512);
				if (name && !strncmp(file, name, strlen(name)))
					return true;
			}
		}
	return false;
}

typedef const void *base_function(void);

/* The OrtGetApiBase that the caller would have been bound to without us. */
static base_function *real_base(uint64_t caller)
{
	struct image_set set = { 0 };
	const struct image *from = NULL;
	base_function *found = NULL;

	if (arm_modules(&set))
		return NULL;
	for (size_t i = 0; i < set.n; i++)
		if (image_has(&set.image[i], caller, IMAGE_X))
			from = &set.image[i];
	for (size_t i = 0; i < set.n; i++) {
		const struct image *image = &set.image[i];
		void *handle = image->path[0] == '/' ? dlopen(image->path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
		void *symbol = handle ? first_dlsym(handle, "OrtGetApiBase") : NULL;
		if (symbol && symbol != (void *)OrtGetApiBase && image_has(image, (uint64_t)symbol, IMAGE_X) &&
		    (!found || (from && needs(from, image->path))))
			found = (base_function *)symbol;
		if (handle)
			dlclose(handle);
	}
	image_set_done(&set);
	return found;
}

__attribute__((visibility("default"))) const void *OrtGetApiBase(void)
{
	int saved = errno;
	base_function *real = real_base((uint64_t)__builtin_return_address(0));

	if (agent_is_wanted())
		arm_new_modules();
	errno = saved;
	return real ? real() : NULL;
}
