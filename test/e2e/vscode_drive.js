// SPDX-License-Identifier: Apache-2.0
// vscode_drive.js BROWSER ADDRESS FOLDER STEPS...: drives a workbench of VS Code at ADDRESS in Chromium, as a person does.
// STEPS are files vscode_steps_*.js; each of their functions gets a Workbench, and throws where something is wrong. Prints
// {"done": [[name, ms], ...]}. FOLDER gets a picture of what failed; the folder $VSCODE_PICTURES, one of each step.
'use strict';
const assert = require('assert/strict');
const path = require('path');

const [executablePath, address, folder, ...stepsFiles] = process.argv.slice(2);
const PATIENCE = Number(process.env.VSCODE_PATIENCE ?? 120000);

class Workbench {
	constructor(page) {
		Object.assign(this, { page, folder });
	}
	/** Waits until FN gives something; gives it. */
	async until(fn, what) {
		for (const end = Date.now() + PATIENCE; ; await this.page.waitForTimeout(100)) {
			const got = await fn();
			if (got) return got;
			assert.ok(Date.now() < end, `never so: ${what ?? fn}`);
		}
	}
	/** Types into the list of commands or files, and takes a row of it. */
	async choose(key, text, row) {
		const input = this.page.locator('.quick-input-widget input.input');
		const soon = { timeout: 10000 };
		// a web view that comes takes the focus, which closes the list
		await this.until(async () => {
			try {
				await this.page.keyboard.press(key);
				await input.waitFor(soon);
				await input.fill(text, soon);
				await row.click(soon);
				return true;
			} catch {
				// one that was opened before all commands were there does not get them
				await this.page.keyboard.press('Escape');
				return false;
			}
		}, text);
	}
	/** A command by its title: the first row may be another one that matches loosely. */
	command(title) {
		return this.choose('F1', `>${title}`, this.row(title, true));
	}
	/** A row of the list that is open on top. */
	row(text, isWhole = false) {
		const rows = this.page.locator('.quick-input-list .monaco-list-row');
		return (
			isWhole ? rows.filter({ has: this.page.getByText(text, { exact: true }) }) : rows.filter({ hasText: text })
		).first();
	}
	async pick(text) {
		await this.row(text).click();
	}
	/** Opens a file of the folder. */
	async open(file, line = 1) {
		await this.choose('Control+p', `${file}:${line}`, this.row(file));
		await this.tab(file).waitFor();
	}
	/** Types into the box that is open on top. */
	async type(text) {
		const input = this.page.locator('.quick-input-widget input.input');
		await input.waitFor();
		await input.fill(text);
		await this.page.keyboard.press('Enter');
	}
	/** A row of the views of inftrace. */
	tree(text) {
		return this.page.locator('.pane-body .monaco-list-row').filter({ hasText: text }).first();
	}
	async show() {
		const icon = this.page.locator('.activitybar a[aria-label^="inftrace"]');
		await icon.waitFor();
		if (!(await this.page.locator('.pane-header:has-text("Running Programs")').isVisible())) await icon.click();
	}
	/** The frame of the newest web view in which FN gives something true: web views are frames in frames. */
	frame(fn, arg) {
		return this.until(async () => {
			for (const frame of this.page.frames().filter(one => one.parentFrame() && !one.childFrames().length).reverse())
				if (await frame.evaluate(fn, arg).catch(() => false)) return frame;
			return null;
		}, `no frame is as ${fn}`);
	}
	/** That of a timeline, whose tiles are all there. */
	timeline(file) {
		return this.frame(name => {
			const { app } = globalThis.inftrace ?? {};
			// of two that are compared, each is one
			const isIt = app && !inftrace.beside && app.gate.busy === 0 && (!name || app.recording.file.endsWith(name));
			return isIt && document.visibilityState !== 'hidden' && document.querySelector('main canvas') !== null;
		}, file);
	}
	/** A notification, wherever it is: after ten seconds the editor moves it behind the bell. */
	notice(text) {
		const bell = this.page.locator('.statusbar-item[id="status.notifications"] a');
		return this.until(async () => {
			for (const place of ['toasts', 'center']) {
				const one = this.page.locator(`.notifications-${place} .notification-list-item`).filter({ hasText: text }).first();
				if (await one.isVisible()) return one;
			}
			const isOpen = await this.page.locator('.notifications-center').isVisible();
			if (!isOpen && /\d/.test(await bell.getAttribute('aria-label'))) await bell.click();
			return null;
		}, `no notification has ${text}`);
	}
	/** Takes what a notification offers. */
	answer(text, button) {
		return this.until(async () => {
			const one = (await this.notice(text)).locator('.monaco-button').filter({ hasText: button }).first();
			return one.click({ timeout: 10000 }).then(() => true, () => false);
		}, `${text} is answered`);
	}
	tab(text) {
		return this.page.locator('.tabs-container .tab').filter({ hasText: text }).first();
	}
	status(text) {
		return this.page.locator('.statusbar-item').filter({ hasText: text }).first();
	}
}

async function main() {
	const { chromium } = require('playwright-core');
	const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-software-rasterizer'] });
	const done = [];
	try {
		const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: 'light', reducedMotion: 'reduce' });
		const page = await context.newPage();
		page.setDefaultTimeout(PATIENCE);
		await page.goto(address);
		// each frame of a bar or a wheel is drawn by the CPU
		await page.addStyleTag({ content: '*, ::before, ::after { animation: none !important; transition: none !important }' });
		const workbench = new Workbench(page);
		for (const [name, step] of stepsFiles.flatMap(file => Object.entries(require(path.resolve(file))))) {
			const begun = Date.now();
			await step(workbench).catch(async error => {
				await page.screenshot({ path: path.join(process.env.VSCODE_PICTURES ?? folder, `failed-${name}.png`) });
				throw new Error(`${name}: ${error.stack}`);
			});
			if (process.env.VSCODE_PICTURES)
				await page.screenshot({ path: path.join(process.env.VSCODE_PICTURES, `${name}.png`) });
			done.push([name, Date.now() - begun]);
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
