/* SPDX-License-Identifier: MIT */
/* Every CP command: name, least abbreviation, privilege classes, function. Classes as VM/370's CP
 * Command Reference and Operator's Guide group them; a command that two classes share in different
 * forms checks inside. The first entry that matches and is allowed wins, so the order decides who
 * gets a short abbreviation. CALIBRATE, SEND and XAUTOLOG are not VM/370's. */
#include "commands.h"
#include "spool/select.h"

#define A CLASS(CLASS_A)
#define B CLASS(CLASS_B)
#define D CLASS(CLASS_D)
#define E CLASS(CLASS_E)
#define G CLASS(CLASS_G)

const struct command commands[] = {
    {"ACNT", 4, A, cmd_acnt},
    {"ATTN", 4, G, cmd_attn},
    {"AUTOLOG", 4, ANY, cmd_autolog},
    {"BEGIN", 1, G, cmd_begin},
    {"CALIBRATE", 3, E, cmd_calibrate},
    {"CP", 2, ANY, cmd_cp},
    {"DEFINE", 3, G, cmd_define},
    {"DETACH", 3, G, cmd_detach},
    {"DISCONN", 4, ANY, cmd_disconnect},
    {"DISCONNECT", 4, ANY, cmd_disconnect},
    {"DISPLAY", 1, G, cmd_display},
    {"FORCE", 5, A, cmd_force},
    {"INDICATE", 3, E | G, cmd_indicate},
    {"IPL", 1, G, cmd_ipl},
    {"LINK", 4, G, cmd_link},
    {"LOGOFF", 3, ANY, cmd_logoff},
    {"LOGOUT", 4, ANY, cmd_logoff},
    {"LOGON", 1, PRE_LOGON, logon_start},
    {"LOGIN", 4, PRE_LOGON, logon_start},
    {"MESSAGE", 1, ANY | PRE_LOGON, cmd_message},
    {"MSG", 2, ANY | PRE_LOGON, cmd_message},
    {"MONITOR", 4, A | E, cmd_monitor},
    {"QUERY", 1, ANY, cmd_query},
    {"REQUEST", 3, G, cmd_attn},
    {"SEND", 4, G, cmd_send},
    {"SET", 3, ANY, cmd_set},
    {"SHUTDOWN", 8, A, cmd_shutdown},
    {"SLEEP", 2, ANY, cmd_sleep},
    {"SMSG", 2, G, cmd_smsg},
    {"SYSTEM", 3, G, cmd_system},
    {"TERMINAL", 4, ANY, cmd_terminal},
    {"WARNING", 1, A | B, cmd_warning},
    {"WNG", 2, A | B, cmd_warning},
    {"XAUTOLOG", 2, ANY, cmd_xautolog},
    /* behind all others: the search for those is as long as without these */
    {"CHANGE", 2, G, cmd_change},
    {"CLOSE", 1, G, cmd_close},
    {"COUPLE", 3, G, cmd_couple},
    {"DRAIN", 5, D, cmd_drain},
    {"MSGNOH", 6, A | B, cmd_msgnoh},
    {"ORDER", 3, G, cmd_order},
    {"PURGE", 2, G, cmd_purge},
    {"SPOOL", 2, G, cmd_spool},
    {"START", 5, D, cmd_start},
    {"TAG", 3, G, cmd_tag},
    {"TRANSFER", 4, G, cmd_transfer},
    {"UNCOUPLE", 4, G, cmd_uncouple},
    {"REDEFINE", 5, G, cmd_redefine},
    {"STORE", 3, G, cmd_store},
    {"ADSTOP", 2, G, cmd_adstop},
    {"DIAL", 2, G, cmd_absent},
    {"DUMP", 2, G, cmd_absent},
    {"ECHO", 2, G, cmd_absent},
    {"EXTERNAL", 2, G, cmd_absent},
    {"LOADVFCB", 5, G, cmd_absent},
    {"NOTREADY", 3, G, cmd_absent},
    {"PER", 3, G, cmd_trace},
    {"READY", 3, G, cmd_absent},
    {"RESET", 3, G, cmd_absent},
    {"REWIND", 3, G, cmd_absent},
    {"TRACE", 2, G, cmd_trace},
    {"VMDUMP", 2, G, cmd_absent},
    {0, 0, 0, 0},
};
