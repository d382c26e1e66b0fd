// SPDX-License-Identifier: Apache-2.0
// view_peer.js BROWSER BASE DPR [SECONDS]: opens BASE/recording.pftrace in the Perfetto UI that is served at BASE; prints
// JSON with the seconds until the recording is loaded and until its rows are drawn, the browser's memory, and the main
// thread's CPU time of each frame while keys are held that pan and zoom it.
'use strict';
const { frames, main, memory, newPage } = require('./view_chromium.js');

const [executablePath, base, dpr, seconds = '4'] = process.argv.slice(2);
const timeout = 600000;

/** Runs in the page: how many pixels of its plots have a color, looked at in small. */
function colored() {
	const small = new OffscreenCanvas(200, 100);
	const context = small.getContext('2d', { willReadFrequently: true });
	let n = 0;
	for (const canvas of document.querySelectorAll('canvas')) {
		// not its overview, which is drawn long before
		if (canvas.getBoundingClientRect().height < 300) continue;
		context.clearRect(0, 0, 200, 100);
		context.drawImage(canvas, 0, 0, 200, 100);
		const { data } = context.getImageData(0, 0, 200, 100);
		for (let i = 0; i < data.length; i += 4) {
			const most = Math.max(data[i], data[i + 1], data[i + 2]);
			if (data[i + 3] > 128 && most - Math.min(data[i], data[i + 1], data[i + 2]) > most / 4) n++;
		}
	}
	return n;
}

async function hold(page, key) {
	await page.keyboard.down(key);
	await new Promise(done => setTimeout(done, 1000 * Number(seconds)));
	await page.keyboard.up(key);
}

main(executablePath, async browser => {
	const page = await newPage(browser, dpr);
	const begun = Date.now();
	const since = () => (Date.now() - begun) / 1000;
	await page.goto(`${base}/index.html#!/?url=${base}/recording.pftrace`, { waitUntil: 'load', timeout });
	await page.waitForFunction(
		() => globalThis.app?.trace?.engine && document.querySelector('.pf-track, .pf-track__header'),
		{ timeout, polling: 100 },
	);
	const loaded_s = since();
	await page.evaluate(() => app.trace.workspace.flatTracks.forEach(track => track.expand()));
	await page.waitForFunction(`(${colored})() > 200`, { timeout, polling: 200 });
	const drawn_s = since();
	await page.mouse.move(900, 500);
	const zoom = await frames(page, async () => {
		await hold(page, 'w');
		await hold(page, 's');
	});
	await hold(page, 'w');
	const pan = await frames(page, () => hold(page, 'd'));
	return { loaded_s, drawn_s, browser_mib: memory(browser), zoom, pan };
});
