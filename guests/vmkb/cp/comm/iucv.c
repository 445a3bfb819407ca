/* SPDX-License-Identifier: MIT */
/* IUCV: paths between machines, messages on them, and the interruptions that say so. A message
 * stays in the sender's storage until the receiver asks for it: one copy. The tables are fixed; a
 * full one is a return code of the caller, and a path's message limit is what holds a fast sender
 * back. */
#include "iucv.h"
#include "iucv_table.h"
#include "defs.h"
#include "lib.h"

static struct path paths[IUCV_PATHS];
static struct message messages[IUCV_MESSAGES];
static struct path *free_path;
static struct message *free_message;

void iucv_init(void)
{
    for (unsigned i = 0; i < IUCV_PATHS; i++)
        paths[i] = (struct path){.next = i + 1 < IUCV_PATHS ? &paths[i + 1] : 0};
    for (unsigned i = 0; i < IUCV_MESSAGES; i++)
        messages[i] =
            (struct message){.next = i + 1 < IUCV_MESSAGES ? &messages[i + 1] : 0, .told.msgid = i};
    free_path = paths;
    free_message = messages;
}

/* --- interruptions: a queue of things for each machine, priority messages in front --- */

static void tell(struct iucv_item *item, struct event *e);

/* A machine that waits for one has nothing in its queue and is told at once. */
static inline void queue_put(struct vm *vm, struct iucv_item *item, bool first)
{
    struct iucv_queue *q = &vm->iucv;

    if (vm_waits(vm, EV_IUCV)) {
        tell(item, vm->event);
        event_told(vm, EV_IUCV);
        return;
    }
    item->after = 0;
    if (!q->head) {
        q->head = q->tail = item;
    } else if (first) {
        item->after = q->head;
        q->head = item;
    } else {
        q->tail->after = item;
        q->tail = item;
    }
    vm_event(vm, EV_IUCV);
}

static void queue_remove(struct vm *vm, struct iucv_item *item)
{
    struct iucv_queue *q = &vm->iucv;
    struct iucv_item *before = 0;

    for (struct iucv_item **p = &q->head; *p; before = *p, p = &(*p)->after)
        if (*p == item) {
            *p = item->after;
            if (q->tail == item)
                q->tail = before;
            return;
        }
}

/* --- tables --- */

static struct path *path_get(struct vm *vm)
{
    struct path *p = free_path;
    unsigned id = 0;

    if (!p || vm->iucv.paths == IUCV_VM_PATHS)
        return 0;
    while (vm->iucv.path[id])
        id++;
    free_path = p->next;
    *p = (struct path){.item.is_path = 1, .vm = vm, .id = (uint16_t)id};
    vm->iucv.path[id] = p;
    vm->iucv.paths++;
    return p;
}

static struct path *path_find(struct vm *vm, uint16_t id)
{
    return id < IUCV_VM_PATHS ? vm->iucv.path[id] : 0;
}

static void path_free(struct path *p)
{
    if (p->event)
        queue_remove(p->vm, &p->item);
    p->vm->iucv.path[p->id] = 0;
    p->vm->iucv.paths--;
    p->vm = 0;
    p->next = free_path;
    free_path = p;
}

static void message_free(struct message *m)
{
    struct path *p = m->from;
    struct message **l = &p->first;

    while (*l != m)
        l = &(*l)->next;
    *l = m->next;
    p->outstanding--;
    m->state = MSG_FREE;
    m->next = free_message;
    free_message = m;
}

/* A path's event is one at a time: the later one (sever after quiesce) takes the place of the
 * earlier. */
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
        queue_put(p->vm, &p->item, false);
    }
}

static void tell_path(struct path *p, struct iucv_interrupt *out)
{
    memset(out, 0, sizeof(*out));
    out->path = p->id;
    out->type = p->event;
    out->len = p->limit;
    memcpy(out->user, p->user, 16);
    memcpy(out->userid, p->userid, 8);
    p->event = 0;
    if (out->type == IUCV_CONNECTION_SEVERED)
        path_free(p);        /* the other side is gone already; so is this one, once told */
}

/* What is short comes with the news of it. */
static inline void give_text(const struct message *m, struct event *e)
{
    uint32_t n = m->told.len <= sizeof(e->text) && m->data != m->told.user ? m->told.len : 0;

    e->text_len = (uint16_t)n;
    if (n)
        memcpy(e->text, m->data, n);
}

static inline void tell_message(struct message *m, struct event *e)
{
    e->iucv = m->told;
    if (m->state == MSG_PENDING) {
        m->state = MSG_SEEN;
        give_text(m, e);
    } else {
        message_free(m);
    }
}

static inline void tell(struct iucv_item *item, struct event *e)
{
    if (item->is_path)
        tell_path((struct path *)item, &e->iucv);
    else
        tell_message((struct message *)item, e);
}

/* --- ends of messages --- */

/* From now on it is for its sender, who is told of the reply and nothing else. */
static void complete(struct message *m, uint32_t replied, uint8_t audit)
{
    struct path *p = m->from;

    m->state = MSG_COMPLETE;
    m->told.path = p->id;
    m->told.type -= IUCV_MESSAGE - IUCV_COMPLETE;
    m->told.len = replied;
    m->told.reply_len = 0;
    m->told.audit[0] = audit;
    memset(m->told.user, 0, sizeof(m->told.user));
    queue_put(p->vm, &m->item, (m->told.flags & IUCV_PRIORITY) != 0);
    p->vm->iucv_msgs++;
}

static void drop_messages(struct path *p)
{
    while (p->first) {
        struct message *m = p->first;
        if (m->state == MSG_PENDING && p->peer)
            queue_remove(p->peer->vm, &m->item);
        else if (m->state == MSG_COMPLETE)
            queue_remove(p->vm, &m->item);
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
    a->peer = b;
    b->peer = a;
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
    struct path *a = p->peer;

    if (p->open || !a || !p->userid[0])
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
    struct path *a = p->peer;

    drop_messages(p);
    if (a) {
        drop_messages(a);
        a->peer = 0;
        a->open = 0;
        path_event(a, IUCV_CONNECTION_SEVERED, user);
    }
    path_free(p);
}

/* The common beginning of the two lists is copied in one piece. */
#define SAME(field) (offsetof(struct iucv_parm, field) == offsetof(struct iucv_interrupt, field))
#define BEGINNING   offsetof(struct iucv_interrupt, len)
_Static_assert(SAME(path) && SAME(flags) && SAME(msgid) && SAME(class) && SAME(source_class)
               && BEGINNING == offsetof(struct iucv_parm, buffer), "iucv.h, diag.h");

static long send(struct vm *vm, struct path *p, struct iucv_parm *q)
{
    struct path *to = p->peer;
    struct message *m = free_message;
    const uint8_t *data = 0;
    uint8_t *reply = 0;

    if (!p->open || !to)
        return IUCV_EPATH;
    if (to->quiesced_by_us)
        return IUCV_EQUIESCED;
    if (p->outstanding >= p->limit)
        return IUCV_ELIMIT;
    if (!m)
        return IUCV_ESYSTEM;
    if (!(q->flags & IUCV_PRMDATA) && q->len && !(data = vm_source(vm, q->buffer, q->len)))
        return IUCV_EBUFFER;
    if (!(q->flags & IUCV_NOREPLY) && q->reply_len
        && !(reply = vm_ptr(vm, q->reply_buffer, q->reply_len)))
        return IUCV_EBUFFER;
    free_message = m->next;
    uint32_t id = m->told.msgid + ID_STEP; /* an old id is not taken for a new message */
    if (!id)
        id = ID_STEP;        /* 0 asks for the oldest */
    q->msgid = id;
    memcpy(&m->told, q, BEGINNING);
    m->told.path = to->id;
    m->told.type = q->flags & IUCV_PRIORITY ? IUCV_MESSAGE_PRIORITY : IUCV_MESSAGE;
    m->told.reply_len = reply ? q->reply_len : 0;
    m->told.audit[0] = 0;
    m->told.tag = q->tag;
    if (q->flags & IUCV_PRMDATA) {
        memcpy(m->told.user, q->user, sizeof(m->told.user));
        m->told.len = sizeof(m->told.user);
        data = m->told.user;
    } else {
        memset(m->told.user, 0, sizeof(m->told.user));
        m->told.len = q->len;
    }
    m->from = p;
    m->data = data;
    m->reply = reply;
    m->received = 0;
    m->state = MSG_PENDING;
    m->next = p->first;
    p->first = m;
    p->outstanding++;
    vm->iucv_msgs++;
    queue_put(to->vm, &m->item, (q->flags & IUCV_PRIORITY) != 0);
    return IUCV_OK;
}

static struct message *message_of_id(uint32_t id)
{
    struct message *m = &messages[id % ID_STEP];

    return m->told.msgid == id && m->state != MSG_COMPLETE && m->state != MSG_FREE ? m : 0;
}

/* The message with that id (0: the oldest not received) that came to path p. */
static struct message *message_to(struct path *p, uint32_t id)
{
    struct message *m, *oldest = 0;

    if (id) {
        m = message_of_id(id);
        return m && m->from == p->peer ? m : 0;
    }
    if (!p->peer)
        return 0;
    for (m = p->peer->first; m; m = m->next)
        if (m->state == MSG_PENDING || m->state == MSG_SEEN)
            oldest = m;      /* the list has the newest first */
    return oldest;
}

static void taken(struct vm *vm, struct message *m)
{
    if (m->state == MSG_PENDING) {
        queue_remove(vm, &m->item);
        m->state = MSG_SEEN;
    }
}

static long receive(struct vm *vm, struct path *p, struct iucv_parm *q)
{
    struct message *m = message_to(p, q->msgid);

    if (!m)
        return IUCV_ENOMSG;
    uint32_t have = m->told.len - m->received, n = have < q->len ? have : q->len;
    uint8_t *to = vm_ptr(vm, q->buffer, n);
    if (!to)
        return IUCV_EBUFFER;
    taken(vm, m);
    if (n)
        memmove(to, m->data + m->received, n); /* a machine may send to itself */
    m->received += n;
    q->msgid = m->told.msgid;
    q->class = m->told.class;
    if (n < have) {
        q->residual = have - n;
        return IUCV_ETRUNC;
    }
    q->residual = q->len - n;
    m->state = MSG_RECEIVED;
    if (m->told.flags & IUCV_NOREPLY)
        complete(m, 0, 0);
    return IUCV_OK;
}

static long reply(struct vm *vm, struct path *p, struct iucv_parm *q)
{
    struct message *m = message_to(p, q->msgid);
    const uint8_t *from = q->user;

    if (!m || !q->msgid)
        return IUCV_ENOMSG;
    if (q->flags & IUCV_PRMDATA)
        q->len = sizeof(q->user);
    else
        from = vm_source(vm, q->buffer, q->len);
    if (!from && q->len)
        return IUCV_EBUFFER;
    taken(vm, m);
    uint32_t n = q->len < m->told.reply_len ? q->len : m->told.reply_len;
    if (n)
        memmove(m->reply, from, n);
    q->residual = q->len - n;
    complete(m, n, n < q->len ? IUCV_AUDIT_REPLYCUT : 0);
    return n < q->len ? IUCV_ETRUNC : IUCV_OK;
}

static long reject(struct vm *vm, struct path *p, struct iucv_parm *q)
{
    struct message *m = message_to(p, q->msgid);

    if (!m)
        return IUCV_ENOMSG;
    taken(vm, m);
    q->msgid = m->told.msgid;
    complete(m, 0, IUCV_AUDIT_REJECTED);
    return IUCV_OK;
}

/* PURGE: the sender takes a message back. */
static long purge(struct path *p, struct iucv_parm *q)
{
    struct message *m = q->msgid ? message_of_id(q->msgid) : 0;

    if (!m || m->from != p)
        return IUCV_ENOMSG;
    if (m->state == MSG_PENDING && p->peer)
        queue_remove(p->peer->vm, &m->item);
    message_free(m);
    return IUCV_OK;
}

__attribute__((noinline)) long iucv_function(struct vm *vm, int function, uint64_t parm)
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
        if (p->peer)
            path_event(p->peer, function == IUCV_QUIESCE ? IUCV_PATH_QUIESCED : IUCV_PATH_RESUMED,
                       q->user);
        rc = IUCV_OK;
        break;
    default:           rc = IUCV_EFUNCTION; break;
    }
    q->rcode = (uint8_t)rc;
    return rc;
}

/* --- delivery --- */

bool iucv_take(struct vm *vm, struct event *e)
{
    struct iucv_item *item = vm->iucv.head;

    if (!item)
        return false;
    vm->iucv.head = item->after;
    tell(item, e);
    return true;
}

/* The machine was reset: its paths are severed, its peers told. */
void iucv_vm_gone(struct vm *vm)
{
    for (unsigned id = 0; id < IUCV_VM_PATHS; id++)
        if (vm->iucv.path[id]) {
            static const uint8_t nothing[16];
            sever(vm->iucv.path[id], nothing);
        }
    vm->iucv.head = 0;
    vm->iucv.declared = 0;
}
