/* SPDX-License-Identifier: MIT */
/*
 * From records to tokens. Ends of records end clauses unless a comma stands last; comments nest
 * and may span records, strings may not.
 */
#include "rx.h"

/* The NOT sign of EBCDIC 1047, or of Latin-1 on the host; '\' and '^' stand for it as well. */
enum { NOT_SIGN = 'A' == 0xC1 ? 0xB0 : 0xAC };

static int at(const struct rx_lexer *lx, uint32_t ahead)
{
    if (lx->line >= lx->nlines || lx->col + ahead >= lx->lines[lx->line].n)
        return -1;
    return (unsigned char)lx->lines[lx->line].p[lx->col + ahead];
}

/* Skips a comment whose first two characters are next; Error 6 when it never ends. */
static void skip_comment(struct rx *rx, struct rx_lexer *lx)
{
    uint32_t depth = 0;
    for (; lx->line < lx->nlines; lx->line++, lx->col = 0) {
        const struct rexx_str *line = &lx->lines[lx->line];
        for (uint32_t k = lx->col; k + 1 < line->n; k++) {
            bool opens = line->p[k] == '/' && line->p[k + 1] == '*';
            if (!opens && !(line->p[k] == '*' && line->p[k + 1] == '/'))
                continue;
            depth += opens ? 1u : -1u;
            lx->col = ++k + 1;
            if (!depth)
                return;
        }
    }
    rx_raise(rx, 6);
}

/* Skips blanks and comments, not the end of a record; true when there was a blank. */
static bool skip_blanks(struct rx *rx, struct rx_lexer *lx)
{
    bool blank = false;
    while (lx->line < lx->nlines) {
        const struct rexx_str *line = &lx->lines[lx->line];
        uint32_t from = lx->col;
        while (lx->col < line->n && is_space(line->p[lx->col]))
            lx->col++;
        blank |= lx->col > from;
        if (lx->col + 1 >= line->n || line->p[lx->col] != '/' || line->p[lx->col + 1] != '*')
            break;
        skip_comment(rx, lx);
    }
    return blank;
}

/* A comma that ends its record joins the next one: true, and the next record has begun. */
static bool continued(struct rx *rx, struct rx_lexer *lx)
{
    struct rx_lexer look = *lx;
    skip_blanks(rx, &look);
    if (look.line >= look.nlines || at(&look, 0) >= 0)
        return false;
    look.line++;
    look.col = 0;
    *lx = look;
    return true;
}

/* Scans a symbol, with the sign of an exponent if it is a number such as 1.5E+3. */
static void symbol(struct rx_lexer *lx, struct rx_tok *t)
{
    const char *s = t->s;
    uint32_t n = 0, left = lx->lines[lx->line].n - lx->col;
    while (n < left && (is_alnum(s[n]) || rx_symbol_char(s[n])))
        n++;
    t->kind = is_digit(s[0]) || s[0] == '.' ? T_CONST : T_SYM;
    if (t->kind == T_CONST && n >= 2 && to_upper(s[n - 1]) == 'E' && n + 1 < left &&
        (s[n] == '+' || s[n] == '-') && is_digit(s[n + 1])) {
        bool number = true, point = false, digit = false;
        for (uint32_t k = 0; k + 1 < n; k++) {
            if (is_digit(s[k]))
                digit = true;
            else if (s[k] == '.' && !point)
                point = true;
            else
                number = false;
        }
        uint32_t m = n + 1;
        while (m < left && is_digit(s[m]))
            m++;
        if (number && digit && !(m < left && rx_symbol_char(s[m])))
            n = m;
    }
    t->len = n;
    lx->col += n;
}

static void string(struct rx *rx, struct rx_lexer *lx, struct rx_tok *t)
{
    t->kind = T_STR;
    t->quote = t->s[0];
    lx->col++;
    t->s++;
    for (;;) {
        const struct rexx_str *line = &lx->lines[lx->line];
        const char *from = line->p + lx->col, *end = line->p + line->n;
        const char *quote = rx_find(from, end, t->quote);
        lx->col += (uint32_t)(quote - from);
        t->len += (uint32_t)(quote - from);
        if (quote == end)
            rx_raise(rx, 6); /* the record's end comes next */
        lx->col++;
        if (at(lx, 0) < 0 || (char)at(lx, 0) != t->quote)
            break;
        t->doubled = true;
        lx->col++;
        t->len += 2;
    }
    int c = at(lx, 0), d = at(lx, 1);
    if (c >= 0 && (to_upper(c) == (unsigned char)'X' || to_upper(c) == (unsigned char)'B') &&
        (d < 0 || !rx_symbol_char(d))) {
        t->suffix = (char)to_upper(c);
        lx->col++;
    }
}

/* Takes the next character of an operator; blanks may stand between its characters: 1 > = 2. */
static bool take(struct rx *rx, struct rx_lexer *lx, char c)
{
    struct rx_lexer look = *lx;
    skip_blanks(rx, &look);
    if (at(&look, 0) < 0 || (char)at(&look, 0) != c)
        return false;
    look.col++;
    *lx = look;
    return true;
}

static bool is_not(int c)
{
    return c == (unsigned char)'\\' || c == (unsigned char)'^' || c == NOT_SIGN;
}

static void op(struct rx_tok *t, int code)
{
    t->kind = T_OP;
    t->op = (uint8_t)code;
}

/* After a NOT sign: the negated comparisons; false when none follows. */
static bool negated(struct rx *rx, struct rx_lexer *lx, struct rx_tok *t)
{
    if (take(rx, lx, '='))
        op(t, take(rx, lx, '=') ? OP_SNE : OP_NE);
    else if (take(rx, lx, '>'))
        op(t, take(rx, lx, '>') ? OP_SLE : OP_LE);
    else if (take(rx, lx, '<'))
        op(t, take(rx, lx, '<') ? OP_SGE : OP_GE);
    else
        return false;
    return true;
}

static void special(struct rx *rx, struct rx_lexer *lx, struct rx_tok *t, int c)
{
    lx->col++;
    switch ((char)c) {
    case '(': t->kind = T_LP; return;
    case ')': t->kind = T_RP; return;
    case ',': t->kind = T_COMMA; return;
    case ';': t->kind = T_SEMI; return;
    case ':': t->kind = T_COLON; return;
    case '+': op(t, OP_ADD); return;
    case '-': op(t, OP_SUB); return;
    case '%': op(t, OP_IDIV); return;
    case '*': op(t, take(rx, lx, '*') ? OP_POW : OP_MUL); return;
    case '/':
        if (take(rx, lx, '='))
            op(t, take(rx, lx, '=') ? OP_SNE : OP_NE);
        else
            op(t, take(rx, lx, '/') ? OP_REM : OP_DIV);
        return;
    case '|': op(t, take(rx, lx, '|') ? OP_CAT : OP_OR); return;
    case '&': op(t, take(rx, lx, '&') ? OP_XOR : OP_AND); return;
    case '=': op(t, take(rx, lx, '=') ? OP_SEQ : OP_EQ); return;
    case '<':
        if (take(rx, lx, '='))
            op(t, OP_LE);
        else if (take(rx, lx, '>'))
            op(t, OP_NE);
        else if (take(rx, lx, '<'))
            op(t, take(rx, lx, '=') ? OP_SLE : OP_SLT);
        else
            op(t, OP_LT);
        return;
    case '>':
        if (take(rx, lx, '='))
            op(t, OP_GE);
        else if (take(rx, lx, '<'))
            op(t, OP_NE);
        else if (take(rx, lx, '>'))
            op(t, take(rx, lx, '=') ? OP_SGE : OP_SGT);
        else
            op(t, OP_GT);
        return;
    }
    if (!is_not(c))
        rx_raise(rx, 13);
    if (!negated(rx, lx, t))
        t->kind = T_NOT;
}

/*
 * The next token. At the end of a record comes T_SEMI, at the end of the text T_EOF (again and
 * again). Raises Errors 6, 13 and 30.
 */
struct rx_tok rx_lex(struct rx *rx, struct rx_lexer *lx)
{
    struct rx_tok t = {0};
    lx->end_line = lx->line;
    lx->end_col = lx->col;
    t.blank = skip_blanks(rx, lx);
    while (at(lx, 0) >= 0 && (char)at(lx, 0) == ',') {
        struct rx_lexer after = *lx;
        after.col++;
        if (!continued(rx, &after))
            break;
        *lx = after;
        t.blank = true;
        skip_blanks(rx, lx);
    }
    t.line = lx->line;
    t.col = lx->col;
    int c = at(lx, 0);
    if (c < 0) {
        t.kind = lx->line < lx->nlines ? T_SEMI : T_EOF;
        if (lx->line < lx->nlines) {
            lx->line++;
            lx->col = 0;
        }
        return t;
    }
    t.s = lx->lines[lx->line].p + lx->col;
    t.len = 0;
    if (rx_symbol_char(c))
        symbol(lx, &t);
    else if (c == (unsigned char)'\'' || c == (unsigned char)'"')
        string(rx, lx, &t);
    else
        special(rx, lx, &t, c);
    if (t.kind <= T_STR && t.kind >= T_SYM && t.len > REXX_NAME && t.kind != T_STR)
        rx_raise(rx, 30);
    return t;
}
