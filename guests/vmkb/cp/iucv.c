/* SPDX-License-Identifier: MIT */
/* IUCV: paths between machines, messages on them, and the interruptions that say so. A message stays
 * in the sender's storage until the receiver asks for it: one copy. The tables are fixed; a full one is
 * a return code of the caller, and a path's message limit is what holds a fast sender back. */
#include "iucv.h"
#include "iucv_table.h"
#include "defs.h"
#include "lib.h"

static struct path paths[IUCV_PATHS];
static struct message messages[IUCV_MESSAGES];
static uint16_t free_path, free_message;
static uint32_t generation;  /* upper part of message ids: an old id is not taken for a new message */

void iucv_init(void)
{
    for (unsigned i = 0; i < IUCV_PATHS; i++)
        paths[i] = (struct path){.next = (uint16_t)(i + 1 < IUCV_PATHS ? i + 1 : NONE)};
    for (unsigned i = 0; i < IUCV_MESSAGES; i++)
        messages[i].next = (uint16_t)(i + 1 < IUCV_MESSAGES ? i + 1 : NONE);
}

const struct path *iucv_path_at(unsigned index)
{
    return index < IUCV_PATHS ? &paths[index] : 0;
}

/* --- interruptions: a queue of things for each machine, priority messages in front --- */

static void queue_put(struct vm *vm, uint16_t item, bool first)
{
    struct iucv_queue *q = &vm->iucv;
    uint16_t *link = item & IS_PATH ? &paths[item & ~IS_PATH].queue_next : &messages[item].queue_next;

    *link = NONE;
    if (q->count == 0) {
        q->head = q->tail = item;
    } else if (first) {
        *link = q->head;
        q->head = item;
    } else {
        uint16_t tail = q->tail;
        if (tail & IS_PATH)
            paths[tail & ~IS_PATH].queue_next = item;
        else
            messages[tail].queue_next = item;
        q->tail = item;
    }
    q->count++;
    vm_event(vm, EV_IUCV);
}

static uint16_t queue_next(uint16_t item)
{
    return item & IS_PATH ? paths[item & ~IS_PATH].queue_next : messages[item].queue_next;
}

static void queue_remove(struct vm *vm, uint16_t item)
{
    struct iucv_queue *q = &vm->iucv;
    uint16_t before = NONE, at = q->head;

    for (unsigned n = q->count; n && at != item; n--) {
        before = at;
        at = queue_next(at);
    }
    if (!q->count || at != item)
        return;
    uint16_t after = queue_next(item);
    if (before == NONE)
        q->head = after;
    else if (before & IS_PATH)
        paths[before & ~IS_PATH].queue_next = after;
    else
        messages[before].queue_next = after;
    if (q->tail == item)
        q->tail = before;
    q->count--;
}

/* --- tables --- */

static struct path *path_get(struct vm *vm)
{
    uint16_t i = free_path;
    unsigned id = 0;

    if (i == NONE || vm->iucv.paths == IUCV_VM_PATHS)
        return 0;
    while (vm->iucv.path[id])
        id++;
    free_path = paths[i].next;
    paths[i] = (struct path){.vm = vm, .id = (uint16_t)id, .peer = NONE, .next = NONE, .first = NONE};
    vm->iucv.path[id] = (uint16_t)(i + 1);
    vm->iucv.paths++;
    return &paths[i];
}

static uint16_t index_of(const struct path *p)
{
    return (uint16_t)(p - paths);
}

static struct path *path_find(struct vm *vm, uint16_t id)
{
    if (id >= IUCV_VM_PATHS || !vm->iucv.path[id])
        return 0;
    return &paths[vm->iucv.path[id] - 1];
}

static struct path *peer(struct path *p)
{
    return p->peer == NONE ? 0 : &paths[p->peer];
}

static void path_free(struct path *p)
{
    uint16_t i = index_of(p);

    if (p->event)
        queue_remove(p->vm, i | IS_PATH);
    p->vm->iucv.path[p->id] = 0;
    p->vm->iucv.paths--;
    p->vm = 0;
    p->next = free_path;
    free_path = i;
}

static void message_free(struct message *m)
{
    struct path *p = &paths[m->from];
    uint16_t i = (uint16_t)(m - messages);

    for (uint16_t *l = &p->first; *l != NONE; l = &messages[*l].next)
        if (*l == i) {
            *l = m->next;
            break;
        }
    p->outstanding--;
    m->state = MSG_FREE;
    m->next = free_message;
    free_message = i;
}

/* A path's event is one at a time: the later one (sever after quiesce) takes the place of the earlier. */
static void path_event(struct path *p, uint8_t type, const uint8_t *user)
{
    if (user)
        memcpy(p->user, user, 16);
    if (p->event && p->event != type) {
        p->event = type;
        return;
    }
    if (!p->event) {
        p->event = type;
        queue_put(p->vm, index_of(p) | IS_PATH, false);
    }
}

/* --- ends of messages --- */

static void complete(struct message *m, uint8_t audit)
{
    struct path *p = &paths[m->from];
    uint16_t i = (uint16_t)(m - messages);

    m->audit = audit;
    m->state = MSG_COMPLETE;
    queue_put(p->vm, i, (m->flags & IUCV_PRIORITY) != 0);
    p->vm->iucv_msgs++;
}

static void drop_messages(struct path *p)
{
    while (p->first != NONE) {
        struct message *m = &messages[p->first];
        struct path *to = peer(p);
        if (m->state == MSG_PENDING && to && to->vm)
            queue_remove(to->vm, p->first);
        else if (m->state == MSG_COMPLETE)
            queue_remove(p->vm, p->first);
        message_free(m);
    }
}

/* --- functions --- */

static long connect(struct vm *vm, struct iucv_parm *q)
{
    char name[9];
    struct vm *target;

    memcpy(name, q->userid, 8);
    name[8] = 0;
    for (int i = 7; i >= 0 && (name[i] == ' ' || !name[i]); i--)
        name[i] = 0;
    target = vm_find(name);
    if (!target)
        return IUCV_ENOTLOGGED;
    if (!target->asce || !(target->iucv.declared))
        return IUCV_ENOTREADY;
    struct path *a = path_get(vm);
    if (!a)
        return vm->iucv.paths == IUCV_VM_PATHS ? IUCV_EMAXPATHS : IUCV_ESYSTEM;
    struct path *b = path_get(target);
    if (!b) {
        path_free(a);
        return target->iucv.paths == IUCV_VM_PATHS ? IUCV_ETARGETPATHS : IUCV_ESYSTEM;
    }
    a->peer = index_of(b);
    b->peer = index_of(a);
    a->limit = b->limit = q->limit && q->limit < IUCV_LIMIT ? q->limit : IUCV_LIMIT_DEFAULT;
    a->quiesced_by_us = (q->flags & IUCV_QUIESCED) != 0;
    memset(b->userid, ' ', 8);
    memcpy(b->userid, vm->userid, strlen(vm->userid));
    q->path = a->id;
    path_event(b, IUCV_PENDING_CONNECTION, q->user);
    return IUCV_OK;
}

static long accept(struct path *p, struct iucv_parm *q)
{
    struct path *a = peer(p);

    if (p->open || !a || !p->userid[0] )
        return IUCV_EPATH;
    if (q->limit && q->limit < a->limit)
        a->limit = q->limit;
    p->limit = a->limit;
    p->open = a->open = 1;
    path_event(a, IUCV_CONNECTION_COMPLETE, q->user);
    return IUCV_OK;
}

static void sever(struct path *p, const uint8_t *user)
{
    struct path *a = peer(p);

    drop_messages(p);
    if (a) {
        drop_messages(a);
        a->peer = NONE;
        a->open = 0;
        path_event(a, IUCV_CONNECTION_SEVERED, user);
    }
    path_free(p);
}

static long send(struct vm *vm, struct path *p, struct iucv_parm *q)
{
    struct path *to = peer(p);

    if (!p->open || !to)
        return IUCV_EPATH;
    if (to->quiesced_by_us)
        return IUCV_EQUIESCED;
    if (p->outstanding >= p->limit)
        return IUCV_ELIMIT;
    if (free_message == NONE)
        return IUCV_ESYSTEM;
    if (!(q->flags & IUCV_PRMDATA) && q->len && !vm_source(vm, q->buffer, q->len))
        return IUCV_EBUFFER;
    if (!(q->flags & IUCV_NOREPLY) && q->reply_len && !vm_ptr(vm, q->reply_buffer, q->reply_len))
        return IUCV_EBUFFER;
    uint16_t i = free_message;
    struct message *m = &messages[i];
    free_message = m->next;
    *m = (struct message){.state = MSG_PENDING, .from = index_of(p), .flags = q->flags, .id = (generation += ID_STEP) | i,
                          .class = q->class, .source_class = q->source_class, .tag = q->tag,
                          .buffer = q->buffer, .len = q->len, .next = p->first,
                          .reply_buffer = q->reply_buffer,
                          .reply_len = q->flags & IUCV_NOREPLY ? 0 : q->reply_len};
    if (q->flags & IUCV_PRMDATA) {
        memcpy(m->user, q->user, 16);
        m->len = 16;
    }
    p->first = i;
    p->outstanding++;
    q->msgid = m->id;
    vm->iucv_msgs++;
    queue_put(to->vm, i, (m->flags & IUCV_PRIORITY) != 0);
    return IUCV_OK;
}

/* The message with that id (0: the oldest not received) that came to path p. */
static struct message *message_to(struct path *p, uint32_t id)
{
    struct message *m, *oldest = 0;

    if (id) {
        m = &messages[id % ID_STEP];
        return m->id == id && m->state != MSG_COMPLETE && m->state != MSG_FREE && m->from == p->peer ? m : 0;
    }
    if (p->peer == NONE)
        return 0;
    for (uint16_t i = paths[p->peer].first; i != NONE; i = messages[i].next) {
        m = &messages[i];
        if (m->state == MSG_PENDING || m->state == MSG_SEEN)
            oldest = m;      /* the list has the newest first */
    }
    return oldest;
}

static void taken(struct vm *vm, struct message *m)
{
    if (m->state == MSG_PENDING) {
        queue_remove(vm, (uint16_t)(m - messages));
        m->state = MSG_SEEN;
    }
}

static long receive(struct vm *vm, struct path *p, struct iucv_parm *q)
{
    struct message *m = message_to(p, q->msgid);
    const uint8_t *from;
    long rc = IUCV_OK;

    if (!m)
        return IUCV_ENOMSG;
    uint32_t have = m->len - m->received, n = have < q->len ? have : q->len;
    uint8_t *to = vm_ptr(vm, q->buffer, n);
    if (!to)
        return IUCV_EBUFFER;
    taken(vm, m);
    from = m->flags & IUCV_PRMDATA ? m->user + m->received
                                   : vm_source(paths[m->from].vm, m->buffer + m->received, n);
    if (n) {
        memcpy(to, from, n);
        acct_moved(n);
    }
    m->received += n;
    q->msgid = m->id;
    q->class = m->class;
    q->residual = n < have ? have - n : q->len - n;
    if (n < have) {
        rc = IUCV_ETRUNC;
    } else {
        m->state = MSG_RECEIVED;
        if (m->flags & IUCV_NOREPLY)
            complete(m, 0);
    }
    return rc;
}

static long reply(struct vm *vm, struct path *p, struct iucv_parm *q)
{
    struct message *m = message_to(p, q->msgid);
    uint32_t n;
    uint8_t audit = 0;
    const uint8_t *from;

    if (!m || !q->msgid)
        return IUCV_ENOMSG;
    from = q->flags & IUCV_PRMDATA ? q->user : vm_source(vm, q->buffer, q->len);
    if (q->flags & IUCV_PRMDATA)
        q->len = 16;
    if (!from && q->len)
        return IUCV_EBUFFER;
    taken(vm, m);
    n = q->len < m->reply_len ? q->len : m->reply_len;
    if (n) {
        memcpy(vm_ptr(paths[m->from].vm, m->reply_buffer, n), from, n);
        acct_moved(n);
    }
    if (n < q->len)
        audit = IUCV_AUDIT_REPLYCUT;
    m->replied = n;
    q->residual = q->len - n;
    complete(m, audit);
    return n < q->len ? IUCV_ETRUNC : IUCV_OK;
}

static long reject(struct vm *vm, struct path *p, struct iucv_parm *q)
{
    struct message *m = message_to(p, q->msgid);

    if (!m)
        return IUCV_ENOMSG;
    taken(vm, m);
    q->msgid = m->id;
    complete(m, IUCV_AUDIT_REJECTED);
    return IUCV_OK;
}

/* PURGE: the sender takes a message back. */
static long purge(struct path *p, struct iucv_parm *q)
{
    struct message *m = &messages[q->msgid % ID_STEP];

    if (!q->msgid || m->id != q->msgid || m->from != index_of(p) || m->state == MSG_FREE
        || m->state == MSG_COMPLETE)
        return IUCV_ENOMSG;
    if (m->state == MSG_PENDING && peer(p))
        queue_remove(peer(p)->vm, (uint16_t)(m - messages));
    message_free(m);
    return IUCV_OK;
}

long iucv_function(struct vm *vm, int function, uint64_t parm)
{
    struct iucv_parm *q = vm_ptr(vm, parm, sizeof(*q));
    struct path *p;
    long rc;

    if (!q)
        return IUCV_EBUFFER;
    vm->iucv.declared = 1;
    if (function == IUCV_QUERY) {
        q->limit = IUCV_VM_PATHS;
        return IUCV_OK;
    }
    if (function == IUCV_CONNECT) {
        rc = connect(vm, q);
        q->rcode = (uint8_t)rc;
        return rc;
    }
    p = path_find(vm, q->path);
    if (!p) {
        q->rcode = IUCV_EPATH;
        return IUCV_EPATH;
    }
    switch (function) {
    case IUCV_ACCEPT:  rc = accept(p, q); break;
    case IUCV_SEND:    rc = send(vm, p, q); break;
    case IUCV_RECEIVE: rc = receive(vm, p, q); break;
    case IUCV_REPLY:   rc = reply(vm, p, q); break;
    case IUCV_REJECT:  rc = reject(vm, p, q); break;
    case IUCV_PURGE:   rc = purge(p, q); break;
    case IUCV_SEVER:   sever(p, q->user); rc = IUCV_OK; break;
    case IUCV_QUIESCE:
    case IUCV_RESUME:
        p->quiesced_by_us = function == IUCV_QUIESCE;
        if (peer(p))
            path_event(peer(p), function == IUCV_QUIESCE ? IUCV_PATH_QUIESCED : IUCV_PATH_RESUMED, q->user);
        rc = IUCV_OK;
        break;
    default:           rc = IUCV_EFUNCTION; break;
    }
    q->rcode = (uint8_t)rc;
    return rc;
}

/* --- delivery --- */


static void take_path(struct path *p, struct iucv_interrupt *out)
{
    out->path = p->id;
    out->type = p->event;
    out->len = p->limit;
    memcpy(out->user, p->user, 16);
    memcpy(out->userid, p->userid, 8);
    p->event = 0;
}

bool iucv_take(struct vm *vm, struct iucv_interrupt *out)
{
    struct iucv_queue *q = &vm->iucv;

    if (!q->count)
        return false;
    uint16_t item = q->head;
    memset(out, 0, sizeof(*out));
    q->head = queue_next(item);
    q->count--;
    if (item & IS_PATH) {
        struct path *p = &paths[item & ~IS_PATH];
        take_path(p, out);
        if (out->type == IUCV_CONNECTION_SEVERED)
            path_free(p);    /* the other side is gone already; so is this one, once told */
        return true;
    }
    struct message *m = &messages[item];
    bool to_us = m->state == MSG_PENDING;
    out->path = to_us ? paths[paths[m->from].peer].id : paths[m->from].id;
    out->type = (uint8_t)((to_us ? IUCV_MESSAGE : IUCV_COMPLETE) - (m->flags & IUCV_PRIORITY ? 1 : 0));
    out->flags = m->flags;
    out->msgid = m->id;
    out->class = m->class;
    out->source_class = m->source_class;
    out->tag = m->tag;
    if (to_us) {
        out->len = m->len;
        out->reply_len = m->reply_len;
        memcpy(out->user, m->user, 16);
        m->state = MSG_SEEN;
    } else {
        out->len = m->replied;
        out->audit[0] = m->audit;
        message_free(m);
    }
    return true;
}

/* The machine was reset: its paths are severed, its peers told. */
void iucv_vm_gone(struct vm *vm)
{
    for (unsigned id = 0; id < IUCV_VM_PATHS; id++)
        if (vm->iucv.path[id]) {
            static const uint8_t nothing[16];
            sever(&paths[vm->iucv.path[id] - 1], nothing);
        }
    vm->iucv.count = 0;
    vm->iucv.declared = 0;
}
