// SPDX-License-Identifier: Apache-2.0
// report_page.js BROWSER PAGE FOLDER: opens an HTML report at several widths, light, dark and printed. Prints
// {"problems": [...], "pdf": bytes}; pictures go into FOLDER.
'use strict';
const path = require('path');
const { pathToFileURL } = require('url');

const [executablePath, file, folder] = process.argv.slice(2);
const address = pathToFileURL(path.resolve(file)).href;

// What is wider than the page, and words in plots that are cut or lie on each other.
function lookForOverflow(page, width) {
	return page.evaluate(wanted => {
		const found = [];
		const root = document.documentElement;
		if (root.scrollWidth > wanted) found.push(`the page is ${root.scrollWidth} px wide, not ${wanted}`);
		for (const svg of document.querySelectorAll('svg')) {
			const frame = svg.getBoundingClientRect();
			const rows = new Map();
			for (const text of svg.querySelectorAll('text')) {
				const box = text.getBoundingClientRect();
				if (!box.width) continue;
				if (box.left < frame.left - 2 || box.right > frame.right + 2)
					found.push(`cut at ${wanted} px: ${text.textContent} in ${svg.querySelector('title').textContent}`);
				const row = rows.get(text.getAttribute('y')) ?? [];
				if (row.some(other => box.left < other.right - 2 && other.left < box.right - 2))
					found.push(`at ${wanted} px on another word: ${text.textContent}`);
				rows.set(text.getAttribute('y'), [...row, box]);
			}
		}
		for (const caption of document.querySelectorAll('caption')) {
			const table = caption.parentElement.getBoundingClientRect().width;
			if (caption.getBoundingClientRect().width < Math.min(table, wanted) / 2)
				found.push(`at ${wanted} px a narrow caption: ${caption.textContent}`);
		}
		for (const frame of document.querySelectorAll('[id^=slowest] .wide'))
			if (frame.scrollWidth > frame.clientWidth) found.push(`at ${wanted} px why it was slow is cut`);
		for (const link of document.querySelectorAll('nav a'))
			if (!document.getElementById(link.getAttribute('href').slice(1))) found.push(`leads nowhere: ${link.textContent}`);
		const nav = document.querySelector('nav');
		if (!nav || !nav.checkVisibility()) return found;
		const sections = [...document.querySelectorAll('main section, main .part')].filter(one => one.id && one.checkVisibility());
		const named = [...nav.querySelectorAll('a')].map(link => link.getAttribute('href').slice(1));
		for (const { id } of sections) if (!named.includes(id)) found.push(`not in the contents: ${id}`);
		if (root.clientWidth < 1280) return found;
		// beside the page, all of it, also at its end
		const box = nav.getBoundingClientRect();
		if (box.right > document.querySelector('main').getBoundingClientRect().left + 1) found.push('the contents lie on the page');
		if ([...nav.querySelectorAll('a')].some(link => !link.checkVisibility() || link.getBoundingClientRect().height < 24))
			found.push(`at ${wanted} px a link of the contents is small`);
		// no empty right half
		for (const table of document.querySelectorAll('section > .wide > table'))
			if (table.getBoundingClientRect().width < 0.95 * table.parentElement.clientWidth)
				found.push(`at ${wanted} px an empty right: ${table.caption.textContent}`);
		return found;
	}, width);
}

const groundOf = page => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

async function look(browser) {
	const page = await browser.newPage();
	const problems = [];
	page.on('pageerror', error => problems.push(String(error)));
	page.on('console', message => problems.push(message.text()));
	page.on('request', request => {
		if (request.url() !== address) problems.push(`asked for ${request.url()}`);
	});
	for (const width of [360, 800, 1500, 2560]) {
		await page.setViewport({ width, height: 1000 });
		await page.goto(address, { waitUntil: 'load' });
		problems.push(...(await lookForOverflow(page, width)));
		await page.screenshot({ path: path.join(folder, `light-${width}.png`) });
	}
	const light = await groundOf(page);
	await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
	if ((await groundOf(page)) === light) problems.push('it is as light in the dark');
	await page.screenshot({ path: path.join(folder, 'dark.png') });
	await page.setViewport({ width: 718, height: 1000 });
	await page.emulateMediaType('print');
	problems.push(...(await lookForOverflow(page, 718)));
	if ((await groundOf(page)) !== 'rgb(255, 255, 255)') problems.push('paper is not white');
	await page.screenshot({ path: path.join(folder, 'print.png'), fullPage: true });
	const strange = await page.evaluate(() => document.querySelectorAll('script,img,iframe,link,[onerror],[src]').length);
	if (strange) problems.push(`${strange} elements that a report does not have`);
	const pdf = await page.pdf({ format: 'A4' });
	return { problems, pdf: pdf.length };
}

async function main() {
	// a module that cannot be required in every version of Node.js
	const { default: puppeteer } = await import(pathToFileURL(require.resolve('puppeteer-core')));
	const browser = await puppeteer.launch({ executablePath, headless: true, args: ['--no-sandbox', '--disable-gpu'] });
	try {
		console.log(JSON.stringify(await look(browser)));
	} finally {
		await browser.close();
	}
}

main().catch(error => {
	console.error(error);
	process.exit(1);
});
