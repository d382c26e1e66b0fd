// SPDX-License-Identifier: Apache-2.0
// perf_view.js BROWSER PAGE CHARTS PROFILE...: opens each profile in ONNX Runtime's page perf_view. Prints a list with an
// object for each profile, {"cpu": {NAME: SUM}, "gpu": {NAME: SUM}}: the labels of its treemaps. A name may be cut at its
// end, as the page cuts it where its box is narrow. The page loads its charts from elsewhere; they come from the folder
// CHARTS.
'use strict';
const fs = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');

const [executablePath, file, charts, ...profiles] = process.argv.slice(2);
const address = pathToFileURL(path.resolve(file)).href;

function answer(request) {
	const { protocol, pathname } = new URL(request.url());
	if (protocol === 'file:') return request.continue();
	const name = path.join(charts, ...pathname.split('/').slice(-2));
	if (!/\.(js|css)$/.test(name)) return request.abort(); // a logo
	return request.respond({ body: fs.readFileSync(name), contentType: name.endsWith('js') ? 'text/javascript' : 'text/css' });
}

// A box has two lines of text: its name and its sum.
const boxesOf = page =>
	page.evaluate(() => {
		const read = id =>
			Object.fromEntries(
				[...document.querySelectorAll(`#${id} svg text`)]
					.map(text => [...text.querySelectorAll('tspan')].map(line => line.textContent))
					.filter(lines => lines.length === 2)
			);
		return { cpu: read('cpu'), gpu: read('gpu') };
	});

async function look(page, profile) {
	await page.goto(address, { waitUntil: 'load' });
	const drawn = new Promise((resolve, reject) => {
		page.once('pageerror', reject);
		page.on('console', message => message.text() === 'cpu refreshed' && resolve());
	});
	await (await page.$('#file-selector')).uploadFile(profile);
	await drawn;
	await page.waitForFunction(() => !document.querySelector('.half_view#cpu') || document.querySelector('#gpu svg text tspan'));
	return boxesOf(page);
}

async function main() {
	const { default: puppeteer } = await import(pathToFileURL(require.resolve('puppeteer-core')));
	const browser = await puppeteer.launch({ executablePath, headless: true, args: ['--no-sandbox', '--disable-gpu'] });
	try {
		const page = await browser.newPage();
		await page.setViewport({ width: 1600, height: 1200 });
		await page.setRequestInterception(true);
		page.on('request', answer);
		const seen = [];
		for (const profile of profiles) seen.push(await look(page, profile));
		console.log(JSON.stringify(seen));
	} finally {
		await browser.close();
	}
}

main().catch(error => {
	console.error(error);
	process.exit(1);
});
