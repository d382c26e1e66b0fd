// SPDX-License-Identifier: Apache-2.0
// jupyter_drive.js BROWSER ADDRESS CELLS PICTURE: runs the CELLS cells of the notebook at ADDRESS in JupyterLab, in Chromium,
// and waits for the report of one cell and for the page of another. Prints {"report": ..., "page": ...}: what they show.
'use strict';
const { pathToFileURL } = require('url');

const [executablePath, address, cells, picture] = process.argv.slice(2);
const PATIENCE = 120000;

async function main() {
	const { default: puppeteer } = await import(pathToFileURL(require.resolve('puppeteer-core')));
	const browser = await puppeteer.launch({ executablePath, headless: true, args: ['--no-sandbox', '--disable-gpu'] });
	const page = await browser.newPage();
	/** The first frame in which FN gives something true, and what it gives. */
	const frame = async fn => {
		for (const end = Date.now() + PATIENCE; Date.now() < end; await new Promise(done => setTimeout(done, 100)))
			for (const one of page.frames()) {
				const got = await one.evaluate(fn).catch(() => null);
				if (got) return got;
			}
		throw new Error(`no frame is as ${fn}`);
	};
	try {
		await page.setViewport({ width: 1400, height: 1000 });
		await page.goto(address, { timeout: PATIENCE });
		await page.waitForSelector('.jp-Notebook .jp-CodeCell', { timeout: PATIENCE });
		for (let i = 0; i < Number(cells); i++) {
			// before the kernel is there, and while the page is still being put together, keys do nothing, and what
			// was found is replaced
			const cell = `.jp-Notebook [data-windowed-list-index="${i}"]`;
			for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
				const isFresh = await page
					.$eval(`${cell} .jp-InputPrompt`, prompt => /\[ *\]/.test(prompt.textContent))
					.catch(() => true);
				if (!isFresh) break;
				await page.$eval(cell, element => element.scrollIntoView()).catch(() => undefined);
				await page.click(`${cell} .jp-InputArea-editor`).catch(() => undefined);
				await page.keyboard.down('Control');
				await page.keyboard.press('Enter');
				await page.keyboard.up('Control');
				await new Promise(done => setTimeout(done, 500));
			}
		}
		const report = await frame(() => /inferences of/.test(document.body.innerText) && document.querySelector('h1')?.innerText);
		const shown = await frame(() => globalThis.inftrace?.app.gate.busy === 0 && inftrace.app.report?.verdict);
		await page.screenshot({ path: picture });
		console.log(JSON.stringify({ report, page: shown }));
	} catch (error) {
		await page.screenshot({ path: picture });
		throw error;
	} finally {
		await browser.close();
	}
}

main().catch(error => {
	console.error(error.stack || String(error));
	process.exit(1);
});
