// SPDX-License-Identifier: Apache-2.0
// view_frames.js BROWSER ADDRESS DPR [SECONDS]: pans and zooms the page of `inftrace view` for so long each; prints JSON with
// the main thread's CPU time of each frame (all tasks, from Chromium's own trace), frames a second, and how much of the
// picture was there. Needs puppeteer-core in NODE_PATH.
'use strict';
const { pathToFileURL } = require('url');

const [executablePath, address, dpr, seconds = '4'] = process.argv.slice(2);

const at = (values, part) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * part)];

// Run in the page, once a frame: `app` and the number of the frame.
const MOVES = {
	// five screens a second through a tenth of the recording's zoom
	pan: `const wide = app.end / 64, from = (frame * wide * 5 / 60) % (app.end - wide); app.setView({ begin: from, end: from + wide })`,
	// a thousand times closer in a second, and back
	zoom: `const part = Math.abs((frame % 120) - 60) / 60, wide = app.end * 1000 ** (part - 1), mid = app.end * 0.4;
		app.setView({ begin: mid - wide * 0.4, end: mid + wide * 0.6 })`,
};

async function measure(page, move) {
	await page.evaluate(() => {
		inftrace.app.setView({ begin: 0, end: inftrace.app.end });
		inftrace.app.slices.seen.exact = inftrace.app.slices.seen.any = inftrace.app.slices.seen.parts = 0;
	});
	await page.tracing.start({
		categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'],
	});
	const seen = await page.evaluate(
		(source, frames) =>
			new Promise(done => {
				const { app } = inftrace;
				const step = new Function('app', 'frame', source);
				let frame = 0;
				const again = () => {
					step(app, frame);
					if (frame++ < frames) requestAnimationFrame(again);
					else done({ ...app.slices.seen });
				};
				requestAnimationFrame(again);
			}),
		move,
		60 * Number(seconds),
	);
	const { traceEvents } = JSON.parse(Buffer.from(await page.tracing.stop()).toString());
	const begins = traceEvents.filter(one => one.name === 'FireAnimationFrame');
	const { pid, tid } = begins[0];
	const tasks = traceEvents
		.filter(one => one.name === 'RunTask' && one.pid === pid && one.tid === tid && one.dur)
		.sort((a, b) => a.ts - b.ts);
	// all callbacks of a frame, the mover's and the page's, run in one task
	const holds = task => begins.some(one => one.ts >= task.ts && one.ts <= task.ts + task.dur);
	const frames = tasks.filter(holds).map(task => task.ts);
	const work = frames.map(() => 0);
	for (const task of tasks) {
		const frame = frames.findLastIndex(ts => ts <= task.ts);
		if (frame >= 0) work[frame] += (task.tdur ?? 0) / 1000;
	}
	return {
		p50_ms: at(work, 0.5),
		p95_ms: at(work, 0.95),
		frames_per_s: ((frames.length - 1) / (frames[frames.length - 1] - frames[0])) * 1e6,
		shown: seen.any / seen.parts,
		exact: seen.exact / seen.parts,
	};
}

async function main() {
	const { default: puppeteer } = await import(pathToFileURL(require.resolve('puppeteer-core')));
	const browser = await puppeteer.launch({
		executablePath,
		headless: true,
		args: ['--no-sandbox', '--disable-gpu'],
	});
	try {
		const page = await browser.newPage();
		// the page's own policy forbids what `new Function` needs
		await page.setBypassCSP(true);
		await page.setViewport({ width: 1600, height: 900, deviceScaleFactor: Number(dpr) });
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
		console.log(JSON.stringify(out));
	} finally {
		await browser.close();
	}
}

main().catch(error => {
	console.error(error.stack || String(error));
	process.exit(1);
});
