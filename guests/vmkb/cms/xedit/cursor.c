/* SPDX-License-Identifier: MIT */
/* Where the cursor is and is to be, and the keys by their names: what subcommands ask of the screen
 * without using it. */
#include "xedit.h"

int key_index(const char *name)
{
    uint32_t n;

    if (strcmp(name, "ENTER") == 0)
        return KEY_ENTER;
    if (*name != 'P' || !cms_number(name + 2, &n) || n < 1)
        return -1;
    if (name[1] == 'F' && n <= 24)
        return (int)n - 1;
    return name[1] == 'A' && n <= 3 ? (int)n + 23 : -1;
}

void cursor_to_file(uint32_t line, uint32_t column)
{
    x->cursor = CURSOR_FILE;
    x->cursor_line = line;
    x->cursor_column = column;
}

bool cursor_in_file(uint32_t *line, uint32_t *column)
{
    const struct xrow *r = &x->row[x->key_row < x->rows ? x->key_row : 0];
    unsigned left = x->file->prefix_on && !x->file->prefix_right ? X_PREFIX + 2 : 1;

    if (r->kind != ROW_LINE && r->kind != ROW_TOF && r->kind != ROW_EOF)
        return false;
    *line = r->line;
    *column = x->key_col >= left ? r->from + x->key_col - left + 1 : 1;
    return true;
}
