// SPDX-License-Identifier: Apache-2.0
// Spends most of its time in a function of WebAssembly: spin(n) counts n down.
const code = Buffer.from(
    "0061736d0100000001050160017f0003020100070801047370696e00000a1201100003402000" + "41016b210020000d000b0b",
    "hex"
);
const { spin } = new WebAssembly.Instance(new WebAssembly.Module(code)).exports;

function callsWasm() {
    const end = Date.now() + 800;
    while (Date.now() < end) spin(3000000);
}

callsWasm();
