// SPDX-License-Identifier: Apache-2.0
/*
 * Loads the program with libbpf, which reads the object that was compiled into us. Each way to link wants its programs
 * loaded for it, so that trying the next way is loading again.
 */
#include "capture/probe/uprobe_load.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "capture/proc/namespace.h"
#include "capture/proc/rights.h"

/* The pid namespace that every kernel begins with has this inode. */
static const uint64_t initial_namespace = 0xeffffffc;

extern const unsigned char uprobe_object[], uprobe_usage_object[], uprobe_session_object[];
extern const size_t uprobe_object_size, uprobe_usage_object_size, uprobe_session_object_size;

/* libbpf prints what is wrong, and hands its print function no context: the thread that loads points to its own. */
enum { COMPLAINT = 200 };
static _Thread_local char *complaint;

__attribute__((format(printf, 2, 0))) static int keep_complaint(enum libbpf_print_level level, const char *format,
								va_list args)
{
	if (level == LIBBPF_WARN && complaint && !*complaint) {
		vsnprintf(complaint, COMPLAINT, format, args);
		complaint[strcspn(complaint, "\n")] = 0;
	}
	return 0;
}

/* Before the program is loaded: which programs, for which links, in which pid namespace. */
static int prepare(struct bpf_object *object, enum uprobe_link_type link)
{
	struct bpf_map *constants = bpf_object__find_map_by_name(object, ".rodata");
	uint64_t namespace[2] = { 0, 0 };
	struct bpf_program *program;
	struct stat stat_;

	bpf_object__for_each_program(program, object)
	{
		bool is_session = strstr(bpf_program__name(program), "session");
		bool is_plain =
		    !strcmp(bpf_program__name(program), "entry") || !strcmp(bpf_program__name(program), "empty");
		enum uprobe_link_type type = link == UPROBE_LINK_SESSION && is_plain ? UPROBE_LINK_MULTI : link;
		bpf_program__set_expected_attach_type(program, (enum bpf_attach_type)uprobe_link_attach_type(type));
		bpf_program__set_autoload(program, is_plain || is_session == (link == UPROBE_LINK_SESSION));
	}
	if (namespace_own() != initial_namespace && !stat("/proc/self/ns/pid", &stat_)) {
		namespace[0] = stat_.st_dev;
		namespace[1] = stat_.st_ino;
	}
	return constants ? bpf_map__set_initial_value(constants, namespace, sizeof namespace) : -ENOENT;
}

static void *map(struct uprobe_loaded *loaded, int which, int fd, size_t size, int protection, off_t offset)
{
	void *at = mmap(NULL, size, protection, MAP_SHARED, fd, offset);

	if (at == MAP_FAILED)
		return NULL;
	loaded->mapped[which] = at;
	loaded->mapped_size[which] = size;
	return at;
}

static int map_maps(struct uprobe_loaded *loaded)
{
	int armed = bpf_object__find_map_fd_by_name(loaded->object, "armed");
	int records = bpf_object__find_map_fd_by_name(loaded->object, "records");
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct uprobe_ring *ring = &loaded->ring;
	const uint8_t *rest;
	int met = bpf_object__find_map_fd_by_name(loaded->object, "n_strangers");

	loaded->places = bpf_object__find_map_fd_by_name(loaded->object, "places");
	loaded->armed = map(loaded, 0, armed, (UPROBE_MAX_ARMED * sizeof *loaded->armed + page - 1) & ~(page - 1),
			    PROT_READ | PROT_WRITE, 0);
	ring->consumer = map(loaded, 1, records, page, PROT_READ | PROT_WRITE, 0);
	rest = map(loaded, 2, records, page + 2 * (size_t)UPROBE_RING_BYTES, PROT_READ, (off_t)page);
	loaded->strangers = bpf_object__find_map_fd_by_name(loaded->object, "strangers");
	loaded->n_strangers = map(loaded, 3, met, page, PROT_READ, 0);
	if (!loaded->armed || !ring->consumer || !rest || !loaded->n_strangers)
		return -errno;
	ring->producer = (const uint64_t *)rest;
	ring->data = rest + page;
	ring->mask = UPROBE_RING_BYTES - 1;
	return 0;
}

static int program_fd(const struct uprobe_loaded *loaded, const char *name)
{
	struct bpf_program *program = bpf_object__find_program_by_name(loaded->object, name);

	return program ? bpf_program__fd(program) : -1;
}

static int load_object(struct uprobe_loaded *loaded, enum uprobe_link_type link, const unsigned char *from, size_t size,
		       struct err *err)
{
	int code;

	memset(loaded, 0, sizeof *loaded);
	*complaint = 0;
	loaded->link = link;
	loaded->object = bpf_object__open_mem(from, size, NULL);
	code = loaded->object ? prepare(loaded->object, link) : -errno;
	if (!code)
		code = bpf_object__load(loaded->object);
	if (!code)
		code = map_maps(loaded);
	if (!code) {
		loaded->program = (struct uprobe_programs){ program_fd(loaded, "entry"), program_fd(loaded, "leave"),
							    program_fd(loaded, "session") };
		loaded->empty = (struct uprobe_programs){ program_fd(loaded, "empty"), program_fd(loaded, "empty"),
							  program_fd(loaded, "empty_session") };
		return 0;
	}
	uprobe_unload(loaded);
	return err_set(err, -code, "cannot load the BPF program: %s", *complaint ? complaint : strerror(-code));
}

/* Where the types of the kernel are hidden, what threads use cannot be read; the rest can. */
static int load_for(struct uprobe_loaded *loaded, enum uprobe_link_type link, struct err *err)
{
	int code;

	if (link == UPROBE_LINK_SESSION)
		return load_object(loaded, link, uprobe_session_object, uprobe_session_object_size, err);
	code = load_object(loaded, link, uprobe_usage_object, uprobe_usage_object_size, err);
	if (code && code != -EPERM)
		code = load_object(loaded, link, uprobe_object, uprobe_object_size, err);
	return code;
}

/* The program itself is long: whether the kernel has the way at all is asked first, and for less. */
static int check(enum uprobe_link_type link, enum uprobe_link_type wanted, struct err *err)
{
	int code = uprobe_link_check(link);
	struct utsname kernel;

	if (!code && link == UPROBE_LINK_PERF && rights_check_perf(true, err))
		return err_wrap(err, "cannot probe running programs");
	if (code != -EOPNOTSUPP)
		return code ? err_set(err, -code, "cannot load the BPF program: %s", strerror(-code)) : 0;
	if (uname(&kernel))
		*kernel.release = 0;
	if (wanted == UPROBE_LINK_ANY)
		return err_set(err, ENOTSUP,
			       "cannot probe running programs: this needs Linux %s or later; this is %.64s",
			       uprobe_link_since(wanted), kernel.release);
	return err_set(err, ENOTSUP,
		       "cannot link probes by %s: this needs Linux %s or later; this is %.64s; leave out --link",
		       uprobe_link_name(link), uprobe_link_since(link), kernel.release);
}

int uprobe_load(struct uprobe_loaded *loaded, enum uprobe_link_type wanted, struct err *err)
{
	libbpf_print_fn_t before = libbpf_set_print(keep_complaint);
	char text[COMPLAINT] = "";
	int code = -EINVAL;

	complaint = text;
	for (int link = UPROBE_LINK_SESSION; link <= UPROBE_LINK_PERF && code; link++) {
		if (wanted != UPROBE_LINK_ANY && wanted != (enum uprobe_link_type)link)
			continue;
		code = check((enum uprobe_link_type)link, wanted, err);
		if (!code)
			code = load_for(loaded, (enum uprobe_link_type)link, err);
		if (code == -EPERM) /* it will be no other the other way */
			break;
	}
	libbpf_set_print(before);
	complaint = NULL;
	return code;
}

void uprobe_unload(struct uprobe_loaded *loaded)
{
	for (size_t i = 0; i < sizeof loaded->mapped / sizeof *loaded->mapped; i++)
		if (loaded->mapped[i])
			munmap(loaded->mapped[i], loaded->mapped_size[i]);
	bpf_object__close(loaded->object);
	memset(loaded, 0, sizeof *loaded);
}

int uprobe_place_put(const struct uprobe_loaded *loaded, uint32_t file, pid_t pid, uint32_t copy)
{
	uint64_t key = UPROBE_PLACE(file, pid);
	uint32_t known = (uint32_t)pid;

	/* the next process with its number is one again */
	bpf_map_delete_elem(loaded->strangers, &known);
	return bpf_map_update_elem(loaded->places, &key, &copy, BPF_ANY) ? -errno : 0;
}

/* Unless it is another copy's by now: a process that has the number of one that has ended. */
void uprobe_place_remove(const struct uprobe_loaded *loaded, uint32_t file, pid_t pid, uint32_t copy)
{
	uint64_t key = UPROBE_PLACE(file, pid);
	uint32_t found;

	if (!bpf_map_lookup_elem(loaded->places, &key, &found) && found == copy)
		bpf_map_delete_elem(loaded->places, &key);
}
