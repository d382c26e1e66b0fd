// SPDX-License-Identifier: Apache-2.0
// judge_shot.js BROWSER BASE_URL OUT.png SECONDS: opens BASE_URL/recording.pftrace in the Perfetto UI that is served at
// BASE_URL, waits until it is shown, takes its picture. Prints {"slices": n, "errors": [...]}.
'use strict';
const { pathToFileURL } = require('url');

const [executablePath, base, out, seconds] = process.argv.slice(2);
const timeout = 1000 * Number(seconds);

async function open(browser, errors) {
	const page = await browser.newPage();
	page.on('pageerror', error => errors.push(String(error)));
	await page.setViewport({ width: 1600, height: 1000 });
	await page.goto(`${base}/index.html#!/?url=${base}/recording.pftrace`, { waitUntil: 'load', timeout });
	await page.waitForFunction(() => globalThis.app?.trace?.engine && document.querySelector('.pf-track, .pf-track__header'),
				   { timeout });
	return page;
}

// What the UI's own engine holds, and what it says went wrong when it read the file.
function look(page) {
	return page.evaluate(async () => {
		const ask = async (sql, row) => (await app.trace.engine.query(sql)).iter(row);
		const slices = Number((await ask('select count(*) as n from slice', { n: 0 })).n);
		const faults = [];
		const sql = "select name from stats where severity in ('error', 'data_loss') and value > 0";
		for (const it = await ask(sql, { name: '' }); it.valid(); it.next())
			faults.push(it.name);
		return { slices, faults };
	});
}

async function main() {
	const errors = [];
	// a module that cannot be required in every version of Node.js
	const { default: puppeteer } = await import(pathToFileURL(require.resolve('puppeteer-core')));
	const browser = await puppeteer.launch({ executablePath, headless: true, args: ['--no-sandbox', '--disable-gpu'] });
	try {
		const page = await open(browser, errors);
		const { slices, faults } = await look(page);
		await page.evaluate(() => app.trace.workspace.flatTracks.forEach(track => track.expand()));
		await new Promise(resolve => setTimeout(resolve, 3000));
		await page.screenshot({ path: out });
		console.log(JSON.stringify({ slices, errors: errors.concat(faults) }));
	} finally {
		await browser.close();
	}
}

main().catch(error => {
	console.error(String(error));
	process.exit(1);
});
