// SPDX-License-Identifier: Apache-2.0
// What vscode.py measures in a workbench; the steps are driven by test/e2e/vscode_drive.js. Writes figures to $VSCODE_FIGURES.
'use strict';
const fs = require('fs');

const figures = {};
const PAIRS = 15;
const ROUNDS = 16;
/** What a wide window needs after a zoom: tiles of slices beside each other. */
const TOGETHER = 4;

/** Milliseconds from asking for tiles that nobody has asked for to the bytes of all: the median. */
const tiles = (frame, together) =>
	frame.evaluate(
		async ([rounds, n]) => {
			const { app } = inftrace;
			const times = [];
			for (let i = 0; i < rounds; i++) {
				const level = 12 + (i % 8);
				const last = Math.floor(app.end / (512 * 2 ** level));
				const first = Math.floor((last * (i + 1)) / (rounds + 1));
				const begun = performance.now();
				const rows = `0-${Math.min(app.rows, 64) - 1}`;
				await Promise.all(Array.from({ length: n }, (_, k) => app.slices.load({ level, index: first + k }, rows)));
				times.push(performance.now() - begun);
			}
			return times.sort((a, b) => a - b)[rounds >> 1];
		},
		[ROUNDS, together],
	);

/** By a click, once the window has started everything else. */
exports.starts = async w => {
	await w.page.locator('.activitybar a[aria-label^="inftrace"]').waitFor();
	await w.page.waitForTimeout(10000);
	await w.show();
};

exports.a_million_events = async w => {
	// the first web view of a window takes a while, whatever is in it
	await w.tree('small.pftrace').click();
	await w.timeline('small.pftrace');
	const begun = performance.now();
	await w.tree('million.pftrace').click();
	await w.timeline('million.pftrace');
	figures.million_s = (performance.now() - begun) / 1000;
};

const median = of => [...of].sort((a, b) => a - b)[of.length >> 1];

exports.tiles = async w => {
	const frame = await w.timeline('million.pftrace');
	const page = await w.page.context().newPage();
	await page.goto(process.env.VSCODE_BROWSER_PAGE);
	await page.waitForFunction(() => globalThis.inftrace?.app.gate.busy === 0);
	for (const [name, together] of [['tile', 1], ['screen', TOGETHER]]) {
		const pairs = [];
		// in turn, so that the machine is the same for both
		for (let i = 0; i < PAIRS; i++) {
			await page.bringToFront();
			const browser = await tiles(page, together);
			await w.page.bringToFront();
			pairs.push([browser, await tiles(frame, together)]);
		}
		figures[`${name}_ratio`] = median(pairs.map(([browser, editor]) => editor / browser));
		figures[`${name}_browser_ms`] = median(pairs.map(([browser]) => browser));
		figures[`${name}_editor_ms`] = median(pairs.map(([, editor]) => editor));
	}
	await page.close();
};

exports.hidden_views = async w => {
	const asked = () => fs.readFileSync(process.env.VSCODE_ASKED, 'utf8').split('\n').filter(line => /^ps /.test(line)).length;
	// a window without the focus is not looked at either
	await w.page.bringToFront();
	await w.page.locator('.pane-header:has-text("Running Programs")').focus();
	const before = asked();
	await w.until(() => asked() > before, 'the view asks while it is seen');
	await w.page.locator('.activitybar a[aria-label^="Explorer"]').click();
	await w.page.waitForTimeout(5000);
	const left = asked();
	await w.page.waitForTimeout(8000);
	figures.asked_hidden = asked() - left;
};

/** Last, because the list lies over the views. */
exports.activation = async w => {
	await w.command('Developer: Show Running Extensions');
	const row = w.page.locator('.extension').filter({ hasText: 'inftrace' }).first();
	await row.waitFor();
	figures.activation_ms = Number(/(\d+)ms/.exec(await row.locator('.activation-time').textContent())[1]);
	fs.writeFileSync(process.env.VSCODE_FIGURES, JSON.stringify(figures));
};
