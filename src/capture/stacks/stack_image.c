// SPDX-License-Identifier: Apache-2.0
/*
 * A child that ends is started again. The file that it worked on is not given to it a second time, unless others were
 * before: then it starts with the next question.
 *
 * Names are read by a child that takes no CPU time from the program: symbols of a large library take some 100 ms. What
 * it has not had by the end of the recording is read by another one, which does.
 */
#include "capture/stacks/stack_image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "event/port.h"

enum {
	RULES = 4096,
	RULE_MS = 3000,
	MOST_CODES = 1 << 20,
	FINISH_MS = 4000,
	FINISH_BUSY_MS = 20000,
	IDLE_MS = 200,
	MOST_OPEN = 64
};
/* The longest that one place may take: of the child's CPU time, or while the child waits for something else. */
#define PLACE_NS UINT64_C(20000000000)
#define STUCK_NS UINT64_C(120000000000)

struct stack_rule {
	uint32_t image;
	bool is_known;
	uint64_t offset;
	struct code_rule rule;
};

static uint32_t hash_of(uint32_t image, uint64_t offset)
{
	return (uint32_t)(((offset ^ (uint64_t)image << 44) * 0x9e3779b97f4a7c15u) >> 36);
}

static struct stack_image *image_at(const struct stack_images *images, uint32_t image)
{
	return image && image <= images->image.n ? (struct stack_image *)images->image.data + image - 1 : NULL;
}

const struct stack_image *stack_image_at(const struct stack_images *images, uint32_t image)
{
	return image_at(images, image);
}

static bool is_libc(const char *path)
{
	const char *name = basename(path);

	return !strncmp(name, "libc.so", 7) || !strncmp(name, "libc-", 5) || !strncmp(name, "libpthread", 10) ||
	       !strncmp(name, "ld-", 3) || !strncmp(name, "libstdc++.so", 12) || !strcmp(name, "[vdso]");
}

uint32_t stack_image_of(struct stack_images *images, struct names *names, pid_t pid, const struct module *module)
{
	struct stack_image *image = images->image.data;

	for (uint32_t i = (uint32_t)images->image.n; i-- > 0;)
		if (image[i].inode == module->inode && image[i].major == module->major &&
		    image[i].minor == module->minor && !strcmp(image[i].module.path, module->path)) {
			image[i].pid = pid;
			image[i].module.start = module->start;
			image[i].module.end = module->end;
			image[i].module.offset = module->offset;
			return i + 1;
		}
	image = array_add(&images->image, sizeof *image);
	if (!image)
		return 0;
	*image = (struct stack_image){ module->major, module->minor, module->inode };
	image->path = names_of(names, module->path);
	image->is_libc = is_libc(module->path);
	image->is_agent = !strcmp(basename(module->path), PORT_AGENT);
	image->pid = pid;
	image->module = *module;
	image->module.path = strdup(module->path);
	if (!image->module.path) {
		images->image.n--;
		return 0;
	}
	return (uint32_t)images->image.n;
}

uint32_t stack_image_made(struct stack_images *images, struct names *names, pid_t pid)
{
	struct module module = { .path = (char *)"[made at run time]", .inode = (uint64_t)pid, .end = UINT64_MAX };
	uint32_t number = stack_image_of(images, names, pid, &module);
	struct stack_image *image = image_at(images, number);

	if (image && !image->jit && (image->jit = calloc(1, sizeof *image->jit)))
		image->jit->pid = pid;
	return image && image->jit ? number : 0;
}

/* The kernel maps the same into all programs: this one's is written to a file in memory. */
static int open_vdso(const struct module *module)
{
	const void *data = (const void *)getauxval(AT_SYSINFO_EHDR);
	size_t size = (size_t)(module->end - module->start);
	int fd = data ? memfd_create("vdso", MFD_CLOEXEC) : -1;

	if (fd < 0 || write(fd, data, size) == (ssize_t)size)
		return fd;
	close(fd);
	return -1;
}

/* 0, or -errno. A file comes with the first question about it. */
static int ask(struct stack_images *images, struct code_question *question)
{
	struct code_reader *reader = &images->reader[question->kind];
	struct stack_image *image = image_at(images, question->file + 1);
	struct err ignored;
	int fd = -1, failed;

	if (!reader->slot) {
		failed = code_reader_start(reader, question->kind == CODE_PLACE && !images->is_ending);
		if (failed)
			return failed;
		for (uint32_t i = 1; i <= images->image.n; i++)
			image_at(images, i)->is_sent[question->kind] = false;
	}
	if (image->is_bad)
		return -ENOENT;
	if (!image->is_sent[question->kind]) {
		fd = *image->module.path == '[' ? open_vdso(&image->module)
						: modules_open(image->pid, &image->module, &ignored);
		if (fd < 0)
			return -ENOENT;
		question->has_file = 1;
	}
	failed = code_reader_ask(reader, question, fd);
	if (fd >= 0)
		close(fd);
	if (!failed)
		image->is_sent[question->kind] = true;
	return failed;
}

static bool ask_rule(struct stack_images *images, uint32_t image, uint64_t offset, struct code_rule *rule)
{
	struct code_question question = { .kind = CODE_RULE, .file = image - 1, .offset = offset };
	struct code_answer answer;
	int failed = ask(images, &question);

	if (failed == -ENOENT || failed == -ENOSYS)
		return false;
	if (!failed && code_reader_answer(&images->reader[CODE_RULE], &answer, RULE_MS) == 1) {
		*rule = answer.rule;
		return answer.is_known;
	}
	image_at(images, image)->is_bad = true;
	code_reader_stop(&images->reader[CODE_RULE]);
	return false;
}

const struct code_rule *stack_image_rule(struct stack_images *images, uint32_t image, uint64_t offset)
{
	struct stack_rule *known;

	if (image_at(images, image)->jit || (!images->rule && !(images->rule = calloc(RULES, sizeof *images->rule))))
		return NULL;
	known = &images->rule[hash_of(image, offset) % RULES];
	if (known->image != image || known->offset != offset) {
		*known = (struct stack_rule){ .image = image, .offset = offset };
		known->is_known = ask_rule(images, image, offset, &known->rule);
	}
	return known->is_known ? &known->rule : NULL;
}

static bool is_file(const struct stack_images *images, uint32_t image)
{
	return image && !stack_image_at(images, image)->jit;
}

/* Places. */

static uint32_t hash_of_code(const void *images, uint32_t number)
{
	const struct stack_code *code = stack_image_code(images, number - 1);

	return hash_of(code->image, code->offset);
}

static uint32_t code_of(struct stack_images *images, uint32_t image, uint64_t offset)
{
	struct stack_code *code;
	struct index *index = &images->index;
	uint32_t at;

	if (images->code.n >= MOST_CODES || !index_room(index, images->code.n, hash_of_code, images))
		return 0;
	for (at = hash_of(image, offset) & index->mask; index->number[at]; at = (at + 1) & index->mask) {
		const struct stack_code *known = stack_image_code(images, index->number[at] - 1);

		if (known->image == image && known->offset == offset)
			return index->number[at];
	}
	code = array_add(&images->code, sizeof *code);
	if (!code)
		return 0;
	*code = (struct stack_code){ .image = image, .offset = offset };
	return index->number[at] = (uint32_t)images->code.n;
}

uint32_t stack_image_frame(struct stack_images *images, struct names *names, uint32_t image, uint64_t offset)
{
	uint32_t code = code_of(images, image, offset);

	return code ? callstacks_frame(names_callstacks(names),
				       &(struct frame){ .kind = FRAME_CODE, .offset = code - 1 })
		    : 0;
}

static void add_frame(struct stack_images *images, struct names *names, struct stack_code *code,
		      const struct frame *frame)
{
	uint32_t number = callstacks_frame(names_callstacks(names), frame);
	uint32_t *to = number ? array_add(&images->frame, sizeof *to) : NULL;

	if (!to)
		return;
	*to = number;
	code->n++;
}

/* Addresses of one line are one frame: a function that is known has the offset of its begin. */
static void settle(struct stack_images *images, struct names *names, const struct code_place *place)
{
	struct stack_code *code = (struct stack_code *)images->code.data + images->n_answered++;
	const struct stack_image *image = stack_image_at(images, code->image);
	struct frame frame = { .kind = FRAME_NATIVE,
			       .module = image ? image->path : names_of(names, "[made at run time]"),
			       .offset = place ? place->address : code->offset };

	code->begin = (uint32_t)images->frame.n;
	if (place)
		frame.build = names_of(names, place->build);
	for (uint32_t i = 0; place && i < place->n; i++) {
		frame.function = names_of(names, place->at[i].function);
		frame.file = names_of(names, place->at[i].file);
		frame.line = place->at[i].line;
		frame.offset = place->begin ? place->begin : place->address;
		add_frame(images, names, code, &frame);
	}
	if (!code->n)
		add_frame(images, names, code, &frame);
	code->is_answered = true;
}

/* Whether the next place is one of code that was made at run time, and is settled. */
static bool settle_made(struct stack_images *images, struct names *names)
{
	const struct stack_code *code = stack_image_code(images, images->n_asked);
	const struct stack_image *image = image_at(images, code->image);
	struct code_place place;

	if (!image || !image->jit || images->n_asked > images->n_answered)
		return false;
	images->n_asked++;
	settle(images, names, stack_jit_find(image->jit, code->offset, &place) ? &place : NULL);
	return true;
}

static void ask_places(struct stack_images *images, struct names *names)
{
	while (images->n_asked < images->code.n && images->n_asked - images->n_answered < MOST_OPEN) {
		const struct stack_code *code = stack_image_code(images, images->n_asked);
		struct code_question question = {
			.number = images->n_asked, .kind = CODE_PLACE, .file = code->image - 1, .offset = code->offset
		};
		int failed;

		if (settle_made(images, names))
			continue;
		failed = is_file(images, code->image) ? ask(images, &question) : -ENOENT;

		if (failed == -EAGAIN || (failed && images->n_asked > images->n_answered))
			return; /* after the answers that are to come */
		images->n_asked++;
		if (!failed)
			continue;
		if (failed == -EPIPE)
			code_reader_stop(&images->reader[CODE_PLACE]);
		settle(images, names, NULL);
	}
}

static void begin_wait(struct stack_images *images, uint64_t now_ns)
{
	images->asked_ns = now_ns;
	images->asked_cpu_ns = code_reader_cpu_ns(&images->reader[CODE_PLACE]);
}

/* What has no answer so far is for another child, which has its own time. */
static void start_over(struct stack_images *images, uint64_t now_ns)
{
	code_reader_stop(&images->reader[CODE_PLACE]);
	images->n_asked = images->n_answered;
	begin_wait(images, now_ns);
}

/* The child ended, or takes too long: the question that it worked on has no answer, the others are asked again. */
static void give_up(struct stack_images *images, struct names *names, uint64_t now_ns)
{
	const struct stack_code *code = stack_image_code(images, images->n_answered);
	struct stack_image *image = image_at(images, code->image);

	if (image)
		image->is_bad = true;
	settle(images, names, NULL);
	start_over(images, now_ns);
}

/* An idle child may wait for a CPU for minutes: then another one reads the names when the recording ends. */
static bool is_too_long(struct stack_images *images, uint64_t now_ns)
{
	const struct code_reader *reader = &images->reader[CODE_PLACE];

	if (now_ns - images->asked_ns <= PLACE_NS)
		return false;
	if (code_reader_cpu_ns(reader) - images->asked_cpu_ns > PLACE_NS)
		return true;
	if (now_ns - images->asked_ns <= STUCK_NS)
		return false;
	if (!code_reader_is_ready(reader))
		return true;
	images->asked_ns = now_ns;
	return false;
}

static void take_places(struct stack_images *images, struct names *names, uint64_t now_ns, int wait_ms)
{
	struct code_answer answer;
	int got = 1;

	while (images->n_answered < images->n_asked &&
	       (got = code_reader_answer(&images->reader[CODE_PLACE], &answer, wait_ms)) == 1) {
		begin_wait(images, now_ns);
		if (answer.number == images->n_answered && answer.kind == CODE_PLACE)
			settle(images, names, answer.is_known ? &answer.place : NULL);
		else
			got = -EPIPE;
		if (got < 0)
			break;
	}
	if (images->n_answered == images->n_asked)
		begin_wait(images, now_ns);
	else if (got < 0 || is_too_long(images, now_ns))
		give_up(images, names, now_ns);
}

void stack_images_work(struct stack_images *images, struct names *names, uint64_t now_ns)
{
	if (images->n_answered == images->code.n)
		return;
	take_places(images, names, now_ns, 0);
	ask_places(images, names);
}

/*
 * The child takes CPU time from now on. If it may not, it goes on as long as it answers; then another one begins where
 * it was.
 */
static void end_idle(struct stack_images *images, struct names *names)
{
	uint32_t before;

	images->is_ending = code_reader_hurry(&images->reader[CODE_PLACE]);
	if (images->is_ending)
		return;
	do {
		before = images->n_answered;
		ask_places(images, names);
		take_places(images, names, clock_ns(), IDLE_MS);
	} while (images->n_answered > before && images->n_answered < images->code.n);
	images->is_ending = true;
	if (images->n_answered == images->code.n)
		return;
	start_over(images, clock_ns());
}

/* What is not read within FINISH_MS of CPU time has no name; on busy CPUs that may take FINISH_BUSY_MS. */
void stack_images_finish(struct stack_images *images, struct names *names)
{
	const struct code_reader *reader = &images->reader[CODE_PLACE];
	uint64_t until_ns = clock_ns() + (uint64_t)FINISH_BUSY_MS * 1000000u, until_cpu_ns, now_ns;

	if (images->n_answered < images->code.n)
		end_idle(images, names);
	until_cpu_ns = code_reader_cpu_ns(reader) + (uint64_t)FINISH_MS * 1000000u;
	while (images->n_answered < images->code.n && (now_ns = clock_ns()) < until_ns &&
	       code_reader_cpu_ns(reader) < until_cpu_ns) {
		ask_places(images, names);
		take_places(images, names, now_ns, FINISH_MS / 10);
	}
	while (images->n_answered < images->code.n)
		settle(images, names, NULL);
	images->n_asked = images->n_answered;
}

static void free_image(struct stack_image *image)
{
	free(image->module.path);
	if (image->jit)
		stack_jit_done(image->jit);
	free(image->jit);
}

void stack_images_done(struct stack_images *images)
{
	for (uint32_t i = 1; i <= images->image.n; i++)
		free_image(image_at(images, i));
	code_reader_stop(&images->reader[CODE_RULE]);
	code_reader_stop(&images->reader[CODE_PLACE]);
	array_done(&images->image, sizeof(struct stack_image));
	array_done(&images->code, sizeof(struct stack_code));
	array_done(&images->frame, sizeof(uint32_t));
	free(images->rule);
	free(images->index.number);
	*images = (struct stack_images){ 0 };
}
