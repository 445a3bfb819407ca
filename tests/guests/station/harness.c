/* SPDX-License-Identifier: MIT */
/* cp/display/station.c on its display, with a carrier, a terminal and a clock made here. A line in,
 * a line out: what is under way (its CCW, 0: nothing), the timer's due time (-1: none), and what
 * CP was told since the last line.
 *   sit, replace, key          somebody sits down, another does, a key is pressed
 *   end OK [HEX]               the program ends; HEX: what a read brought
 *   refuse N, busy N           programs fail at once; the carrier has something else to do
 *   machine N, takes N         a machine is logged on there; it has room for a line
 *   write TEXT, mode N, reset, accept      what a terminal's driver is asked for
 *   at US                      the time; timers that are due fire
 *   full ROOM                  the program takes its full-screen input -> bytes, or the error
 *   shown                      the data of the program under way, printable */
#include "../words.h"
#include "station.c"

struct terminal terminals[TERMINALS];
struct account acct_system;
static struct station s;
static struct vm machine;
static uint64_t now;
static int refuses, busy, takes = 1, under_way;
static uint8_t input_area[DISPLAY_IO_MAX];
static char told[DISPLAY_IO_MAX];

static void tell(const char *what)
{
    snprintf(told + strlen(told), sizeof(told) - strlen(told), " %s", what);
}

uint64_t us_now(void) { return now; }
struct acct_now acct_now;            /* for nobody: each change is told */
void acct_go_on(struct account *a) { tell(a == &acct_system ? "for-system" : "for-machine"); }
void timer_set(struct timer *t, uint64_t due, void (*fire)(void *), void *arg)
{
    t->due = due, t->fire = fire, t->arg = arg;
}
void timer_cancel(struct timer *t) { t->due = 0; }
void vm_event(struct vm *vm, uint32_t ev) { (void)vm; tell(ev == EV_SCREEN ? "screen" : "event"); }
void vm_hung_up(struct vm *vm) { (void)vm; s.term->vm = 0; tell("hung-up"); }
bool terminal_line(struct terminal *t, const char *text, size_t len)
{
    char line[300];

    (void)t;
    snprintf(line, sizeof(line), "%s:%.*s", takes ? "line" : "no-room", (int)len, text);
    tell(line);
    return takes;
}
void terminal_attention(struct terminal *t) { (void)t; tell("attention"); }
void terminal_connected(struct terminal *t) { t->connected_tod = 1; tell("connected"); }
void terminal_roomy(struct terminal *t) { (void)t; tell("roomy"); }
struct terminal *terminal_new(int kind)
{
    terminals[0].kind = (uint8_t)kind;
    return &terminals[0];
}
int fmt(char *b, size_t n, const char *f, ...) { (void)f; return snprintf(b, n, "0700"); }

static int start(struct station *st)
{
    (void)st;
    if (under_way)
        abort();             /* two programs at once */
    if (refuses)
        return 1;
    under_way = s.io.ccw;
    if (under_way == DISPLAY_CCW_READ_MODIFIED && s.io.len > sizeof(input_area))
        abort();
    return 0;
}
static bool is_busy(struct station *st) { (void)st; return under_way || busy; }
static void charge(struct station *st, struct account *a) { (void)st, (void)a; }

static void ended(const char *words)
{
    int ok = 0, at = 0;
    uint8_t got[DISPLAY_IO_MAX];
    size_t n;

    sscanf(words, "%d %n", &ok, &at);
    n = unhex(words + at, got, s.io.len < sizeof(got) ? s.io.len : sizeof(got));
    if (!under_way)
        return;
    if (under_way == DISPLAY_CCW_READ_MODIFIED)
        memcpy(s.io.data, got, n);
    under_way = 0;
    station_ended(&s, ok, n);
    station_pump(&s);
}

int main(void)
{
    char line[2 * DISPLAY_IO_MAX + 64], word[16];
    uint8_t bytes[DISPLAY_IO_MAX];

    s.start = start, s.busy = is_busy, s.charge = charge;
    if (!station_init(&s, 0x0700, "0700"))
        return 1;
    while (fgets(line, sizeof(line), stdin)) {
        int at = 0;
        long answer = 0;

        line[strcspn(line, "\n")] = 0;
        told[0] = 0;
        sscanf(line, "%15s %n", word, &at);
        const char *rest = line + at;
        if (!strcmp(word, "sit"))
            station_connected(&s), station_pump(&s);
        else if (!strcmp(word, "replace"))
            station_replaced(&s), station_pump(&s);
        else if (!strcmp(word, "key"))
            station_attention(&s), station_pump(&s);
        else if (!strcmp(word, "end"))
            ended(rest);
        else if (!strcmp(word, "refuse"))
            refuses = atoi(rest);
        else if (!strcmp(word, "busy"))
            busy = atoi(rest), station_pump(&s);
        else if (!strcmp(word, "machine"))
            s.term->vm = atoi(rest) ? &machine : 0;
        else if (!strcmp(word, "takes"))
            takes = atoi(rest);
        else if (!strcmp(word, "write"))
            s.term->ops->write(s.term, rest, strlen(rest), 0);
        else if (!strcmp(word, "mode"))
            s.term->ops->mode(s.term, atoi(rest), false);
        else if (!strcmp(word, "reset"))
            s.term->ops->reset(s.term);
        else if (!strcmp(word, "accept"))
            s.term->ops->accept(s.term);
        else if (!strcmp(word, "full"))
            answer = terminal_full_input(s.term, bytes, (size_t)atoi(rest));
        else if (!strcmp(word, "screen"))
            answer = display_fs_write(&s.display, (const uint8_t *)"\303X", 2, true),
            station_pump(&s);
        else if (!strcmp(word, "at")) {
            now = strtoull(rest, 0, 10);
            for (int n = 0; s.timer.due && s.timer.due <= now; n++) {
                uint64_t due = s.timer.due;

                if (n > 100)
                    abort(); /* it fires for ever */
                s.timer.due = 0;
                s.timer.fire(s.timer.arg);
                if (s.timer.due == due)
                    abort();
            }
        }
        if (!strcmp(word, "shown") && under_way)
            for (size_t i = 0; i < s.io.len && i < sizeof(bytes) - 1; i++)
                putchar(s.io.data[i] > ' ' && s.io.data[i] < 127 ? s.io.data[i] : '.');
        else
            printf("%d %lld %ld%s", under_way, s.timer.due ? (long long)s.timer.due : -1, answer,
                   told);
        putchar('\n');
        fflush(stdout);
    }
    return 0;
}
