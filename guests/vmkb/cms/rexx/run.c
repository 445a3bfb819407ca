/* SPDX-License-Identifier: MIT */
/* rexx_run and rexx_call: sets up a run in the arena, and what becomes of errors. */
#include "rx.h"

static void set_name(struct rx *rx, const char *name)
{
    uint32_t n = 0;
    int blanks = 0;
    while (name[n] && (name[n] != ' ' || ++blanks < 2))
        n++;
    rx->name = name;
    rx->name_len = n > 20 ? 20 : n;
}

/* Lays out the arena. NULL when it is too small to begin with. */
static struct rx *set_up(struct rexx_env *env, const char *name)
{
    if (!env->arena || env->arena_size < REXX_ARENA_MIN)
        return NULL;
    struct rx *rx = (struct rx *)(void *)env->arena;
    memset(rx, 0, sizeof *rx);
    rx->env = env;
    rx->lo = (char *)(rx + 1);
    rx->lo += -(uintptr_t)rx->lo & 15;
    rx->end = env->arena + env->arena_size;
    rx->top = rx->end;
    rx->countdown = REXX_POLL_CLAUSES;
    size_t entries = env->arena_size / 128;
    rx->sp = (rx_val *)(void *)rx->lo;
    rx->stack_end = rx->sp + (entries > 1024 ? 1024 : entries);
    rx->lo = (char *)rx->stack_end;
    set_name(rx, name);
    return rx;
}

static void first_level(struct rx *rx, const struct rexx_str *args, int nargs)
{
    rx->rc = rx_intern(rx, "RC", 2, false);
    rx->result = rx_intern(rx, "RESULT", 6, false);
    rx->sigl = rx_intern(rx, "SIGL", 4, false);
    rx->lv.pool = rx_pool_new(rx);
    rx->pool_id = rx->lv.pool->id;
    rx->lv.args = rx->sp;
    rx->lv.trace = 'N';
    rx_set_digits(rx, 9, 0);
    const char *address = rx->env->address ? rx->env->address : "CMS";
    fmt(rx->lv.address, sizeof rx->lv.address, "%s", address);
    memcpy(rx->lv.other_address, rx->lv.address, sizeof rx->lv.address);
    for (int k = 0; k < nargs && k < RX_ARGS; k++) {
        rx_val v = args[k].p ? rx_text(args[k].p, args[k].n) : (rx_val){.kind = V_OMIT};
        rx_push(rx, rx_keep(rx, v));
    }
    rx->lv.nargs = (uint32_t)(rx->sp - rx->lv.args);
    rx->lv.temps = rx->top;
}

struct start {
    const struct rexx_str *lines, *args;
    uint32_t nlines;
    int nargs;
};

static void begin(struct rx *rx, const struct start *s)
{
    if (!rx->program) {
        first_level(rx, s->args, s->nargs);
        rx->lv.code = rx_compile(rx, s->lines, s->nlines, false);
        rx->program = rx->lv.code;
        rx->pc = rx->program->code;
    }
    rx_loop_run(rx);
}

/* Runs until the end (0) or until something is raised (1). */
static int guarded(struct rx *rx, const struct start *s)
{
    rx_jmp here;
    rx->catcher = &here;
    if (__builtin_setjmp(here))
        return 1;
    begin(rx, s);
    return 0;
}

static void to_trap(struct rx *rx, const struct start *s)
{
    (void)s;
    int error = rx->error, condition = error > 0 ? COND_SYNTAX : -error;
    rx_val about = condition == COND_NOVALUE ? rx->about : rx_text("", 0);
    if (condition != COND_NOVALUE) /* the name may lie in the temporaries */
        rx->top = rx->lv.temps;
    if (condition == COND_SYNTAX)
        rx_set(rx, rx->rc, rx_int(error));
    rx->pc = rx_trapped(rx, condition, about, NULL);
    rx->top = rx->lv.temps;
}

/* After something was raised: true when the program traps it and goes on. */
static bool trap(struct rx *rx)
{
    int error = rx->error, condition = error > 0 ? COND_SYNTAX : -error;
    if (rx->killed || !rx->program)
        return false;
    if (rx_trace_recover(rx, error))
        return true;
    if (error == 4 || !rx->lv.trap[condition])
        return false;
    rx_jmp here;
    rx->catcher = &here;
    if (__builtin_setjmp(here))
        return false;
    to_trap(rx, NULL);
    return true;
}

static void report(struct rx *rx, int error)
{
    rx_jmp here;
    rx->catcher = &here;
    if (!__builtin_setjmp(here))
        rx_report(rx, error);
}

/* Nothing to work in: the message is made without an arena. Apart, for its large frame. */
static __attribute__((noinline)) int refuse(struct rexx_env *env, const char *name)
{
    struct rx none = {.env = env};
    int error = env->depth < REXX_NEST ? 5 : 11;
    set_name(&none, name);
    rx_report(&none, error);
    return error;
}

static int run(struct rexx_env *env, const char *name, const struct start *s, char kind,
               struct rx **state)
{
    *state = NULL;
    struct rx *rx = env->depth < REXX_NEST ? set_up(env, name) : NULL;
    if (!rx)
        return refuse(env, name);
    *state = rx;
    rx->call_kind = kind;
    rx->catcher = NULL;
    char *arena = env->arena;
    size_t size = env->arena_size;
    env->depth++;
    int error = 0;
    while (guarded(rx, s)) {
        if (!trap(rx)) {
            error = rx->killed ? REXX_KILLED : rx->error;
            break;
        }
    }
    if (!rx->killed)
        rx_streams_end(rx);
    if (error > 0)
        report(rx, error);
    env->depth--;
    env->arena = arena;
    env->arena_size = size;
    return error;
}

static void whole_rc(struct rx *rx, int *rc)
{
    int64_t i;
    if (!rx_whole(rx, rx->exit_value, &i) || i > INT32_MAX || i < INT32_MIN)
        rx_raise(rx, 26);
    *rc = (int)i;
}

static int exit_rc(struct rx *rx, int *rc)
{
    rx_jmp here;
    rx->catcher = &here;
    if (__builtin_setjmp(here))
        return 26;
    whole_rc(rx, rc);
    return 0;
}

int rexx_run(struct rexx_env *env, const char *name, const struct rexx_str *lines,
             uint32_t nlines, const char *args, int *rc)
{
    struct rexx_str arg = {args ? args : "", args ? (uint32_t)strlen(args) : 0};
    struct start s = {.lines = lines, .nlines = nlines, .args = &arg, .nargs = 1};
    struct rx *rx;
    int error = run(env, name, &s, 'C', &rx);
    *rc = 0;
    if (!error && rx->has_value) {
        error = exit_rc(rx, rc);
        if (error)
            report(rx, error);
    }
    if (error > 0)
        *rc = 20000 + error;
    return error;
}

int rexx_call(struct rexx_env *env, const char *name, const struct rexx_str *lines,
              uint32_t nlines, const struct rexx_str *args, int nargs, struct rexx_str *result)
{
    struct start s = {.lines = lines, .nlines = nlines, .args = args, .nargs = nargs};
    struct rx *rx;
    int error = run(env, name, &s, 'F', &rx);
    *result = (struct rexx_str){NULL, 0};
    if (!error && rx->has_value) {
        result->n = rx->exit_value.len;
        result->p = rx->exit_value.len ? rx->exit_value.s : "";
    }
    return error;
}
