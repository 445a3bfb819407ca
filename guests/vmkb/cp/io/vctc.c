/* SPDX-License-Identifier: MIT */
/* Virtual channel-to-channel adapters: vctc.h. CP keeps no block of them: whoever comes second
 * moves the bytes, and pays. A program at an end that is not coupled waits until it is. */
#include "vctc.h"
#include "defs.h"
#include "lib.h"

static struct vctc ends[VCTC_MAX];

/* What a move is from or to: a CCW that waits, or a DIAGNOSE's buffer. */
struct side {
    struct vctc *program;
    uint8_t *at;
    uint32_t len;
};

static uint8_t *piece(const struct side *s, uint32_t done, uint32_t *len)
{
    if (s->program)
        return s->program->user->piece(s->program, done, len);
    *len = s->len - done;
    return s->at + done;
}

static uint32_t move(const struct side *to, const struct side *from)
{
    uint32_t done = 0, n, m;

    for (;;) {
        uint8_t *t = piece(to, done, &n), *f = piece(from, done, &m);
        if (m < n)
            n = m;
        if (!n)
            break;
        memcpy(t, f, n);
        done += n;
    }
    return done;
}

static bool fits(const struct vctc *a, const struct vctc *b)
{
    return a->with_vaddr == b->vaddr && strcmp(a->with, b->vm->userid) == 0;
}

bool vctc_may(const struct vctc *a, const struct vctc *b)
{
    return (!a->with[0] || strcmp(a->with, b->vm->userid) == 0)
           && (!b->with[0] || strcmp(b->with, a->vm->userid) == 0);
}

struct vctc *vctc_define(struct vm *vm, uint16_t vaddr, const char *with, uint16_t with_vaddr)
{
    struct vctc *v = ends;

    while (v < ends + VCTC_MAX && v->vm)
        v++;
    if (v == ends + VCTC_MAX)
        return 0;
    *v = (struct vctc){.vm = vm, .vaddr = vaddr, .with_vaddr = with_vaddr};
    fmt(v->with, sizeof(v->with), "%s", with);
    for (struct vctc *o = ends; o < ends + VCTC_MAX; o++)
        if (o->vm && o != v && !o->other && (fits(o, v) || fits(v, o)) && vctc_may(o, v)) {
            vctc_couple(v, o);
            break;
        }
    return v;
}

struct vctc *vctc_find(const struct vm *vm, uint16_t vaddr)
{
    for (struct vctc *v = ends; v < ends + VCTC_MAX; v++)
        if (v->vm == vm && v->vaddr == vaddr)
            return v;
    return 0;
}

struct vctc *vctc_of(const struct vm *vm, unsigned i)
{
    struct vctc *next = 0;

    for (uint32_t last = 0;; last = next->vaddr) {
        next = 0;
        for (struct vctc *v = ends; v < ends + VCTC_MAX; v++)
            if (v->vm == vm && v->vaddr > last && (!next || v->vaddr < next->vaddr))
                next = v;
        if (!next || !i--)
            return next;
    }
}

/* Its machine uses DIAGNOSE: it is told of what waits at the other end. */
static void tell(struct vctc *v)
{
    const struct vctc *o = v->other;

    if (!o || v->user || !(o->waits == VCTC_WRITE_WAITS || (o->waits && v->refused)))
        return;
    v->refused = 0;
    vm_event(v->vm, EV_VCTC);
}

void vctc_meet(struct vctc *v)
{
    struct vctc *o = v->other;

    while (o && v->waits && o->waits && v->waits != o->waits) {
        struct vctc *to = v->waits == VCTC_READ_WAITS ? v : o, *from = to == v ? o : v;
        uint32_t n = move(&(struct side){.program = to}, &(struct side){.program = from});
        to->user->moved(to, n);
        from->user->moved(from, n);
    }
    if (o)
        tell(o);
}

void vctc_couple(struct vctc *a, struct vctc *b)
{
    a->other = b;
    b->other = a;
    vctc_meet(a);
    tell(a);
}

void vctc_uncouple(struct vctc *v)
{
    if (v->other)
        v->other->other = 0;
    v->other = 0;
}

void vctc_detach(struct vctc *v)
{
    vctc_uncouple(v);
    v->vm = 0;
}

void vctc_logoff(struct vm *vm)
{
    for (struct vctc *v = ends; v < ends + VCTC_MAX; v++)
        if (v->vm == vm)
            vctc_detach(v);
}

/* The program at the other end that waits for this; 0: there is none. */
static struct vctc *waiting(const struct vctc *v, enum vctc_wait for_it)
{
    return v->other && v->other->waits == for_it ? v->other : 0;
}

static long moved(struct vm *vm, struct vctc *program, uint32_t n)
{
    vm->bytes_io += n;
    vm->sio++;
    program->user->moved(program, n);
    return program->waits == VCTC_WRITE_WAITS ? (long)n + CTC_MORE : (long)n;
}

/* It has room for a greeting and no more, as Linux' driver reads at first. */
static bool greets(struct vctc *reader)
{
    uint32_t room = 0, n;

    do {
        reader->user->piece(reader, room, &n);
        room += n;
    } while (n && room <= VCTC_GREETING);
    return room <= VCTC_GREETING;
}

long vctc_service(struct vm *vm, int op, uint16_t vaddr, uint64_t at, uint64_t len)
{
    struct vctc *v = vctc_find(vm, vaddr), *o;
    struct side mine = {0, vm_ptr(vm, at, len), (uint32_t)len}, its;

    if (!v)
        return DIAG_ENODEV;
    if (!mine.at || len > VCTC_BLOCK)
        return mine.at ? DIAG_ERANGE : DIAG_EADDR;
    o = waiting(v, op == VCTC_WRITE ? VCTC_READ_WAITS : VCTC_WRITE_WAITS);
    if (!o) {
        v->refused = op == VCTC_WRITE;
        return DIAG_EBUSY;
    }
    its = (struct side){.program = o};
    if (op == VCTC_READ)
        return moved(vm, o, move(&mine, &its));
    if (op != VCTC_WRITE)
        return DIAG_EUNKNOWN;
    if (len > VCTC_GREETING && greets(o))
        return DIAG_ERANGE;
    moved(vm, o, move(&its, &mine));
    return 0;
}
