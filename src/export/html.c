// SPDX-License-Identifier: Apache-2.0
/* Escapes, the frame of the page with its style sheet, tables. Knows nothing of what is shown. */
#include "export/html.h"

#include <stdarg.h>
#include <stdlib.h>

static void put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			fputc(*text, out);
		}
	}
}

static void put_words(FILE *out, const char *fmt, va_list args)
{
	char *text = NULL;

	if (vasprintf(&text, fmt, args) < 0)
		return;
	put_escaped(out, text);
	free(text);
}

void html_words(FILE *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	put_words(out, fmt, args);
	va_end(args);
}

/* Colours are those of Okabe and Ito, moved for contrast: told apart by most eyes, on white and on black. */
static const char *const style[] = {
	":root{color-scheme:light "
	"dark;--bg:#f6f7f9;--card:#fff;--ink:#16191d;--dim:#5c6570;--line:#dfe3e8;--soft:#eef1f4;",
	"--bad:#b3261e;--good:#0b6e4f;--accent:#0b57d0;--c0:#0b6bb8;--c1:#d06a00;--c2:#0a8f68;--c3:#a8437d;--c4:#"
	"8a7400;",
	"--c5:#3d4a9e;--c6:#6b6f76;--c7:#c0392b}\n",
	"@media(prefers-color-scheme:dark){:root{--bg:#101316;--card:#181c20;--ink:#e7eaee;--dim:#9aa4af;--line:#"
	"2c333a;",
	"--soft:#21262c;--bad:#ff8a80;--good:#5fd3a5;--accent:#8ab4f8;--c0:#5eb3f0;--c1:#ffab57;--c2:#4fd1a5;--c3:#"
	"ea92c4;",
	"--c4:#dfca4e;--c5:#9fa8f5;--c6:#a7adb5;--c7:#ff8a75}}\n",
	"*{box-sizing:border-box}html{scroll-behavior:smooth;scroll-padding-top:3.2rem}\n",
	"body{margin:0;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,",
	"'Noto Sans',sans-serif}\n",
	"nav{position:sticky;top:0;z-index:2;background:var(--card);border-bottom:1px solid var(--line);padding:.55rem "
	"1rem;",
	"overflow-x:auto;white-space:nowrap;font-size:.9rem}nav "
	"a{color:var(--dim);text-decoration:none;margin-right:1.1rem}",
	"nav a:hover,nav a:focus{color:var(--accent)}nav strong{margin-right:1.4rem}\n",
	"main{max-width:1240px;margin:0 auto;padding:1.2rem 1rem 4rem}\n",
	"h1{font-size:1.55rem;line-height:1.25;margin:.4rem 0 "
	".3rem;overflow-wrap:anywhere}h2{font-size:1.15rem;margin:0 0 .2rem}",
	"h3{font-size:.98rem;margin:1.1rem 0 .2rem;overflow-wrap:anywhere}\n",
	".lead{font-size:1.08rem;margin:.2rem 0 "
	"1rem;max-width:62rem;overflow-wrap:anywhere}.dim,figcaption{color:var(--dim)}\n",
	"section{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:1rem 1.2rem 1.2rem;",
	"margin:1rem 0}section>p{margin:.2rem 0 .8rem;max-width:68rem;color:var(--dim)}\n",
	"dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:0}dt{color:var(--dim)}",
	"dd{margin:0;overflow-wrap:anywhere}\n",
	".wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.9rem}caption{text-align:left;",
	"color:var(--dim);font-size:.84rem;padding:.2rem .5rem .35rem 0}\n",
	"th,td{padding:.3rem .45rem;text-align:left;border-bottom:1px solid var(--line);vertical-align:top}",
	"th{font-weight:600;color:var(--dim);font-size:.84rem;vertical-align:bottom}",
	"th.n,td.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}",
	"tr:last-child td{border-bottom:0}td.name{font-family:ui-monospace,'DejaVu Sans "
	"Mono',monospace;font-size:.84rem;",
	"min-width:9rem;overflow-wrap:anywhere}td.bad{color:var(--bad)}td.good{color:var(--good)}td.off{color:var(--"
	"dim)}td.main{font-weight:"
	"650}\n",
	".pair{display:grid;grid-template-columns:minmax(0,1fr);gap:.4rem 1.6rem;align-items:start;margin-top:.6rem}",
	"@media(min-width:1020px){.pair{grid-template-columns:minmax(0,5fr) minmax(0,6fr)}}\n",
	".many{display:grid;grid-template-columns:minmax(0,1fr);gap:.2rem 1.6rem}",
	"@media(min-width:860px){.many{grid-template-columns:repeat(2,minmax(0,1fr))}}\n",
	"figure{margin:0}figcaption{font-size:.84rem;margin:.1rem 0 .3rem}figcaption "
	"b{color:var(--ink);font-weight:600}",
	"svg{display:block;width:100%;min-width:27rem;max-width:46rem;height:auto;font:12px system-ui,sans-serif}\n",
	"svg text{fill:var(--dim)}svg text.ink{fill:var(--ink)}.grid{stroke:var(--line);stroke-width:1}",
	".axis{stroke:var(--dim);stroke-width:1}.roof{stroke:var(--ink);stroke-width:1.5;fill:none}.dash{stroke-"
	"dasharray:5 4}\n",
	".key{display:flex;flex-wrap:wrap;gap:.1rem 1rem;list-style:none;margin:.2rem 0;padding:0;font-size:.84rem}",
	".key li::before{content:'';display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.4em;",
	"background:var(--k);vertical-align:-.05em}\n",
	".s0{--k:var(--c0)}.s1{--k:var(--c1)}.s2{--k:var(--c2)}.s3{--k:var(--c3)}.s4{--k:var(--c4)}.s5{--k:var(--c5)}",
	".s6{--k:var(--c6)}.s7{--k:var(--c7)}.fill{fill:var(--k)}.soft{fill:var(--k);fill-opacity:.28}",
	".line{stroke:var(--k);stroke-width:2;fill:none;stroke-linejoin:round}.rest{fill:var(--line)}.dot{fill:var(--k)"
	";fill-opacity:.62;",
	"stroke:var(--k)}\n",
	".todo{list-style:none;margin:.4rem 0 0;padding:0;display:grid;grid-template-columns:minmax(0,1fr);gap:.55rem}",
	"@media(min-width:860px){.todo{grid-template-columns:repeat(2,minmax(0,1fr))}}.todo li{border-left:4px solid "
	"var(--k);",
	"background:var(--soft);border-radius:0 8px 8px 0;padding:.5rem .8rem;overflow-wrap:anywhere}.todo "
	"li.bad{border-color:",
	"var(--bad)}.todo b{display:block}.todo i{color:var(--dim);font-style:normal}.todo .next{color:var(--good)}\n",
	"footer{color:var(--dim);font-size:.84rem;margin-top:1.4rem}\n",
	"@media "
	"print{:root{--bg:#fff;--card:#fff;--ink:#000;--dim:#444;--line:#ccc;--soft:#f4f4f4;--bad:#a00;--good:#064;",
	"--c0:#0b6bb8;--c1:#d06a00;--c2:#0a8f68;--c3:#a8437d;--c4:#8a7400;--c5:#3d4a9e;--c6:#6b6f76;--c7:#c0392b}",
	"nav{display:none}main{max-width:none;padding:0}section{border:0;padding:0;break-inside:auto}",
	"figure,.todo li,tr{break-inside:avoid}svg{min-width:0;print-color-adjust:exact}body{font-size:10pt}}\n",
	NULL,
};

void html_begin(FILE *out, const char *title)
{
	fputs(
	    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
	    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/>\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>\n"
	    "<meta name=\"generator\" content=\"inftrace\"/>\n<title>",
	    out);
	html_words(out, "%s", title);
	fputs("</title>\n<style>\n", out);
	for (size_t i = 0; style[i]; i++)
		fputs(style[i], out);
	fputs("</style>\n</head>\n<body>\n", out);
}

void html_end(FILE *out)
{
	fputs("</main>\n</body>\n</html>\n", out);
}

void html_header(FILE *out, bool is_number, const char *fmt, ...)
{
	va_list args;

	fputs(is_number ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">", out);
	va_start(args, fmt);
	put_words(out, fmt, args);
	va_end(args);
	fputs("</th>", out);
}

void html_table(FILE *out, const char *caption, const char *const *headers)
{
	fputs("<div class=\"wide\"><table><caption>", out);
	html_words(out, "%s", caption);
	fputs("</caption>\n<tbody><tr>", out);
	for (; headers && *headers; headers++)
		html_header(out, **headers == '>', "%s", *headers + (**headers == '>'));
}

void html_row(FILE *out)
{
	fputs("</tr>\n<tr>", out);
}

void html_cell(FILE *out, const char *kind, const char *fmt, ...)
{
	va_list args;

	if (*kind)
		fprintf(out, "<td class=\"%s\">", kind);
	else
		fputs("<td>", out);
	va_start(args, fmt);
	put_words(out, fmt, args);
	va_end(args);
	fputs("</td>", out);
}

void html_table_end(FILE *out)
{
	fputs("</tr></tbody></table></div>\n", out);
}
