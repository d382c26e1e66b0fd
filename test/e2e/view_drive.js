// SPDX-License-Identifier: Apache-2.0
// view_drive.js BROWSER ADDRESS FOLDER STEPS...: drives the page of `inftrace view` at ADDRESS in Chromium. STEPS are files
// view_steps_*.js; each of their functions gets a Page, and throws where the page is wrong. Prints {"done": [...]}; any
// message on the browser's console is a fault. FOLDER takes what the page saves.
'use strict';
const assert = require('assert/strict');
const fs = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');

const [executablePath, address, folder, ...stepsFiles] = process.argv.slice(2);
const PATIENCE = Number(process.env.VIEW_PATIENCE ?? 60000);

/** What the steps do with the page. */
class Driver {
	constructor(browser, page, faults) {
		Object.assign(this, { browser, page, faults, address, folder });
	}
	/** Waits until FUNCTION, in the page, gives something true; gives it. */
	async until(fn, ...args) {
		const got = await this.page
			.waitForFunction(fn, { timeout: PATIENCE, polling: 20 }, ...args)
			.catch(error => {
				throw new Error(`never so: ${fn} ${JSON.stringify(args)}: ${error.message}`);
			});
		return got.jsonValue();
	}
	/** The view moves no more, and all tiles that the screen needs are here and drawn. */
	async rest() {
		await this.until(async () => {
			const { app, plots } = globalThis.inftrace ?? {};
			const said = () => `${app.view.begin}-${app.view.end}`;
			if (!plots || app.gate.busy > 0) return false;
			const before = said();
			await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
			return said() === before && app.gate.busy === 0 && plots.at.events.dataset.view === before;
		});
	}
	view() {
		return this.page.evaluate(() => ({ ...inftrace.app.view, end_of_all: inftrace.app.end }));
	}
	place() {
		return this.page.evaluate(() => inftrace.app.place);
	}
	selected() {
		return this.until(() => inftrace.app.slice && document.querySelector('.details') && inftrace.app.slice);
	}
	async press(...keys) {
		for (const key of keys) await this.page.keyboard.press(key);
	}
	/** A control by its role and the beginning of its name, as a screen reader finds it. */
	async control(role, name) {
		const found = await this.page.waitForSelector(`::-p-aria([role="${role}"][name="${name}"])`, {
			timeout: PATIENCE,
		});
		return found;
	}
	async click(role, name) {
		const control = await this.control(role, name);
		await control.evaluate(element => element.scrollIntoView({ block: 'nearest', inline: 'nearest' }));
		await control.click();
	}
	/** Opens a tab, and waits until the table of the one before is gone. */
	async tab(name) {
		await this.click('tab', name);
		await this.until(title => {
			const chosen = document.querySelector('[role=tab][aria-selected=true]').textContent === title;
			const grid = document.querySelector('[role=grid]');
			return chosen && (!grid || grid.ariaLabel === title);
		}, name);
	}
	async box(selector) {
		return (await this.page.$(selector)).boundingBox();
	}
	async drag(from, to, key) {
		const { mouse, keyboard } = this.page;
		if (key) await keyboard.down(key);
		await mouse.move(...from);
		await mouse.down();
		await mouse.move((from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
		await mouse.move(...to);
		await mouse.up();
		if (key) await keyboard.up(key);
	}
	/** The content of a file that the page saves when ACT is done. */
	async saved(name, act) {
		const file = path.join(this.folder, name);
		fs.rmSync(file, { force: true });
		await act();
		for (const begun = Date.now(); !fs.existsSync(file) || !fs.statSync(file).size; ) {
			assert.ok(Date.now() - begun < PATIENCE, `${name} was not saved`);
			await new Promise(done => setTimeout(done, 20));
		}
		return fs.readFileSync(file);
	}
	async open(hash = '') {
		const page = await this.browser.newPage();
		watch(page, this.faults);
		await page.setViewport({ width: 1400, height: 1000 });
		await page.goto(address + hash, { waitUntil: 'load', timeout: PATIENCE });
		return new Driver(this.browser, page, this.faults);
	}
}

function watch(page, faults) {
	page.on('pageerror', error => faults.push(`error: ${error.message}`));
	page.on('console', message => faults.push(`console: ${message.text()}`));
	page.on('dialog', dialog => {
		faults.push(`dialog: ${dialog.message()}`);
		dialog.dismiss();
	});
	page.on('request', request => {
		if (!request.url().startsWith(address) && !/^(blob|data):/.test(request.url()))
			faults.push(`fetched: ${request.url()}`);
	});
}

async function main() {
	// a module that cannot be required in every version of Node.js
	const { default: puppeteer } = await import(pathToFileURL(require.resolve('puppeteer-core')));
	const browser = await puppeteer.launch({
		executablePath,
		headless: true,
		args: ['--no-sandbox', '--disable-gpu'],
	});
	const faults = [];
	const done = [];
	try {
		const driver = await new Driver(browser, null, faults).open();
		const session = await driver.page.target().createCDPSession();
		await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
		for (const [name, step] of stepsFiles.flatMap(file => Object.entries(require(path.resolve(file))))) {
			await step(driver).catch(error => {
				throw new Error(`${name}: ${error.stack}\nfaults: ${faults.join('; ')}`);
			});
			assert.deepEqual(faults, [], name);
			done.push(name);
		}
		console.log(JSON.stringify({ done }));
	} finally {
		await browser.close();
	}
}

main().catch(error => {
	console.error(error.stack || String(error));
	process.exit(1);
});
