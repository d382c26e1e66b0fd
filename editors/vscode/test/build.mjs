// SPDX-License-Identifier: Apache-2.0
// build.mjs OUT: bundles the extension into the folder OUT: one file, without what the editor brings.
import { join } from 'node:path';
import { build } from 'esbuild';

const out = process.argv[2] ?? 'out';
await build({
	entryPoints: ['src/extension.ts'],
	outfile: join(out, 'extension.js'),
	bundle: true,
	minify: true,
	platform: 'node',
	format: 'cjs',
	target: 'node18',
	external: ['vscode'],
	legalComments: 'none',
	charset: 'utf8',
	logLevel: 'warning',
});
