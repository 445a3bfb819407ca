/* SPDX-License-Identifier: MIT */
/* What QUERY can be asked. A word that stands twice gives class B the real device, class G the
 * virtual one, as in VM/370. Not VM/370's: ACNT, DECNET, GMS, IUCV, LAN, LAT, MDC, MODEL, NSS. */
#include "query.h"

#define A CLASS(CLASS_A)
#define B CLASS(CLASS_B)
#define C CLASS(CLASS_C)
#define D CLASS(CLASS_D)
#define E CLASS(CLASS_E)
#define G CLASS(CLASS_G)

const struct query queries[] = {
    {"TIME", 1, ANY, query_time},
    {"ACNT", 4, A | E, query_acnt},
    {"CONSOLE", 3, G, query_console},
    {"CPLEVEL", 3, ANY, query_cplevel},
    {"CPUID", 5, ANY, query_cpuid},
    {"DASD", 2, B, query_dasd_real},
    {"DASD", 2, G, query_dasd_virtual},
    {"DECNET", 3, A | B | E | G, query_decnet},
    {"FILES", 1, G, query_files},
    {"GMS", 3, A | B | E | G, query_gms},
    {"IUCV", 4, A | B | E | G, query_iucv},
    {"LAN", 3, A | B | E | G, query_lan},
    {"LAT", 3, A | B | E | G, query_lat},
    {"LOGMSG", 3, ANY, query_logmsg},
    {"MDC", 3, A | B | E | G, query_mdc},
    {"MODEL", 3, ANY, query_model},
    {"NAMES", 1, ANY, query_names},
    {"NSS", 3, A | B | C | D | E | G, query_nss},
    {"PF", 2, G, query_pf},
    {"PRIORITY", 4, A, query_priority},
    {"PRINTER", 3, G, query_printer},
    {"PRT", 3, G, query_printer},
    {"PUNCH", 2, G, query_punch},
    {"PCH", 3, G, query_punch},
    {"READER", 1, G, query_reader},
    {"RDR", 3, G, query_reader},
    {"SET", 3, G, query_set},
    {"STORAGE", 4, B, query_storage_real},
    {"STORAGE", 4, G, query_storage_virtual},
    {"SYSTEM", 6, A | B | C | D | E, query_nss},
    {"TERMINAL", 4, G, query_terminal},
    {"USERS", 1, ANY, query_users},
    {"VIRTUAL", 1, G, query_virtual},
    {"USERID", 6, ANY, query_own_userid},
    {"LINKS", 3, G, query_links},
    {"TRACE", 3, G, query_trace},
    {"PRIVCLASS", 5, ANY, query_privclass},
    {"SECUSER", 3, G, query_secuser},
    {"MAXSPOOL", 4, ANY, query_maxspool},
    {0, 0, 0, 0},
};
