// SPDX-License-Identifier: Apache-2.0
// A recording whose names hold HTML, scripts and control characters: they are text, wherever they are shown.
'use strict';
const assert = require('assert/strict');

const HTML = '<img src=x onerror=alert(1)><script>alert(2)</script>';

exports.names_are_text = async d => {
	await d.rest();
	await d.until(text => document.body.textContent.includes(text), HTML);
	for (const tab of ['operators', 'models', 'resources', 'icicle', 'inferences', 'losses']) {
		await d.page.click(`#tab-${tab}`);
		await d.until(name => document.querySelector(`#tab-${name}`).ariaSelected === 'true', tab);
		await d.until(() => !document.querySelector('.panel').textContent.includes('Reading …'));
	}
	await d.press('/');
	await d.page.keyboard.type('<script>');
	await d.until(
		text => [...document.querySelectorAll('.found-name')].some(one => one.textContent.includes(text)),
		HTML,
	);
	await d.press('Enter');
	await d.selected();
	const details = await d.page.$eval('.details', element => element.textContent);
	assert.ok(details.includes(HTML));
	const elements = await d.page.evaluate(() => [
		document.scripts.length,
		document.querySelectorAll('img').length,
		document.images[0].src,
	]);
	assert.equal(elements[0], 1);
	assert.equal(elements[1], 1);
	assert.match(elements[2], /icon\.svg$/);
};

exports.control_characters_are_shown = async d => {
	await d.press('Escape');
	await d.page.evaluate(() => inftrace.app.go({ query: 'bell' }));
	await d.until(() => inftrace.app.found.length === 1);
	await d.page.evaluate(() => inftrace.app.step(inftrace.app.found[0].name, 'next', -1));
	await d.selected();
	const title = await d.page.$eval('.details h2', element => element.textContent);
	assert.equal(title, 'bell\u2407\u241b[31m red\u240a \ufffdturned');
};

exports.a_server_that_has_ended_is_said = async d => {
	d.page.removeAllListeners('console'); // the browser itself says that the connection failed
	await d.page.setOfflineMode(true);
	await d.page.click('#tab-operators');
	await d.until(() => document.querySelector('.panel').textContent.includes('does not answer'));
};
