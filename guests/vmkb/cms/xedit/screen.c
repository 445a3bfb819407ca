/* SPDX-License-Identifier: MIT */
/* The screen's turn: shown, waited for, and what the key that was pressed does. */
#include "cell.h"
#include "subcommands.h"
#include "nucleus.h"

enum { AID_ENTER = 0x7d, AID_CLEAR = 0x6d, AID_PA1 = 0x6c, AID_PA2 = 0x6e, AID_PA3 = 0x6b };

bool screen_size(void)
{
    long n = diag_full(FULL_SIZE, 0, 0, 0);

    if (n < 0)
        return false;
    x->rows = (unsigned)n >> 16 & 0xff;
    x->cols = (unsigned)n & 0xff;
    x->extended = n & FULL_EXTENDED;
    x->alternate = x->rows != 24 || x->cols != 80;
    if (x->rows > X_ROWS)
        x->rows = X_ROWS;
    x->cells = x->rows * x->cols;
    if (x->views)
        views_fit();
    return x->cols <= X_COLUMNS;
}

static void wait_for_screen(void)
{
    struct event e;

    diag_wait(EV_SCREEN | EV_ATTN, &e, 0);
}

void screen_show(void)
{
    long rc;

    do {
        if (!screen_size()) { /* no screen is there: one may come back */
            wait_for_screen();
            x->screen = screen_size();
            if (!x->screen)
                return;
        }
        rc = diag_full(FULL_WRITE, x->stream, stream_build(x->stream),
                       x->alternate ? FULL_ALTERNATE : FULL_ERASE);
        if (rc == DIAG_EBUSY || rc == FULL_LOST)
            wait_for_screen();
    } while ((rc == DIAG_EBUSY || rc == FULL_LOST || rc == DIAG_ENODEV) && !cms_halted());
    x->alarm = false;
}

void screen_leave(void)
{
    if (x->screen)
        diag_full(FULL_END, 0, 0, 0);
}

static int key_of_aid(uint8_t aid)
{
    if (aid >= 0xf1 && aid <= 0xf9)
        return aid - 0xf1;
    if (aid >= 0x7a && aid <= 0x7c)
        return aid - 0x7a + 9;
    if (aid >= 0xc1 && aid <= 0xc9)
        return aid - 0xc1 + 12;
    if (aid >= 0x4a && aid <= 0x4c)
        return aid - 0x4a + 21;
    return aid == AID_PA1 ? KEY_PA1 : aid == AID_PA2 ? KEY_PA1 + 1 : aid == AID_PA3 ? KEY_PA1 + 2
         : aid == AID_ENTER ? KEY_ENTER : KEY_NONE;
}

/* A PA key brings nothing of what is typed: one that does nothing leaves it on the screen. */
static bool ignored(const uint8_t *in, size_t len)
{
    int key = key_of_aid(in[0]);

    return len < 3 && key >= KEY_PA1 && key < KEY_ENTER
           && (!x->key[key] || strcmp(x->key[key], "NULLKEY") == 0);
}

/* Shows the screen until a key is pressed; the bytes that brings, 0: HX. */
static size_t key_wait(void)
{
    static const uint8_t unlock = 0xc2;
    bool show = true;

    for (;;) {
        if (show)
            screen_show();
        if (!x->screen || cms_halted())
            return 0;
        wait_for_screen();
        long n = diag_full(FULL_POLL, x->stream, X_STREAM, 0);
        if (n > 0 && !ignored(x->stream, (size_t)n))
            return (size_t)n;
        if (n > 0)
            n = diag_full(FULL_WRITE, (void *)(uintptr_t)&unlock, 1, 0);
        show = n == FULL_LOST || n == DIAG_ENODEV;
    }
}

static void note_key(const uint8_t *in, size_t len)
{
    x->aid = in[0];
    if (len < 3)
        return;
    unsigned cell = cell_address(in + 1);
    x->key_row = cell / x->cols;
    x->key_col = cell % x->cols;
    if (!x->views)
        return;
    unsigned before = x->view;
    x->key_row = view_at(x->key_row);
    x->home = x->view;
    x->sc_on &= x->view == before;
}

/* HOME: to the command line, or from there to the current line. */
static void cursor_home(void)
{
    if (x->cursor != CURSOR_HOME)
        return;
    if (x->key_row < X_ROWS && x->row[x->key_row].kind == ROW_COMMAND)
        cursor_to_file(x->file->line, x->file->column);
    else
        x->cursor = CURSOR_COMMAND;
}

static void command_run(void)
{
    char line[X_COMMAND + 1];

    memcpy(line, x->command, sizeof(line));
    x->command[0] = 0;
    xcommand_line(line, strlen(line));
}

static void key_run(int key)
{
    char text[X_COMMAND + 1];
    unsigned views = x->view_count;
    bool fills = false;

    if (key >= 0 && x->key[key]) {
        memcpy(text, x->key[key], strlen(x->key[key]) + 1);
        bool changes = strncmp(text, "SCHANGE", 7) == 0;
        if (strcmp(text, "?") == 0 && schange_confirm())
            return;
        x->sc_on &= changes;
        fills = changes || *text == '?' || *text == '=';
        if (fills && !changes)
            xcommand_line(text, strlen(text));
        else
            x->rc = xcommand_run(text, strlen(text), X_ANY);
    } else {
        x->sc_on = false;
    }
    if (x->file && x->command[0] && !fills && x->view_count >= views) /* not of a view beside */
        command_run();
}

/* Numbered files of AUTOSAVE stay behind when the machine stops before SAVE. */
static void autosave(void)
{
    struct xfile *f = x->file;
    struct cms_fileid id;

    if (!f->autosave || f->changes < f->autosave)
        return;
    cms_fileid(&id, "1", "AUTOSAVE", "A1", 'A');
    if (file_write(f, &id, 1, f->text.size, false) == 0)
        say_x(0, "DMSXSU510I AUTOSAVED as 1 AUTOSAVE A1");
    f->changes = 0;
}

static void forget_messages(void)
{
    x->messages = 0;
}

static bool turn(void)
{
    size_t n = key_wait();

    if (!n)
        return false;
    note_key(x->stream, n);
    each_view(forget_messages);
    x->cursor = CURSOR_COMMAND;
    x->cursor_column = 1;
    if (x->aid == AID_CLEAR)
        return true;
    if (n > 1)
        x->command[0] = x->inputting ? x->command[0] : 0;
    input_apply(x->stream, n);
    each_view(prefix_run);
    return true;
}

void screen_edit(void)
{
    if (!turn() || x->aid == AID_CLEAR)
        return;
    int key = key_of_aid(x->aid);
    if (!x->inputting || key != KEY_ENTER)
        key_run(key);
    if (x->views)
        views_run(command_run);
    if (!x->file)
        return;
    cursor_home();
    each_view(autosave);
}

static void stack(const char *f, unsigned n)
{
    char line[X_COMMAND + 8];
    int len = fmt(line, sizeof(line), f, n);

    cms_stack_put(false, line, (unsigned)len);
}

int screen_read(void)
{
    char line[X_COMMAND + 8];

    if (!turn())
        return 4;
    int key = key_of_aid(x->aid);
    if (x->aid == AID_CLEAR)
        stack("CLR", 0);
    else if (key == KEY_ENTER && !x->command[0])
        stack("ETK", 0);
    else if (key >= KEY_PA1 && key < KEY_ENTER)
        stack("PAK %u", (unsigned)key - 23);
    else if (key >= 0 && key < 24)
        stack("PFK %u", (unsigned)key + 1);
    if (x->command[0]) {
        int n = fmt(line, sizeof(line), "CMD %s", x->command);
        cms_stack_put(false, line, (unsigned)n);
        x->command[0] = 0;
    }
    return 0;
}
