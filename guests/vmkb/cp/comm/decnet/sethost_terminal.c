/* SPDX-License-Identifier: MIT */
/* SET HOST's side of the user: a terminal of CP's that is at another node. Its machine sleeps
 * meanwhile; what is typed goes to the other node, which says what is shown and whether typing is
 * hidden. Messages to the machine are shown between the other node's lines. */
#include "decnet_cp.h"
#include "command.h"
#include "lan.h"
#include "lib.h"
#include "terminal.h"
#include "translate.h"

#define TWICE_US 2000000     /* attention twice within it ends the session */
#define LINES_AT_ONCE 3      /* room that a line may need: it may be folded, and a loss be told */

struct sethost {
    struct cterm_client c;
    struct terminal *term;   /* 0: free */
    struct vm *vm;
    const struct terminal_ops *ops; /* the terminal's own */
    uint16_t node;
    uint8_t up, ending;
    uint16_t partial;        /* characters of a line that has not ended */
    uint64_t attention;
    char line[LINE_MAX];
};

static struct sethost *sessions;

bool sethost_init(void)
{
    sessions = (struct sethost *)pages_get((DECNET_CLIENTS * sizeof(struct sethost) + PAGE_SIZE - 1)
                                           / PAGE_SIZE);
    return sessions != 0;
}

struct account *sethost_account(const struct cterm_client *c)
{
    return &((struct sethost *)c->arg)->vm->acct;
}

const struct terminal *sethost_terminal(const struct dn_link *l)
{
    return l->user == &cterm_client_user
               ? ((struct sethost *)((struct cterm_client *)l->arg)->arg)->term
               : 0;
}

static void show_line(struct sethost *s)
{
    translate(s->line, s->partial, ebcdic_of_latin1);
    s->ops->write(s->term, s->line, s->partial, 0);
    s->partial = 0;
}

static size_t show(struct cterm_client *c, const uint8_t *text, size_t n)
{
    struct sethost *s = c->arg;
    size_t i = 0;

    while (i < n) {
        const uint8_t *end = memchr(text + i, 0x0a, n - i);
        size_t part = end ? (size_t)(end - text) - i : n - i;
        if (end || part > sizeof(s->line) - s->partial) {
            if (!s->ops->room(s->term, LINES_AT_ONCE))
                return i;
        }
        if (part > sizeof(s->line) - s->partial) {
            part = sizeof(s->line) - s->partial;
            end = text + i + part - 1; /* a longer line goes on in the next one */
            part--;
            s->line[s->partial + part] = (char)*end;
            memcpy(s->line + s->partial, text + i, part);
            s->partial = sizeof(s->line);
        } else {
            memcpy(s->line + s->partial, text + i, part);
            s->partial = (uint16_t)(s->partial + part);
        }
        i += part;
        if (!end)
            break;
        i++;
        if (*end == 0x0a && s->partial && s->line[s->partial - 1] == 0x0d)
            s->partial--;
        show_line(s);
    }
    return i;
}

static void read_changed(struct cterm_client *c, bool reading, bool hidden)
{
    struct sethost *s = c->arg;

    if (reading && s->partial)
        show_line(s);        /* a prompt */
    s->ops->mode(s->term, reading ? TMODE_VMREAD : TMODE_RUNNING, reading && hidden);
    if (reading && s->ops->accept)
        s->ops->accept(s->term);
}

static void up(struct cterm_client *c)
{
    struct sethost *s = c->arg;
    char text[12], line[LINE_MAX];

    s->up = 1;
    int n = fmt(line, sizeof(line), "DMKDNT920I CONNECTED TO NODE %s", decnet_name(s->node, text));
    s->ops->write(s->term, line, (size_t)n, 0);
}

/* The terminal is its machine's again. What was typed for the other node and not sent is dropped:
 * here it would be a command. */
static void give_back(struct sethost *s)
{
    s->ending = 1;
    if (s->partial)
        show_line(s);
    if (s->ops->accept)
        s->ops->accept(s->term);
    s->term->divert = 0;
    s->term->diverted_to = 0;
    s->term->ops = s->ops;
    s->term = 0;
}

static void ended(struct sethost *s, const char *why)
{
    struct terminal *t = s->term;
    struct vm *vm = s->vm;

    give_back(s);
    terminal_say(t, "DMKDNT921I CONTROL RETURNED TO NODE %s%s%s", lan_node(), *why ? ": " : "",
                 why);
    sleep_end(vm);
}

static void down(struct cterm_client *c, unsigned reason, bool by_host)
{
    struct sethost *s = c->arg;

    ended(s, by_host ? "" : dn_reason_text(reason));
}

static const struct cterm_client_ops client_ops = {show, read_changed, up, down};

static void hang_up(struct sethost *s)
{
    decnet_now();
    if (s->c.link)
        dn_abort(s->c.link, DN_ABORTED, decnet->now);
    s->c.link = 0;
    decnet_settle();
}

static bool divert_line(struct terminal *t, const char *text, size_t len)
{
    struct sethost *s = t->diverted_to;
    uint8_t latin1[CTERM_LINE];

    if (s->ending)
        return true;
    if (len > sizeof(latin1))
        len = sizeof(latin1);
    memcpy(latin1, text, len);
    translate(latin1, len, latin1_of_ebcdic);
    decnet_now();
    bool taken = cterm_client_line(&s->c, latin1, len);
    decnet_settle();
    return taken;
}

static void divert_attention(struct terminal *t)
{
    struct sethost *s = t->diverted_to;
    uint64_t now = us_now();

    if (!s->up || now - s->attention < TWICE_US) {
        hang_up(s);
        ended(s, "ATTENTION");
        return;
    }
    s->attention = now;
    decnet_now();
    cterm_client_attention(&s->c);
    decnet_settle();
}

static void divert_roomy(struct terminal *t)
{
    struct sethost *s = t->diverted_to;

    if (s->ending)
        return;
    decnet_now();
    cterm_client_resume(&s->c);
    decnet_settle();
}

static const struct terminal_divert divert = {divert_line, divert_attention, divert_roomy};

static struct sethost *session_of(struct terminal *t)
{
    return t->diverted_to;
}

static void op_write(struct terminal *t, const char *text, size_t len, int flags)
{
    session_of(t)->ops->write(t, text, len, flags);
}

static bool op_room(struct terminal *t, unsigned lines)
{
    return session_of(t)->ops->room(t, lines);
}

static void op_mode(struct terminal *t, int mode, bool hidden)
{
    (void)t;                 /* the other node's mode is shown */
    (void)mode;
    (void)hidden;
}

/* The machine here lost its terminal: LOGOFF by force, or the line is gone. */
static void op_reset(struct terminal *t)
{
    struct sethost *s = session_of(t);

    hang_up(s);
    give_back(s);
    t->ops->reset(t);
}

static void op_accept(struct terminal *t)
{
    const struct terminal_ops *ops = session_of(t)->ops;

    if (ops->accept)
        ops->accept(t);
}

static const struct terminal_ops diverted_ops = {op_write, op_room, op_mode, op_reset, op_accept};

int sethost_begin(struct vm *vm, uint16_t node, bool from_console)
{
    struct sethost *s = 0;
    uint8_t user[8];
    size_t n = strlen(vm->userid);

    for (unsigned i = 0; i < DECNET_CLIENTS && !s; i++)
        if (!sessions[i].term)
            s = &sessions[i];
    if (!s)
        return 1;
    memcpy(user, vm->userid, n);
    translate(user, n, latin1_of_ebcdic);
    memset(s, 0, sizeof(*s));
    s->c.ops = &client_ops;
    s->c.counts = &cterm_counts;
    s->c.arg = s;
    s->vm = vm;
    s->node = node;
    decnet_now();
    s->c.link = dn_connect(decnet, node, user, n, &cterm_client_user, &s->c, decnet->now);
    decnet_settle();
    if (!s->c.link)
        return 1;
    vm->sleep_cp = from_console;
    vm_hold(vm, WAIT_SLEEP);
    console_mode(vm);
    s->term = vm->term;
    s->ops = vm->term->ops;
    s->term->diverted_to = s;
    s->term->divert = &divert;
    s->term->ops = &diverted_ops;
    return 0;
}
