/* SPDX-License-Identifier: MIT */
/* The names of subcommands and of what SET sets, with the characters that must be typed. The first
 * that fits wins. */
#include "xedit.h"

#define EACH_COMMAND(_) \
    _("ADD", 1, x_add) _("ALL", 3, x_all) _("ALTER", 2, x_alter) _("BACKWARD", 2, x_backward) \
    _("BOTTOM", 1, x_bottom) _("CANCEL", 3, x_cancel) _("CAPPEND", 2, x_cappend) \
    _("CDELETE", 2, x_cdelete) _("CENTER", 3, x_center) _("CFIRST", 2, x_cfirst) \
    _("CHANGE", 1, x_change) _("CINSERT", 2, x_cinsert) _("CLAST", 2, x_clast) \
    _("CLOCATE", 2, x_clocate) _("CMS", 3, x_cms) _("CMSG", 4, x_cmsg) \
    _("COMPRESS", 4, x_compress) _("COPY", 3, x_copy) _("COUNT", 3, x_count) \
    _("COVERLAY", 2, x_coverlay) _("CP", 2, x_cp) _("CREPLACE", 2, x_creplace) \
    _("CURSOR", 3, x_cursor) _("DELETE", 3, x_delete) _("DOWN", 1, x_down) \
    _("DUPLICAT", 3, x_duplicat) _("EMSG", 2, x_emsg) _("EXPAND", 3, x_expand) \
    _("EXTRACT", 3, extract) _("FFILE", 2, x_ffile) _("FILE", 4, x_file) _("FIND", 1, x_find) \
    _("FINDUP", 5, x_findup) _("FORWARD", 2, x_forward) _("FUP", 2, x_findup) _("GET", 3, x_get) \
    _("HELP", 1, x_help) _("INPUT", 1, x_input) _("JOIN", 1, x_join) _("LEFT", 2, x_left) \
    _("LEFTADJ", 5, x_leftadj) _("LOCATE", 1, x_locate) _("LOWERCAS", 3, x_lowercas) \
    _("MERGE", 2, x_merge) _("MODIFY", 3, x_modify) _("MOVE", 2, x_move) _("MSG", 3, x_msg) \
    _("NEXT", 1, x_down) _("NFIND", 2, x_nfind) _("NFINDUP", 6, x_nfindup) \
    _("NFUP", 3, x_nfindup) _("NULLKEY", 7, x_nothing) _("OVERLAY", 1, x_overlay) \
    _("POWERINP", 3, x_input) \
    _("PRESERVE", 4, x_preserve) _("PUT", 3, x_put) _("PUTD", 4, x_putd) _("QQUIT", 2, x_qquit) \
    _("QUERY", 1, x_query) _("QUIT", 4, x_quit) _("READ", 4, x_read) _("RECOVER", 3, x_recover) \
    _("REFRESH", 4, x_refresh) _("RENUM", 3, x_renum) _("REPLACE", 1, x_replace) \
    _("RESET", 3, x_reset) _("RESTORE", 3, x_restore) _("RGTLEFT", 4, x_rgtleft) \
    _("RIGHT", 2, x_right) \
    _("RIGHTADJ", 6, x_rightadj) _("SAVE", 4, x_save) _("SCHANGE", 2, x_schange) \
    _("SET", 3, x_set) _("SHIFT", 3, x_shift) _("SORT", 4, x_sort) _("SOS", 3, x_sos) \
    _("SPLIT", 2, x_split) _("SPLTJOIN", 4, x_spltjoin) _("SSAVE", 2, x_ssave) \
    _("STACK", 5, x_stack) _("STATUS", 4, x_status) _("TABKEY", 4, x_tabkey) _("TOP", 1, x_top) \
    _("TYPE", 2, x_type) _("UP", 1, x_up) _("UPPERCAS", 3, x_uppercas) _("XEDIT", 1, x_xedit)

#define EACH_SET(_) \
    _("ALT", 3, set_alt) _("ARBCHAR", 3, set_arbchar) _("AUTOSAVE", 2, set_autosave) \
    _("CASE", 4, set_case) _("CMDLINE", 3, set_cmdline) _("COLOR", 5, set_nothing) \
    _("COLOUR", 6, set_nothing) _("CURLINE", 4, set_curline) _("DISPLAY", 4, set_display) \
    _("FMODE", 2, set_fmode) _("FNAME", 2, set_fname) _("FTYPE", 2, set_ftype) \
    _("FULLREAD", 4, set_nothing) _("LINEND", 5, set_linend) _("LRECL", 2, set_lrecl) \
    _("MASK", 4, set_mask) _("MSGLINE", 4, set_msgline) _("MSGMODE", 4, set_msgmode) \
    _("POINT", 2, set_point) _("PREFIX", 3, set_prefix) _("RANGE", 3, set_range) \
    _("RECFM", 4, set_recfm) _("REMOTE", 6, set_nothing) _("RESERVED", 2, set_reserved) \
    _("SCALE", 4, set_scale) _("SCOPE", 5, set_scope) _("SCREEN", 3, set_screen) \
    _("SELECT", 3, set_select) _("SERIAL", 3, set_serial) _("SYNONYM", 3, set_synonym) \
    _("TABLINE", 4, set_tabline) _("TABS", 4, set_tabs) _("TRUNC", 2, set_trunc) \
    _("VERIFY", 1, set_verify) _("ZONE", 1, set_zone)

#define DECLARE(name, min, function) int function(const char *operands);
EACH_COMMAND(DECLARE)
EACH_SET(DECLARE)

#define ENTRY(name, min, function) {name, min, function},
const struct xcommand xcommands[] = {EACH_COMMAND(ENTRY){0, 0, 0}};
const struct xcommand xsets[] = {EACH_SET(ENTRY){0, 0, 0}};
