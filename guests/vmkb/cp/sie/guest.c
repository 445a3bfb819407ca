/* SPDX-License-Identifier: MIT */
/* A guest's storage and registers as its instructions name them. Its absolute storage is one run of
 * real storage, so CP adds; real addresses go through its prefix, logical ones through its own
 * tables (Principles of Operation, "Dynamic Address Translation"). */
#include "sie.h"
#include "lib.h"
#include "s390.h"

#define PREFIXED     0x2000UL /* z/Architecture's prefix area */
#define ASCE_REAL    0x20UL
#define ENTRY_INVALID 0x20UL
#define SEGMENT_LARGE 0x400UL
#define PGM_PAGE     0x11
#define PGM_ASCE     0x38

void *guest_absolute(struct sie *s, uint64_t address, uint64_t len)
{
    return address < s->size && len <= s->size - address ? s->store + address : 0;
}

void *guest_real(struct sie *s, uint64_t address, uint64_t len)
{
    if (address < PREFIXED)
        address += s->sd.prefix;
    else if (address - s->sd.prefix < PREFIXED)
        address -= s->sd.prefix;
    return guest_absolute(s, address, len);
}

uint64_t guest_gr(const struct sie *s, unsigned r)
{
    return r == 14 ? s->sd.gr14 : r == 15 ? s->sd.gr15 : s->vm->ctx.gr[r];
}

void guest_set_gr(struct sie *s, unsigned r, uint64_t value)
{
    if (r == 14)
        s->sd.gr14 = value;
    else if (r == 15)
        s->sd.gr15 = value;
    else
        s->vm->ctx.gr[r] = value;
}

static uint64_t wrapped(const struct sie *s, uint64_t address)
{
    uint64_t mask = s->sd.psw.mask;

    return mask & 0x100000000UL ? address : address & (mask & 0x80000000UL ? 0x7fffffff : 0xffffff);
}

uint64_t guest_operand(struct sie *s)
{
    unsigned base = s->sd.ipb >> 28;

    return wrapped(s, (base ? guest_gr(s, base) : 0) + (s->sd.ipb >> 16 & 0xfff));
}

/* The guest's real address of a logical one; 0, or the program interruption's code. */
static int translated(struct sie *s, uint64_t address, uint64_t *real)
{
    static const uint8_t spaces[] = {1, 1, 7, 13}; /* by the PSW: primary, access registers, ... */
    uint64_t asce = s->sd.cr[spaces[s->sd.psw.mask >> 46 & 3]], entry;
    int level = (int)(asce >> 2 & 3); /* 3 region first ... 0 segment */
    uint64_t table = asce & ~0xfffUL;
    const uint64_t *at;

    *real = address;
    if (!(s->sd.psw.mask & PSW_DAT) || (asce & ASCE_REAL))
        return 0;
    if (level < 3 && address >> (31 + 11 * level))
        return PGM_ASCE;
    for (;; level--) {
        at = guest_real(s, table + (address >> (20 + 11 * level) & 0x7ff) * 8, 8);
        if (!at)
            return PGM_ADDRESSING;
        entry = *at;
        if (entry & ENTRY_INVALID)
            return level ? 0x3c - level : 0x10;
        if (level == 0)
            break;
        table = entry & ~0xfffUL;
    }
    if (entry & SEGMENT_LARGE) {
        *real = (entry & ~0xfffffUL) | (address & 0xfffff);
        return 0;
    }
    at = guest_real(s, (entry & ~0x7ffUL) + (address >> 12 & 0xff) * 8, 8);
    if (!at)
        return PGM_ADDRESSING;
    if (*at & PAGE_INVALID)
        return PGM_PAGE;
    *real = (*at & ~0xfffUL) | (address & 0xfff);
    return 0;
}

/* Page by page; to or from is CP's. */
static bool move(struct sie *s, uint64_t address, uint8_t *to, const uint8_t *from, uint64_t len)
{
    while (len) {
        uint64_t n = PAGE_SIZE - (address & (PAGE_SIZE - 1)), real;
        int code = translated(s, wrapped(s, address), &real);
        void *there;

        if (n > len)
            n = len;
        there = code ? 0 : guest_real(s, real, n);
        if (!there) {
            uint64_t *translation = guest_real(s, 0xa8, 8);
            if (code && translation)
                *translation = address & ~0xfffUL;
            sie_program(s, code ? code : PGM_ADDRESSING);
            return false;
        }
        if (to)
            memcpy(to, there, n);
        else
            memcpy(there, from, n);
        to += to ? n : 0;
        from += from ? n : 0;
        address += n;
        len -= n;
    }
    return true;
}

bool guest_read(struct sie *s, uint64_t address, void *to, uint64_t len)
{
    return move(s, address, to, 0, len);
}

bool guest_write(struct sie *s, uint64_t address, const void *from, uint64_t len)
{
    return move(s, address, 0, from, len);
}

uint64_t sie_gr(const struct vm *vm, unsigned r)
{
    return guest_gr(vm->sie, r);
}

void sie_set_gr(struct vm *vm, unsigned r, uint64_t value)
{
    guest_set_gr(vm->sie, r, value);
}

void sie_set_psw(struct vm *vm, const struct psw *psw)
{
    vm->sie->sd.psw = *psw;
}

const struct psw *sie_psw(const struct vm *vm)
{
    return &vm->sie->sd.psw;
}

void *sie_storage(struct vm *vm, uint64_t at, uint64_t len)
{
    return guest_absolute(vm->sie, at, len);
}
