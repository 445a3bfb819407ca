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

#define EVENT 0x80U /* program-event recording: with another cause, or alone */

/* Neither a DIAGNOSE nor an event of TRACE. */
static __attribute__((noinline)) void end_program(struct vm *vm)
{
    int code = psa()->pgm_code;
    char text[80];

    if (code & EVENT) {
        bool other = per_event(vm);
        psa()->pgm_code = (uint16_t)(code & ~EVENT);
        if (other)
            program_check(vm);
        return;
    }
    fmt(text, sizeof(text), "%s EXCEPTION, CODE %04X, PSW %016lX %016lX", what(code & 0xff), code,
        vm->ctx.psw.mask, vm->ctx.psw.addr);
    vm_end(vm, text);
}

/* The 4-byte instruction behind which the PSW stands; nearly always in the shared text. */
static inline const uint32_t *instruction(struct vm *vm)
{
    uint64_t at = vm->ctx.psw.addr - 4, off = at - VM_TEXT;

    return off < vm->nss->text_size ? (const void *)((const uint8_t *)vm->nss + off)
                                    : vm_source(vm, at, 4);
}

#define PRIVILEGED_4 0x00040002U /* privileged operation, by an instruction of 4 bytes */
#define DIAG_MASK    0xff00f000U /* DIAGNOSE with base 0: its code is the displacement */
#define DIAG_BASE_0  0x83000000U

/* Not inlined, nor are the calls that matter within it: each is allotted the registers for
 * itself. */
__attribute__((noinline)) void program_check(struct vm *vm)
{
    if ((psa()->pgm_ilc_code & 0x000600ffU) == PRIVILEGED_4) {
        const uint32_t *i = instruction(vm);
        if (i && (*i & DIAG_MASK) == DIAG_BASE_0) {
            diag_service(vm, *i & 0xfff);
            return;
        }
    }
    end_program(vm);
}
