// SPDX-License-Identifier: Apache-2.0
// What GCC calls for an atomic addition in Debian's libbpf, and what zig's runtime library has not. By its convention it
// changes no register but x15, x16 and x17.
	.text
	.globl __aarch64_ldadd4_sync
	.hidden __aarch64_ldadd4_sync
	.type __aarch64_ldadd4_sync, %function
__aarch64_ldadd4_sync:
	mov w16, w0
0:	ldxr w0, [x1]
	add w17, w0, w16
	stlxr w15, w17, [x1]
	cbnz w15, 0b
	dmb ish
	ret
	.size __aarch64_ldadd4_sync, . - __aarch64_ldadd4_sync
	.section .note.GNU-stack, "", %progbits
