// SPDX-License-Identifier: Apache-2.0
/* The files of the page are served under their names, with their types; without them, a page says how to build them. */
#include "show/view/http/page.h"

#include <string.h>

#include "cases.h"

#define FILE_OF(name, text) { name, (const unsigned char *)(text), sizeof(text) - 1 }
static const struct page_file with[] = {
	FILE_OF("app.css", "body {}"), FILE_OF("app.js", "start()"), FILE_OF("icon.svg", "<svg/>"),
	FILE_OF("index.html", "<p>"),  FILE_OF("other", "\0\1"),     { NULL },
};
static const struct page_file without[] = { { NULL } };

static void check(const struct page_file *files, const char *name, const char *type, const char *content)
{
	struct http_answer answer = { 0 };

	assert_true(view_page_of(files, name, &answer));
	assert_int_equal(answer.status, 200);
	assert_string_equal(answer.type, type);
	assert_true(answer.is_borrowed);
	assert_true(answer.size >= strlen(content));
	assert_memory_equal(answer.body, content, strlen(content));
}

TEST(files_have_their_names_and_types)
{
	struct http_answer answer = { 0 };

	check(with, "", "text/html; charset=utf-8", "<p>");
	check(with, "index.html", "text/html; charset=utf-8", "<p>");
	check(with, "app.js", "text/javascript; charset=utf-8", "start()");
	check(with, "app.css", "text/css; charset=utf-8", "body {}");
	check(with, "icon.svg", "image/svg+xml", "<svg/>");
	check(with, "other", "application/octet-stream", "");
	assert_false(view_page_of(with, "app", &answer));
	assert_false(view_page_of(with, "none.js", &answer));
}

TEST(a_page_that_was_not_built_is_said)
{
	struct http_answer answer = { 0 };

	check(without, "", "text/html; charset=utf-8", "<!doctype html>");
	assert_true(view_page_of(without, "", &answer));
	assert_non_null(memmem(answer.body, answer.size, "npm", 3));
	assert_false(view_page_of(without, "app.js", &answer));
}
