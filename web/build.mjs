// SPDX-License-Identifier: Apache-2.0
// build.mjs OUT: bundles the page into the folder OUT: app.js, app.css, index.html, icon.svg.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const out = process.argv[2] ?? 'out';
await build({
	entryPoints: [
		{ in: 'src/main.tsx', out: 'app' },
		{ in: 'src/app.css', out: 'app' },
	],
	outdir: out,
	bundle: true,
	minify: true,
	format: 'esm',
	target: 'es2022',
	jsx: 'automatic',
	jsxImportSource: 'preact',
	legalComments: 'none',
	charset: 'utf8',
	logLevel: 'warning',
});
for (const name of ['index.html', 'icon.svg']) copyFileSync(name, join(out, name));
