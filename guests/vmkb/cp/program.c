/* SPDX-License-Identifier: MIT */
/* A program interruption of a machine: a DIAGNOSE to be served, or the end of the program. */
#include "defs.h"
#include "lib.h"
#include "psa.h"

/* Names as in the Principles of Operation, chapter 6. */
static const char *what(int code)
{
    switch (code) {
    case 0x01: return "OPERATION";
    case 0x02: return "PRIVILEGED OPERATION";
    case 0x03: return "EXECUTE";
    case 0x04: return "PROTECTION";
    case 0x05: return "ADDRESSING";
    case 0x06: return "SPECIFICATION";
    case 0x07: return "DATA";
    case 0x08: return "FIXED-POINT OVERFLOW";
    case 0x09: return "FIXED-POINT DIVIDE";
    case 0x10: return "SEGMENT TRANSLATION";
    case 0x11: return "PAGE TRANSLATION";
    case 0x12: return "TRANSLATION SPECIFICATION";
    case 0x13: return "SPECIAL OPERATION";
    case 0x38: return "ASCE TYPE";
    case 0x39: return "REGION FIRST TRANSLATION";
    case 0x3a: return "REGION SECOND TRANSLATION";
    case 0x3b: return "REGION THIRD TRANSLATION";
    default: return "PROGRAM";
    }
}

/* The 4-byte instruction behind which the PSW stands; nearly always in the shared text. */
static inline const uint8_t *instruction(struct vm *vm)
{
    uint64_t off = vm->ctx.psw.addr - 4 - VM_TEXT;

    return off < vm->nss->text_size ? (const uint8_t *)vm->nss + off : vm_source(vm, vm->ctx.psw.addr - 4, 4);
}

void program_check(struct vm *vm)
{
    struct psa *p = psa();
    int code = p->pgm_code & 0xff;

    if (code == 0x02 && (p->pgm_ilc & 6) == 4) {
        const uint8_t *i = instruction(vm);
        if (i && i[0] == 0x83 && (i[2] & 0xf0) == 0) {
            diag_service(vm, (i[2] & 0x0f) << 8 | i[3]);
            return;
        }
    }
    char text[80];
    fmt(text, sizeof(text), "%s EXCEPTION, CODE %04X, PSW %016lX %016lX", what(code), p->pgm_code,
        vm->ctx.psw.mask, vm->ctx.psw.addr);
    vm_end(vm, text);
}
