/* SPDX-License-Identifier: MIT */
/*
 * REXX's errors: raising, VM's messages, and the lines that show clauses and values.
 *
 * Error numbers with their DMSREX message numbers: the table in "Error Numbers and Messages" of
 * the z/VM REXX reference (rows read there: 3, 26) and of the REXX for CICS reference, whose
 * table has the same numbers for all rows (read there whole). That CMS's rows 4-25 and 27-49 are
 * equal to those of CICS is inferred. Texts are those of REXX/VM; "User storage exhausted" is
 * what later releases say where VM/SP said "Machine storage exhausted" (unverified which release
 * changed it). The form of the two lines is VM's: the clause after +++, then the message.
 */
#include "rx.h"

static const struct {
    uint8_t error;
    uint16_t number;
    const char *text;
} messages[] = {
    {3, 451, "Program is unreadable"},
    {4, 452, "Program interrupted"},
    {5, 450, "Machine storage exhausted"},
    {6, 453, "Unmatched \"/*\" or quote"},
    {7, 454, "WHEN or OTHERWISE expected"},
    {8, 455, "Unexpected THEN or ELSE"},
    {9, 456, "Unexpected WHEN or OTHERWISE"},
    {10, 457, "Unexpected or unmatched END"},
    {11, 458, "Control stack full"},
    {12, 459, "Clause too long"},
    {13, 460, "Invalid character in program"},
    {14, 461, "Incomplete DO/SELECT/IF"},
    {15, 462, "Invalid hexadecimal or binary string"},
    {16, 463, "Label not found"},
    {17, 465, "Unexpected PROCEDURE"},
    {18, 491, "THEN expected"},
    {19, 482, "String or symbol expected"},
    {20, 483, "Symbol expected"},
    {21, 464, "Invalid data on end of clause"},
    {22, 449, "Invalid character string"},
    {23, 1106, "Invalid SBCS/DBCS mixed string"},
    {24, 484, "Invalid TRACE request"},
    {25, 485, "Invalid sub-keyword found"},
    {26, 466, "Invalid whole number"},
    {27, 467, "Invalid DO syntax"},
    {28, 486, "Invalid LEAVE or ITERATE"},
    {29, 487, "Environment name too long"},
    {30, 468, "Name or string > 250 characters"},
    {31, 469, "Name starts with number or \".\""},
    {32, 492, "Invalid use of stem"},
    {33, 488, "Invalid expression result"},
    {34, 470, "Logical value not 0 or 1"},
    {35, 471, "Invalid expression"},
    {36, 472, "Unmatched \"(\" in expression"},
    {37, 473, "Unexpected \",\" or \")\""},
    {38, 489, "Invalid template or pattern"},
    {39, 474, "Evaluation stack overflow"},
    {40, 475, "Incorrect call to routine"},
    {41, 476, "Bad arithmetic conversion"},
    {42, 477, "Arithmetic overflow/underflow"},
    {43, 478, "Routine not found"},
    {44, 479, "Function did not return data"},
    {45, 480, "No data specified on function RETURN"},
    {46, 218, "Invalid variable reference"},
    {47, 219, "Unexpected label"},
    {48, 490, "Failure in system service"},
    {49, 481, "Interpretation error"},
};

const char *rexx_error_text(int n)
{
    for (size_t k = 0; k < sizeof messages / sizeof messages[0]; k++)
        if (messages[k].error == n)
            return messages[k].text;
    return "";
}

/* The number in VM's DMSREXnnnE message for REXX error n, 0 when there is none. */
static int rexx_message_number(int n)
{
    for (size_t k = 0; k < sizeof messages / sizeof messages[0]; k++)
        if (messages[k].error == n)
            return messages[k].number;
    return 0;
}

/* Leaves whatever is going on; error > 0 is a REXX error, <= 0 the negative of a condition. */
_Noreturn void rx_raise(struct rx *rx, int error)
{
    rx->error = error;
    __builtin_longjmp(*rx->catcher, 1);
}

/* Line number, from 1, of a clause of the code now running. */
uint32_t rx_clause_line(const struct rx *rx, const uint32_t *clause)
{
    return clause ? (clause[0] >> 8) + 1 + rx->lv.code->line_offset : 1;
}

enum { SHOWN = 160, MAX_INDENT = 40 }; /* a line on the terminal is cut at SHOWN */

static void say(struct rx *rx, const char *line, int len)
{
    rx_show(rx, line, (uint32_t)(len > SHOWN ? SHOWN : len));
}

static bool is_word(const struct rx_tok *t, const char *word)
{
    return t->kind == T_SYM && rx_same(rx_text(t->s, t->len), word);
}

/* Blanks in front of what TRACE shows: one for each DO around the clause and each call. */
static int indentation(const struct rx *rx, const uint32_t *clause)
{
    int n = (int)(clause[1] >> NEST_SHIFT) + rx->lv.calls;
    return n < MAX_INDENT ? n : MAX_INDENT;
}

/* Shows "   nnn mark text of the clause". */
void rx_trace_clause(struct rx *rx, const uint32_t *clause, const char *mark)
{
    char out[SHOWN + 1];
    if (!clause)
        return;
    uint32_t line = clause[0] >> 8, col = clause[1] & ((1u << NEST_SHIFT) - 1);
    const struct rx_code *code = rx->lv.code;
    int n = fmt(out, sizeof out, "%6u %s ", rx_clause_line(rx, clause), mark);
    for (int k = mark[0] == '+' ? 0 : indentation(rx, clause); k > 0; k--)
        out[n++] = ' ';
    struct rx_lexer lx = {.lines = code->lines, .nlines = code->nlines, .line = line, .col = col};
    rx_jmp here, *outer = rx->catcher; /* text that cannot be read is shown to its record's end */
    rx->catcher = &here;
    volatile uint32_t to_line = line, to_col = line < code->nlines ? code->lines[line].n : 0;
    int error = rx->error;
    if (!__builtin_setjmp(here)) {
        struct rx_tok t = rx_lex(rx, &lx);
        uint32_t end_line = t.line, end_col = t.col;
        bool condition = is_word(&t, "IF") || is_word(&t, "WHEN");
        bool label = (clause[0] & 0xff) == OP_LABEL;
        while (t.kind != T_SEMI && t.kind != T_EOF && !(condition && is_word(&t, "THEN"))) {
            end_line = lx.line;
            end_col = lx.col;
            if (label && t.kind == T_COLON)
                break;
            t = rx_lex(rx, &lx);
        }
        to_line = end_line;
        to_col = end_col;
    }
    rx->error = error;
    rx->catcher = outer;
    for (; line <= to_line && line < code->nlines && n < SHOWN; line++, col = 0) {
        uint32_t stop = line == to_line ? to_col : code->lines[line].n;
        if (stop > code->lines[line].n)
            stop = code->lines[line].n;
        for (; col < stop && n < SHOWN; col++)
            out[n++] = code->lines[line].p[col];
    }
    say(rx, out, n);
}

/* Shows a value as TRACE R does: '       >>>   "text"'. */
void rx_trace_value(struct rx *rx, const char *mark, rx_val v)
{
    char out[SHOWN + 1], digits[24];
    if (v.kind == V_INT)
        v = rx_text(digits, (size_t)rx_int_text(v.i, digits));
    int indent = rx->clause && rx->lv.code ? indentation(rx, rx->clause) : 0;
    int n = fmt(out, sizeof out, "       %s   %.*s\"%.*s\"", mark, indent,
                "                                        ",
                (int)(v.kind == V_STR ? (v.len > SHOWN ? SHOWN : v.len) : 0),
                v.kind == V_STR && v.len ? v.s : "");
    say(rx, out, n);
}

/* Says VM's two lines for an error. */
void rx_report(struct rx *rx, int error)
{
    char out[SHOWN + 1];
    rx_trace_clause(rx, rx->clause, "+++");
    uint32_t line = rx_clause_line(rx, rx->clause);
    int n = fmt(out, sizeof out, "DMSREX%03dE Error %d running %.*s, line %u: %s",
                rexx_message_number(error), error, (int)rx->name_len, rx->name, line,
                rexx_error_text(error));
    say(rx, out, n);
}
