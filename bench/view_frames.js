// SPDX-License-Identifier: Apache-2.0
// view_frames.js BROWSER ADDRESS DPR [SECONDS]: pans and zooms the page of `inftrace view` for so long each; prints JSON with
// the main thread's CPU time of each frame, frames a second, how much of the picture was there, and the browser's memory.
'use strict';
const { frames, main, memory, newPage } = require('./view_chromium.js');

const [executablePath, address, dpr, seconds = '4'] = process.argv.slice(2);

// Run in the page, once a frame: `app` and the number of the frame.
const MOVES = {
	// five screens a second through a tenth of the recording's zoom
	pan: `const wide = app.end / 64, from = (frame * wide * 5 / 60) % (app.end - wide); app.setView({ begin: from, end: from + wide })`,
	// a thousand times closer in a second, and back
	zoom: `const part = Math.abs((frame % 120) - 60) / 60, wide = app.end * 1000 ** (part - 1), mid = app.end * 0.4;
		app.setView({ begin: mid - wide * 0.4, end: mid + wide * 0.6 })`,
};

/** Runs in the page: MOVE once a frame. */
function go(source, n) {
	const { app } = globalThis.inftrace;
	const step = new Function('app', 'frame', source);
	return new Promise(done => {
		let frame = 0;
		const again = () => {
			step(app, frame);
			if (frame++ < n) requestAnimationFrame(again);
			else done({ ...app.slices.seen });
		};
		requestAnimationFrame(again);
	});
}

async function measure(page, move) {
	let seen;
	await page.evaluate(() => {
		inftrace.app.setView({ begin: 0, end: inftrace.app.end });
		inftrace.app.slices.seen.exact = inftrace.app.slices.seen.any = inftrace.app.slices.seen.parts = 0;
	});
	const result = await frames(page, async () => (seen = await page.evaluate(go, move, 60 * Number(seconds))));
	return { ...result, shown: seen.any / seen.parts, exact: seen.exact / seen.parts };
}

main(executablePath, async browser => {
	const page = await newPage(browser, dpr);
	// the page's own policy forbids what `new Function` needs
	await page.setBypassCSP(true);
	const begun = Date.now();
	await page.goto(address);
	await page.waitForFunction(
		() => {
			const { app } = globalThis.inftrace ?? {};
			return app && app.gate.busy === 0 && app.slices.seen.exact > 0 && app.names.length > 0;
		},
		{ timeout: 120000, polling: 20 },
	);
	const out = { open_ms: Date.now() - begun };
	for (const [name, move] of Object.entries(MOVES)) out[name] = await measure(page, move);
	return { ...out, browser_mib: memory(browser) };
});
