// SPDX-License-Identifier: Apache-2.0
// Chromium for view_frames.js and view_peer.js: opens a page, measures what its main thread does for each frame, and what
// memory the browser takes. Knows neither page. Needs puppeteer-core in NODE_PATH.
'use strict';
const fs = require('fs');
const { pathToFileURL } = require('url');

const at = (values, part) => [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * part)];

async function launch(executablePath) {
	const { default: puppeteer } = await import(pathToFileURL(require.resolve('puppeteer-core')));
	return puppeteer.launch({
		executablePath,
		headless: true,
		protocolTimeout: 600000,
		args: ['--no-sandbox', '--disable-gpu'],
	});
}

async function newPage(browser, dpr) {
	const page = await browser.newPage();
	await page.setViewport({ width: 1600, height: 900, deviceScaleFactor: Number(dpr) });
	return page;
}

/** MiB of all of the browser's processes; pages that they share count once. */
function memory(browser) {
	const parents = new Map();
	for (const pid of fs.readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
		try {
			parents.set(pid, fs.readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) \S /s, '').split(' ')[0]);
		} catch {
			// it has ended meanwhile
		}
	}
	const root = String(browser.process().pid);
	const isOurs = pid => pid === root || (parents.has(pid) && isOurs(parents.get(pid)));
	let kib = 0;
	for (const pid of parents.keys()) {
		if (!isOurs(pid)) continue;
		try {
			kib += Number(/^Pss:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]);
		} catch {
			// it has ended meanwhile
		}
	}
	return kib / 1024;
}

/** CPU time of the main thread for each frame (all tasks, from Chromium's own trace) while ACT goes on. */
async function frames(page, act) {
	await page.tracing.start({ categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'] });
	await act();
	const { traceEvents } = JSON.parse(Buffer.from(await page.tracing.stop()).toString());
	const begins = traceEvents.filter(one => one.name === 'FireAnimationFrame');
	const { pid, tid } = begins[0];
	const tasks = traceEvents
		.filter(one => one.name === 'RunTask' && one.pid === pid && one.tid === tid && one.dur)
		.sort((a, b) => a.ts - b.ts);
	// all callbacks of a frame, the mover's and the page's, run in one task
	const holds = task => begins.some(one => one.ts >= task.ts && one.ts <= task.ts + task.dur);
	const starts = tasks.filter(holds).map(task => task.ts);
	const work = starts.map(() => 0);
	for (const task of tasks) {
		const frame = starts.findLastIndex(ts => ts <= task.ts);
		if (frame >= 0) work[frame] += (task.tdur ?? 0) / 1000;
	}
	return {
		p50_ms: at(work, 0.5),
		p95_ms: at(work, 0.95),
		frames_per_s: ((starts.length - 1) / (starts[starts.length - 1] - starts[0])) * 1e6,
	};
}

/** Runs WORK with a browser, and prints what it returns. */
function main(executablePath, work) {
	launch(executablePath)
		.then(browser => work(browser).finally(() => browser.close()))
		.then(
			result => console.log(JSON.stringify(result)),
			error => {
				console.error(error.stack || String(error));
				process.exit(1);
			},
		);
}

module.exports = { frames, main, memory, newPage };
