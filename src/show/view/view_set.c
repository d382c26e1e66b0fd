// SPDX-License-Identifier: Apache-2.0
/*
 * Passes each request on to the recording that it is about, compares two, and takes files that a reader brings: they
 * lie in a folder of this user's alone as long as the page is served, because a report reads its file again.
 */
#include "show/view/view_set.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "show/diff/diff_page.h"
#include "show/view/view_in.h"

struct view_set {
	struct view *view[VIEW_SET_MOST];
	char *path[VIEW_SET_MOST]; /* of files that readers have brought; NULL: it is no such file */
	uint32_t n;
	bool (*is_written)(const char *path);
	char folder[64]; /* of them; "": there is none */
	struct view_report diff;
	uint64_t base; /* what it compares with the one beside it */
};

struct sides {
	const char *base, *fresh;
};

static int write_diff(FILE *out, const void *ctx, struct err *err)
{
	const struct sides *sides = ctx;
	const struct diff_opts limits = { .threshold = 0, .minimum = DIFF_MINIMUM };
	struct diff_side base, fresh;
	struct arena arena = { 0 };
	struct diff diff;
	int code = diff_read(&base, &sides->base, 1, &arena, err);

	if (!code)
		code = diff_read(&fresh, &sides->fresh, 1, &arena, err);
	if (!code)
		code = diff_make(&diff, &base, &fresh, &limits, &arena, err);
	if (!code)
		diff_write(out, diff_format_named("json"), &diff, &(struct report_look){ .is_all = true });
	return code;
}

static struct http_job *compare(struct view_set *set, const struct http_request *request, struct http_answer *answer)
{
	struct sides sides;
	struct view_report_source source = { .write = write_diff, .ctx = &sides };
	uint64_t base = 0, fresh;
	struct err err;

	if (!http_request_count(request, "of", UINT32_MAX, &base) || base >= set->n || set->view[base]->beside < 0) {
		http_say(answer, 404, "no recording of this number is compared with another one");
		return NULL;
	}
	fresh = (uint64_t)set->view[base]->beside;
	if (!strcmp(set->view[base]->path, "-") || !strcmp(set->view[fresh]->path, "-")) {
		http_say(answer, 503, "standard input cannot be read again, which comparing needs");
		return NULL;
	}
	if (!set->diff.begun_ns || set->base != base) {
		view_report_stop(&set->diff);
		sides = (struct sides){ set->view[base]->path, set->view[fresh]->path };
		set->base = base;
		if (view_report_start(&set->diff, &source, &err)) {
			set->diff = (struct view_report){ 0 };
			http_say(answer, 503, "%s", err.msg);
			return NULL;
		}
	}
	return view_report_answer(&set->diff, answer);
}

/* What a page may call a file: the name alone, which stays in the folder. */
static const char *name_of(const struct http_request *request)
{
	const char *name = http_request_text(request, "name"), *slash = name ? strrchr(name, '/') : NULL;

	name = slash ? slash + 1 : name;
	return name && *name && *name != '.' && strlen(name) < 200 ? name : "recording.pftrace";
}

/* A folder for each, so that two of one name are two files. NULL and err: it could not be kept. */
static char *keep(struct view_set *set, const char *name, int fd, struct err *err)
{
	const char *root = getenv("TMPDIR");
	char folder[96], *path = NULL;
	int to;

	if (!*set->folder) {
		snprintf(set->folder, sizeof set->folder, "%.40s/inftrace-XXXXXX",
			 root && *root == '/' ? root : "/tmp");
		if (!mkdtemp(set->folder)) {
			*set->folder = 0;
			err_set(err, errno, "cannot keep the file: %s", strerror(errno));
			return NULL;
		}
	}
	snprintf(folder, sizeof folder, "%s/%u", set->folder, set->n);
	if (mkdir(folder, 0700) || asprintf(&path, "%s/%s", folder, name) < 0) {
		err_set(err, errno, "cannot keep the file: %s", strerror(errno));
		return NULL;
	}
	to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	lseek(fd, 0, SEEK_SET);
	for (char buf[65536]; to >= 0;) {
		ssize_t got = read(fd, buf, sizeof buf);
		if (!got) {
			close(to);
			return path;
		}
		if (got < 0 || write(to, buf, (size_t)got) != got)
			break;
	}
	err_set(err, errno, "cannot keep the file: %s", strerror(errno));
	if (to >= 0)
		close(to);
	unlink(path);
	rmdir(folder);
	free(path);
	return NULL;
}

static void forget(char *path)
{
	char *slash = path ? strrchr(path, '/') : NULL;

	if (!slash)
		return;
	unlink(path);
	*slash = 0;
	rmdir(path);
	free(path);
}

/* The file of a view once more, for a comparison of its own: another page may show it as it is. */
static bool add_base(struct view_set *set, uint64_t of, struct err *err)
{
	struct view *view = view_open(set->view[of]->path, set->is_written, NULL, err);

	if (view)
		set->view[set->n++] = view;
	return view != NULL;
}

static void say_failure(struct http_answer *answer, const struct err *err, const char *path)
{
	const char *at = path ? strstr(err->msg, path) : NULL;

	/* where it lies here says nothing to whoever brought it */
	http_say(answer, 400, "%.*s%s", at ? (int)(at - err->msg) : (int)strlen(err->msg), err->msg,
		 at ? at + (strrchr(path, '/') + 1 - path) : "");
}

/* The answer is the number of what is to be shown: the file; or with `beside`, what it is compared with. */
static void take(struct view_set *set, const struct http_request *request, struct http_answer *answer)
{
	uint64_t beside = UINT64_MAX;
	struct view *view;
	struct err err;
	char *path;

	if (!http_request_count(request, "beside", UINT32_MAX, &beside) || (beside != UINT64_MAX && beside >= set->n)) {
		http_say(answer, 404, "there is no recording of this number");
		return;
	}
	if (!request->is_post || request->body_fd < 0) {
		http_say(answer, 400, "a file is sent as the body of a POST");
		return;
	}
	if (set->n + 2 > VIEW_SET_MOST) {
		http_say(answer, 503, "%d recordings are open on this page; start another inftrace view",
			 VIEW_SET_MOST);
		return;
	}
	path = keep(set, name_of(request), request->body_fd, &err);
	view = path ? view_open(path, set->is_written, NULL, &err) : NULL;
	if (!view || (beside != UINT64_MAX && !add_base(set, beside, &err))) {
		say_failure(answer, &err, path);
		view_close(view);
		forget(path);
		return;
	}
	set->path[set->n] = path;
	if (beside != UINT64_MAX) {
		view_set_beside(set, view);
		http_say(answer, 200, "%u", set->n - 2);
		return;
	}
	set->view[set->n] = view;
	http_say(answer, 200, "%u", set->n++);
}

static struct http_job *handle(void *ctx, const struct http_request *request, struct http_answer *answer)
{
	struct view_set *set = ctx;
	struct http_handler own;
	uint64_t of = 0;

	if (!strcmp(request->name, "take")) {
		take(set, request, answer);
		return NULL;
	}
	if (request->is_post) {
		http_say(answer, 404, "there is nothing of this name to do");
		return NULL;
	}
	if (!strcmp(request->name, "diff.json"))
		return compare(set, request, answer);
	if (!http_request_count(request, "of", UINT32_MAX, &of) || of >= set->n) {
		http_say(answer, 404, "there is no recording of this number");
		return NULL;
	}
	own = view_handler(set->view[of]);
	return own.handle(own.ctx, request, answer);
}

static const char *tick(void *ctx)
{
	const struct view_set *set = ctx;
	struct http_handler own = view_handler(set->view[0]);

	return own.tick ? own.tick(own.ctx) : NULL;
}

struct view_set *view_set_new(struct view *first, bool (*is_written)(const char *path))
{
	struct view_set *set = calloc(1, sizeof *set);

	if (!set) {
		view_close(first);
		return NULL;
	}
	set->is_written = is_written;
	set->view[set->n++] = first;
	return set;
}

/* Times that begin at 0 cannot be moved. */
static void move(struct view *view, uint64_t by_ns)
{
	if (pyramid_begin(view->pyramid) >= by_ns)
		view->shift_ns = by_ns;
}

void view_set_beside(struct view_set *set, struct view *view)
{
	struct view *base = set->view[set->n - 1];
	uint64_t a = view_first_inference(base), b = view_first_inference(view);

	base->beside = (int)set->n;
	set->view[set->n++] = view;
	if (a == UINT64_MAX || b == UINT64_MAX)
		return;
	a -= pyramid_begin(base->pyramid);
	b -= pyramid_begin(view->pyramid);
	if (a < b)
		move(base, b - a);
	else
		move(view, a - b);
}

struct http_handler view_set_handler(struct view_set *set)
{
	return (struct http_handler){
		.handle = handle, .tick = tick, .ctx = set, .takes_posts = true, .takes_files = true
	};
}

void view_set_free(struct view_set *set)
{
	if (!set)
		return;
	view_report_stop(&set->diff);
	for (uint32_t i = 0; i < set->n; i++) {
		view_close(set->view[i]);
		forget(set->path[i]);
	}
	if (*set->folder)
		rmdir(set->folder);
	free(set);
}
