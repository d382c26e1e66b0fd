// SPDX-License-Identifier: Apache-2.0
// view_wait.js BROWSER INFTRACE FILE: opens the page of a large FILE while `inftrace view` reads it. Prints the percentages
// that the page said, once it shows the recording.
'use strict';
const { spawn } = require('child_process');
const { pathToFileURL } = require('url');

const [executablePath, program, file] = process.argv.slice(2);
const PATIENCE = Number(process.env.VIEW_PATIENCE ?? 300000);

async function main() {
	const { default: puppeteer } = await import(pathToFileURL(require.resolve('puppeteer-core')));
	const browser = await puppeteer.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
	const view = spawn(program, ['view', '--no-browser', file], { stdio: ['ignore', 'pipe', 'inherit'] });
	try {
		const page = await browser.newPage();
		await page.evaluateOnNewDocument(() => {
			globalThis.said = [];
			new MutationObserver(() => {
				const share = /: (\d+) %, /.exec(document.querySelector('.boot')?.textContent ?? '');
				const bar = document.querySelector('.boot + progress');
				if (share && bar && Math.floor(bar.value * 100) === Number(share[1]))
					globalThis.said.push(Number(share[1]));
			}).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
		});
		const address = await new Promise(done => view.stdout.once('data', data => done(String(data).trim())));
		await page.goto(address, { waitUntil: 'domcontentloaded', timeout: PATIENCE });
		await page.waitForFunction(() => globalThis.inftrace, { timeout: PATIENCE, polling: 50 });
		console.log(JSON.stringify(await page.evaluate(() => globalThis.said)));
	} finally {
		view.kill('SIGINT');
		await browser.close();
	}
}

main().catch(error => {
	console.error(error.stack || String(error));
	process.exit(1);
});
