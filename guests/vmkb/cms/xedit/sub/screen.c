/* SPDX-License-Identifier: MIT */
/* SET SCREEN n [Horizontal] or Size s1 [s2 ...]: how many views of files the screen has. */
#include "subcommands.h"

enum { VIEWS = X_ROWS / X_LEAST_ROWS };

static int views(unsigned n, const unsigned *rows)
{
    return views_make(n, rows) ? 0 : say_x(4, "DMSXSE557S No more storage for views");
}

static int absent(const char *word)
{
    return say_x(5, "DMSXSE007E SET SCREEN %s is not in VM/KB: views lie below each other", word);
}

static int sizes(const char *p)
{
    unsigned rows[VIEWS], n = 0, left = screen_rows();
    char word[12];

    if (!*p)
        return say_x(5, "DMSXSE545E Missing operand(s)");
    while (*p) {
        uint32_t size;
        next_word(&p, word, sizeof(word));
        if (n == VIEWS || !cms_number(word, &size) || size < X_LEAST_ROWS || size > left)
            return bad_operand(word);
        rows[n++] = size;
        left -= size;
    }
    return views(n, rows);
}

int set_screen(const char *p)
{
    char word[12], way[12];
    uint32_t n;

    if (!x->screen)
        return say_x(4, "DMSXSE529E Subcommand is only valid in display mode");
    next_word(&p, word, sizeof(word));
    if (cms_is(word, "SIZE", 1))
        return sizes(p);
    if (cms_is(word, "WIDTH", 1) || cms_is(word, "DEFINE", 1))
        return absent(word);
    if (!cms_number(word, &n) || n < 1 || n > screen_rows() / X_LEAST_ROWS)
        return bad_operand(word);
    next_word(&p, way, sizeof(way));
    if (*way && cms_is(way, "VERTICAL", 1))
        return absent(way);
    if (*p || (*way && !cms_is(way, "HORIZONTAL", 1)))
        return bad_operand(*p ? p : way);
    return views(n, 0);
}
