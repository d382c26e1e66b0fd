// SPDX-License-Identifier: Apache-2.0
/* The files of the page, which the build has put into the program, and what stands in for them where it has not. */
#include "show/view/http/page.h"

#include <string.h>

static const char not_built[] =
    "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>inftrace view</title></head><body>\n"
    "<h1>This inftrace was built without its page</h1>\n"
    "<p>The recording is open, and this server answers questions about it, but nothing draws them here. The page is "
    "built with Node.js and npm: install them, then build inftrace again in its source folder:</p>\n"
    "<pre>apt-get install nodejs npm\nrm -rf build\nmake</pre>\n"
    "<p><a href=\"report.json\">The report of the recording as JSON</a>; <code>inftrace report</code> prints it for "
    "people.</p>\n</body></html>\n";

static const char *type_of(const char *name)
{
	static const char *const types[][2] = {
		{ ".html", "text/html; charset=utf-8" },
		{ ".js", "text/javascript; charset=utf-8" },
		{ ".css", "text/css; charset=utf-8" },
		{ ".svg", "image/svg+xml" },
		{ ".png", "image/png" },
		{ ".json", "application/json" },
		{ ".txt", "text/plain; charset=utf-8" },
		{ ".woff2", "font/woff2" },
	};
	const char *suffix = strrchr(name, '.');

	for (size_t i = 0; suffix && i < sizeof types / sizeof *types; i++)
		if (!strcmp(suffix, types[i][0]))
			return types[i][1];
	return "application/octet-stream";
}

static const struct page_file *find(const struct page_file *files, const char *name)
{
	for (; files->name; files++)
		if (!strcmp(files->name, name))
			return files;
	return NULL;
}

bool view_page_of(const struct page_file *files, const char *name, struct http_answer *answer)
{
	const struct page_file *file = find(files, *name ? name : "index.html");

	if (file)
		*answer = (struct http_answer){ 200, type_of(file->name), (void *)file->data, file->size, true };
	else if (!*name)
		*answer = (struct http_answer){ 200, type_of("x.html"), (void *)not_built, sizeof not_built - 1, true };
	else
		return false;
	return true;
}

bool view_page(const char *name, struct http_answer *answer)
{
	return view_page_of(page_files, name, answer);
}
