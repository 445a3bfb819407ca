/* SPDX-License-Identifier: MIT */
#include "gms_cms.h"

const char *gms_why(long rc)
{
    switch (rc) {
    case 1:             return "who was asked has no such page";
    case 2:             return "the other system was IPLed meanwhile";
    case 3:             return "the request was passed on too often";
    case 4:             return "no answer";
    case 5:             return "no frame was left for the page";
    case 6:             return "the page's token was not valid";
    case DIAG_ELIMIT:   return "no room is left";
    case DIAG_EBUSY:    return "all call records are in use, or the page's slot is";
    case DIAG_ENODEV:   return "this system has no LAN";
    case DIAG_EPRIV:    return "it needs a privilege class A to E";
    default:            return "CP refuses it";
    }
}

void gms_settle(uint32_t slots)
{
    for (uint32_t slot = 0; slot < slots; slot++)
        diag_gms(GMS_AWAIT, slot, 0, 0, 0);
}

uint64_t gms_now_us(void)
{
    uint64_t t;
    __asm__ volatile("stckf %0" : "=Q"(t) : : "cc");
    return t >> 12;
}

uint32_t gms_sum(const void *at, uint64_t len, uint32_t sum)
{
    register uint64_t r2 __asm__("2") = (uintptr_t)at;
    register uint64_t r3 __asm__("3") = len;
    uint64_t s = sum;

    __asm__ volatile("0: cksm %0,%1\n\tjo 0b" : "+d"(s), "+d"(r2), "+d"(r3) : : "cc", "memory");
    return (uint32_t)s;
}
