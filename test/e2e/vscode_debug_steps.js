// SPDX-License-Identifier: Apache-2.0
// Debugs a program of each kind with "inftrace": true: see test_vscode.py for what is there.
'use strict';

/** Stops once at a line of a file, goes on, and waits for the end of it. */
async function debug(w, name, file, line) {
	await w.show();
	await w.open(file, line);
	await w.status(`Ln ${line},`).waitFor();
	await w.command('Debug: Toggle Breakpoint');
	await w.page.locator('.codicon-debug-breakpoint').first().waitFor();
	await w.command('Debug: Select and Start Debugging');
	await w.pick(name);
	await w.page.locator('.debug-toolbar').waitFor();
	await w.page.locator('.codicon-debug-stackframe').first().waitFor();
	await w.status(/\d\d:\d\d|waiting/).waitFor();
	await w.command('Remove All Breakpoints');
	await w.command('Debug: Continue');
	await w.page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
	await w.until(async () => !(await w.status('inferences').isVisible()), 'the recording is complete');
}

exports.python_is_recorded_while_debugpy_debugs_it = w => debug(w, 'of Python', 'debugged.py', 12);
exports.node_is_recorded_while_the_editor_debugs_it = w => debug(w, 'of Node', 'debugged.js', 22);
exports.a_native_program_is_recorded_while_gdb_debugs_it = w => debug(w, 'of C', 'run.c', 60);
exports.a_native_program_is_recorded_while_cppdbg_debugs_it = w => debug(w, 'as C++', 'run.c', 60);
exports.a_native_program_is_recorded_while_lldb_debugs_it = w => debug(w, 'by LLDB', 'run.c', 60);
