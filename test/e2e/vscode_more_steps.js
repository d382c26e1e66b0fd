// SPDX-License-Identifier: Apache-2.0
// What a person does less often, after the steps of vscode_steps.js.
'use strict';
const assert = require('assert/strict');
const fs = require('fs');
const path = require('path');

const folder = process.env.VSCODE_FOLDER;
const isReport = () => /inferences of/.test(document.body.textContent) && document.querySelector('h1') !== null;

const isModelReport = () =>
	/CPUExecutionProvider|cpu/.test(document.body.textContent) && /cnn/.test(document.querySelector('h1')?.textContent);

/** Reports of models that the editor keeps for their tabs. */
const reportsKept = () => {
	const storage = path.join(folder, '../data/User/workspaceStorage');
	return fs.readdirSync(storage, { recursive: true }).filter(name => /inftrace\/reports\/.*\.html$/.test(name));
};

/** Whether a line of the file that is open has a figure behind it. */
const isAnnotated = w =>
	w.page.evaluate(() =>
		[...document.querySelectorAll('.view-line span')].some(span => /cnn: /.test(getComputedStyle(span, '::after').content)),
	);

exports.a_file_that_was_changed_has_no_figures = async w => {
	await w.show();
	await w.tree('first.pftrace').click();
	await w.timeline('first.pftrace');
	await w.open('run.py');
	await w.until(() => isAnnotated(w), 'the line has its figures');
	const file = path.join(folder, 'run.py');
	fs.writeFileSync(file, `# another line\n${fs.readFileSync(file, 'utf8')}`);
	await w.page.locator('.view-line').filter({ hasText: 'another' }).first().waitFor();
	await w.tab('first.pftrace').click();
	await w.timeline('first.pftrace');
	await w.tab('run.py').click();
	await w.until(async () => !(await isAnnotated(w)), 'no line has a figure');
};

/** Sessions that are made again and again are one; the first recording has none of them. */
exports.findings_are_those_of_the_recording_that_is_looked_at = async w => {
	const problem = w.page.locator('.markers-panel').getByText(/cnn: its session is created again/).first();
	await w.show();
	await w.tree('again.pftrace').click();
	await w.timeline('again.pftrace');
	await w.command('inftrace: Show Findings in the Editor');
	await problem.waitFor();
	await w.tab('first.pftrace').click();
	await w.timeline('first.pftrace');
	await problem.waitFor({ state: 'detached' });
	await w.tab('again.pftrace').click();
	await problem.waitFor();
};

exports.a_program_that_fails_is_said = async w => {
	await w.tab('run.py').click();
	await w.page.locator('.codelens-decoration a').filter({ hasText: 'Record with inftrace' }).first().click();
	// it was given no arguments
	await w.notice(/run\.py ended with status 1: no inferences in .*, in run-2\.pftrace/);
	await w.command('Notifications: Clear All Notifications');
};

exports.a_task_of_the_folder_asks_nothing = async w => {
	await w.command('Tasks: Run Task');
	await w.row('of mine', true).click();
	await w.notice(/of mine: 150 inferences in .*, in of mine\.pftrace/);
	await w.command('Notifications: Clear All Notifications');
};

exports.each_row_can_be_used_without_a_mouse = async w => {
	const menu = w.page.locator('.monaco-menu');
	for (const [row, words] of [['serve.py', ['Record Running Program', 'Live']], ['first.pftrace', ['Open Report', 'Compare Recordings']]]) {
		await w.tree(row).click({ button: 'right' });
		for (const word of words) await menu.getByText(word, { exact: true }).waitFor();
		await w.page.keyboard.press('Escape');
		await menu.waitFor({ state: 'hidden' });
	}
	await w.tree('run-2.pftrace').click();
	await w.timeline('run-2.pftrace');
	await w.page.getByRole('tree', { name: 'Recordings' }).focus();
	await w.page.keyboard.press('Delete');
	// there is no trash on the other side
	await w.page.getByRole('button', { name: 'Delete Permanently' }).click();
	await w.tree('run-2.pftrace').waitFor({ state: 'detached' });
	assert.ok(!fs.existsSync(path.join(folder, 'run-2.pftrace')) && fs.existsSync(path.join(folder, 'first.pftrace')));
};

exports.tabs_come_back_with_the_window = async w => {
	await w.tab('first.pftrace').click();
	await w.timeline('first.pftrace');
	await w.command('inftrace: Open Report');
	await w.tab('Report of first.pftrace').waitFor();
	await w.frame(isReport);
	await w.tab('first.pftrace').click();
	await w.command('inftrace: Compare Recordings');
	await w.pick('of mine.pftrace');
	await w.frame(() => globalThis.inftrace?.beside && document.querySelector('.differences tbody tr'));
	// of which no file of the folder has what is in it
	await w.tab('profile cnn.onnx').click();
	await w.frame(isModelReport);
	await w.command('Developer: Reload Window');
	await w.page.locator('.monaco-workbench .activitybar').waitFor({ state: 'detached' }).catch(() => undefined);
	await w.tab('first.pftrace → of mine.pftrace').click();
	await w.frame(() => globalThis.inftrace?.beside && document.querySelector('.differences tbody tr'));
	await w.tab('Report of first.pftrace').click();
	await w.frame(isReport);
	await w.tab('profile cnn.onnx').click();
	await w.frame(isModelReport);
	const kept = reportsKept().length;
	assert.ok(kept > 0);
	await w.tab('profile cnn.onnx').locator('.action-label').click();
	await w.until(() => reportsKept().length === kept - 1, 'the report goes with its tab');
};

/** It can be seen and stopped, and is offered at its end, as if nothing had been. */
exports.a_recording_goes_on_when_the_window_is_loaded_again = async w => {
	await w.command('inftrace: Record Command Line');
	await w.type(process.env.VSCODE_COMMAND.replace(' 150 ', ' 1000000 '));
	await w.status(/\d inferences/).waitFor();
	await w.command('Developer: Reload Window');
	await w.page.locator('.monaco-workbench .activitybar').waitFor({ state: 'detached' }).catch(() => undefined);
	const status = w.status(/\d inferences/);
	await status.waitFor();
	const before = await status.textContent();
	await w.until(async () => (await status.textContent()) !== before, 'it goes on');
	await status.click();
	await w.answer(/run\.py.*: [\d,]+ inferences in .*, in run-2\.pftrace/, 'Open');
	await w.timeline('run-2.pftrace');
	await status.waitFor({ state: 'detached' });
};
