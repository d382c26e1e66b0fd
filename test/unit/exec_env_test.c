// SPDX-License-Identifier: Apache-2.0
/* What the agent does to the environment of programs that are about to start, and to which programs. */
#include "capture/agent/exec/exec_env.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/processor.h"
#include "base/program_file.h"
#include "cases.h"

#if defined(__x86_64__)
#define LOADER "/lib64/ld-linux-x86-64.so.2"
#else
#define LOADER "/lib/ld-linux-aarch64.so.1"
#endif

#define OWN "/opt/lib/agent.so"
#define DIR "INFTRACE_DIR=/dev/shm/inftrace-1"

static int keep(void **state)
{
	clearenv();
	setenv("INFTRACE_DIR", "/dev/shm/inftrace-1", 1);
	setenv("INFTRACE_LEVEL", "detail", 1);
	setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);
	exec_env_keep(OWN);
	return 0;
}

/* The environment that a program gets, as one text; NULL: the same. */
static const char *changed(bool suits, char *const *envp)
{
	static char text[4096], place[8192] __attribute__((aligned(16)));
	size_t size = exec_env_size(envp, suits);
	char **made;

	if (!size)
		return NULL;
	assert_true(size <= sizeof place - 1);
	memset(place, 0x7f, sizeof place);
	made = exec_env_make(place, envp, suits);
	for (size_t i = size; i < sizeof place; i++)
		assert_int_equal(place[i], 0x7f);
	*text = 0;
	for (; *made; made++)
		strcat(strcat(text, *made), "\n");
	return text;
}

TEST(an_empty_environment_gets_all_variables)
{
	assert_string_equal(changed(true, (char *[]){ NULL }),
			    "LD_PRELOAD=" OWN "\nASAN_OPTIONS=verify_asan_link_order=0\n" DIR
			    "\nINFTRACE_LEVEL=detail\n");
	assert_string_equal(changed(true, NULL), changed(true, (char *[]){ NULL }));
}

TEST(libraries_and_options_of_the_user_stay)
{
	assert_string_equal(changed(true, (char *[]){ "A=b", "LD_PRELOAD=/x.so:/y.so", "ASAN_OPTIONS=a=1", DIR, NULL }),
			    "A=b\n" DIR "\nLD_PRELOAD=" OWN ":/x.so:/y.so\nASAN_OPTIONS=a=1:verify_asan_link_order=0\n"
			    "INFTRACE_LEVEL=detail\n");
}

TEST(what_is_complete_is_left_as_it_is)
{
	assert_null(changed(true, (char *[]){ DIR, "LD_PRELOAD=" OWN, NULL }));
	assert_null(changed(true, (char *[]){ "LD_PRELOAD=/x.so " OWN, DIR, NULL }));
}

TEST(another_recorder_or_none_is_respected)
{
	assert_null(changed(true, (char *[]){ "INFTRACE_DIR=/dev/shm/inftrace-2", "LD_PRELOAD=/other.so", NULL }));
	assert_null(changed(true, (char *[]){ "INFTRACE_DISABLE=1", NULL }));
}

TEST(a_program_that_cannot_load_the_agent_is_spared_it)
{
	assert_string_equal(changed(false, (char *[]){ DIR, "LD_PRELOAD=" OWN, NULL }), DIR "\n");
	assert_string_equal(changed(false, (char *[]){ "LD_PRELOAD=/x.so:" OWN ":/y.so", DIR, NULL }),
			    DIR "\nLD_PRELOAD=/x.so:/y.so\n");
	assert_null(changed(false, (char *[]){ DIR, "LD_PRELOAD=" OWN "2", NULL }));
	assert_null(changed(false, (char *[]){ NULL }));
}

struct program {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	char interpreter[64];
};

static bool suits(const void *data, size_t size)
{
	char path[] = "/tmp/inftrace-exec-XXXXXX";
	int fd = mkstemp(path);
	bool result;

	assert_true(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	result = exec_file_suits(AT_FDCWD, path);
	assert_int_equal(exec_file_suits(fd, ""), result);
	assert_int_equal(exec_file_suits_search(path), result);
	close(fd);
	unlink(path);
	return result;
}

static bool suits_elf(int class, int machine, const char *interpreter)
{
	struct program program = { .header = { .e_ident = { 0x7f, 'E', 'L', 'F', (unsigned char)class },
					       .e_machine = (Elf64_Half)machine,
					       .e_phoff = sizeof program.header,
					       .e_phnum = 1,
					       .e_phentsize = sizeof program.segment },
				   .segment = { .p_type = interpreter ? PT_INTERP : PT_LOAD,
						.p_offset = sizeof program.header + sizeof program.segment,
						.p_filesz = sizeof program.interpreter } };

	snprintf(program.interpreter, sizeof program.interpreter, "%s", interpreter ? interpreter : "");
	return suits(&program, sizeof program);
}

TEST(programs_of_another_c_library_or_processor_do_not_suit)
{
	assert_true(suits_elf(ELFCLASS64, PROCESSOR_ELF, LOADER));
	assert_true(suits_elf(ELFCLASS64, PROCESSOR_ELF, NULL));
	assert_false(suits_elf(ELFCLASS64, PROCESSOR_ELF, "/lib/ld-musl-x86_64.so.1"));
	assert_false(suits_elf(ELFCLASS32, EM_386, "/lib/ld-linux.so.2"));
	assert_false(suits_elf(ELFCLASS64, EM_PPC64, LOADER));
}

TEST(an_old_c_library_does_not_suit)
{
	static const struct {
		const char *name;
		bool suits;
	} loaders[] = { { "ld-2.12.so", false }, { "ld-2.16.90.so", false }, { "ld-2.9.so", false },
			{ "ld-2.17.so", true },	 { "ld-2.31.so", true },     { "ld-2.so", true },
			{ "ld-2.012.so", true }, { "ld-1.2.so", true },	     { "ld-2.12/ld.so", true } };
	char folder[] = "/tmp/inftrace-exec-XXXXXX", path[64];
	int minor;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/ld.so", folder);
	for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++) {
		assert_int_equal(symlink(loaders[i].name, path), 0);
		assert_int_equal(suits_elf(ELFCLASS64, PROCESSOR_ELF, path), loaders[i].suits);
		unlink(path);
	}
	rmdir(folder);
	assert_true(program_file_is_old("/lib/x86_64-linux-gnu/libc-2.13.so", &minor));
	assert_int_equal(minor, 13);
	assert_false(program_file_is_old("/lib/x86_64-linux-gnu/libc.so.6", &minor));
}

/* A file without an interpreter, whose dynamic section has these flags and this name; NULL: none. */
static bool suits_alone(uint64_t flags, const char *name)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment[2];
		Elf64_Dyn entry[4];
		char texts[64];
	} program = { .header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64 },
				  .e_machine = PROCESSOR_ELF,
				  .e_phoff = offsetof(typeof(program), segment),
				  .e_phnum = 2,
				  .e_phentsize = sizeof *program.segment },
		      .segment = { { .p_type = PT_DYNAMIC,
				     .p_offset = offsetof(typeof(program), entry),
				     .p_filesz = sizeof program.entry },
				   { .p_type = PT_LOAD, .p_vaddr = 0x1000, .p_filesz = sizeof program } },
		      .entry = { { .d_tag = DT_STRTAB, .d_un.d_ptr = 0x1000 + offsetof(typeof(program), texts) },
				 { .d_tag = DT_FLAGS_1, .d_un.d_val = flags },
				 { .d_tag = name ? DT_SONAME : DT_NULL, .d_un.d_val = 1 } } };

	snprintf(program.texts + 1, sizeof program.texts - 1, "%s", name ? name : "");
	return suits(&program, sizeof program);
}

TEST(loaders_that_are_run_by_themselves_are_told_from_static_programs)
{
	assert_true(suits_alone(0, strrchr(LOADER, '/') + 1));
	assert_true(suits_alone(DF_1_PIE | DF_1_NOW, NULL));
	assert_false(suits_alone(0, NULL));
	assert_false(suits_alone(DF_1_NOW, "libc.musl-x86_64.so.1"));
	assert_true(exec_file_suits(AT_FDCWD, LOADER));
}

TEST(scripts_are_as_their_interpreter)
{
	char own[] = "/tmp/inftrace-exec-XXXXXX", script[64];
	struct program musl = { .header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS32 } } };
	int fd = mkstemp(own), len = snprintf(script, sizeof script, "#! %s -x\n", own);

	assert_true(write(fd, &musl, sizeof musl) == sizeof musl);
	assert_false(suits(script, (size_t)len));
	close(fd);
	unlink(own);
	assert_true(suits("#!/bin/sh\n", 10));
	assert_true(suits("#!", 2));
	assert_true(suits("text", 4));
	assert_true(exec_file_suits(AT_FDCWD, "/nowhere"));
}

/* Last: what it sets stays. */
TEST(the_number_of_filters_is_that_of_now)
{
	char *const before[] = { "LD_PRELOAD=" OWN,
				 DIR,
				 "INFTRACE_LEVEL=detail",
				 "INFTRACE_FILTERS=1",
				 "ASAN_OPTIONS=verify_asan_link_order=0",
				 NULL };

	assert_null(changed(true, before));
	exec_env_filters(12);
	assert_string_equal(changed(true, before), "LD_PRELOAD=" OWN "\n" DIR
						   "\nINFTRACE_LEVEL=detail\nASAN_OPTIONS=verify_asan_link_order=0\n"
						   "INFTRACE_FILTERS=12\n");
	exec_env_filters(1);
	assert_null(changed(true, before));
}

TEST_GROUP(keep, NULL)
