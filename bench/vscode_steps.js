// SPDX-License-Identifier: Apache-2.0
// What vscode.py measures in a workbench; the steps are driven by test/e2e/vscode_drive.js. Writes figures to $VSCODE_FIGURES.
'use strict';
const fs = require('fs');

const figures = {};
const TILES = 60;

/** Milliseconds from asking for a tile to its bytes: the median of tiles that nobody has asked for. */
const tile = (frame, n) =>
	frame.evaluate(async count => {
		const { app } = inftrace;
		const times = [];
		for (let i = 0; i < count; i++) {
			const level = 12 + (i % 8);
			const last = Math.floor(app.end / (512 * 2 ** level));
			const begun = performance.now();
			await app.slices.load({ level, index: Math.floor((last * (i + 1)) / (count + 1)) }, `0-${Math.min(app.rows, 64) - 1}`);
			times.push(performance.now() - begun);
		}
		return times.sort((a, b) => a - b)[count >> 1];
	}, n);

exports.a_million_events = async w => {
	await w.show();
	// the first web view of a window takes a while, whatever is in it
	await w.tree('small.pftrace').click();
	await w.timeline('small.pftrace');
	const begun = performance.now();
	await w.tree('million.pftrace').click();
	await w.timeline('million.pftrace');
	figures.million_s = (performance.now() - begun) / 1000;
};

exports.tiles = async w => {
	const frame = await w.timeline('million.pftrace');
	const page = await w.page.context().newPage();
	await page.goto(process.env.VSCODE_BROWSER_PAGE);
	await page.waitForFunction(() => globalThis.inftrace?.app.gate.busy === 0);
	const rounds = [];
	// in turn, so that the machine is the same for both
	for (let i = 0; i < 5; i++) {
		await page.bringToFront();
		const browser = await tile(page, TILES);
		await w.page.bringToFront();
		rounds.push([browser, await tile(frame, TILES)]);
	}
	await page.close();
	const best = i => Math.min(...rounds.map(round => round[i]));
	Object.assign(figures, { tile_browser_ms: best(0), tile_editor_ms: best(1) });
};

exports.hidden_views = async w => {
	const asked = () => fs.readFileSync(process.env.VSCODE_ASKED, 'utf8').split('\n').filter(line => /^ps /.test(line)).length;
	const during = async ms => {
		const before = asked();
		await w.page.waitForTimeout(ms);
		return asked() - before;
	};
	figures.asked_visible = await during(8000);
	await w.page.locator('.activitybar a[aria-label^="Explorer"]').click();
	await w.page.waitForTimeout(5000);
	figures.asked_hidden = await during(8000);
};

/** Last, because the list lies over the views. */
exports.activation = async w => {
	await w.command('Developer: Show Running Extensions');
	const row = w.page.locator('.extension').filter({ hasText: 'inftrace' }).first();
	await row.waitFor();
	figures.activation_ms = Number(/(\d+)ms/.exec(await row.locator('.activation-time').textContent())[1]);
	fs.writeFileSync(process.env.VSCODE_FIGURES, JSON.stringify(figures));
};
