/* SPDX-License-Identifier: MIT */
/* cp/comm/iucv.c with four machines of one page each and small tables. A line in, a line out:
 *   reset
 *   call VM FUNCTION PATH FLAGS MSGID CLASS BUFFER LEN REPLYBUFFER REPLYLEN LIMIT TAG USERID
 *   USERDATA
 *        -> rc path msgid residual limit
 *   wait VM        for an interruption, as DIAGNOSE does, until take; its queue is empty
 *   take VM        -> nothing, or path type flags msgid class len reply_len tag audit userid
 *                  userdata
 *   text           -> the data that came with what was taken last, or -
 *   poke VM AT BYTES, peek VM AT LEN     hexadecimal
 *   gone VM        the machine was reset
 *   free           -> paths and messages not in use */
#include "../words.h"
#include "param.h"
#undef IUCV_PATHS
#undef IUCV_MESSAGES
#undef IUCV_VM_PATHS
#define IUCV_PATHS 12
#define IUCV_MESSAGES 8
#define IUCV_VM_PATHS 5
#include "iucv_table.h"
#undef ID_STEP
#define ID_STEP 8
#include "defs.h"
/* The parameter list is beside the page, so that a whole page is there for data. */
#define vm_ptr    storage
#define vm_source storage
static void *storage(struct vm *vm, uint64_t virt, uint64_t len);
#include "iucv.c"

#define MACHINES 4
#define SIZE     (VM_LOW + 4096)

struct vm vms[VM_MAX];
static uint8_t stores[MACHINES][4096];
static struct iucv_parm parms[MACHINES];
static struct event events[MACHINES];

struct vm *vm_find(const char *userid)
{
    for (int i = 0; i < MACHINES; i++)
        if (strcmp(vms[i].userid, userid) == 0)
            return &vms[i];
    return 0;
}

void vm_event(struct vm *vm, uint32_t ev)
{
    vm->events |= ev;
}

void event_told(struct vm *vm, uint32_t type)
{
    vm->event->type = type;
    vm->wait = 0;
}

static struct account nobody;
struct acct_now acct_now = {.account = &nobody};

const void *vm_text(struct vm *vm, uint64_t virt, uint64_t len)
{
    (void)vm, (void)virt, (void)len;
    return 0;
}

static void *storage(struct vm *vm, uint64_t virt, uint64_t len)
{
    if (virt == SIZE && len == sizeof(struct iucv_parm))
        return &parms[vm - vms];
    if (virt < VM_LOW || virt >= SIZE || len > SIZE - virt)
        return 0;
    return vm->store + (virt - VM_LOW);
}

static void reset(void)
{
    memset(vms, 0, sizeof(vms));
    memset(stores, 0, sizeof(stores));
    memset(events, 0, sizeof(events));
    for (int i = 0; i < MACHINES; i++) {
        memcpy(vms[i].userid, (char[]){'V', 'M', (char)('0' + i), 0}, 4);
        vms[i].store = stores[i];
        vms[i].asce = 1;
        vms[i].event = &events[i];
        vms[i].event_mask = EV_IUCV;
    }
    iucv_init();
    for (unsigned i = 0; i < IUCV_MESSAGES; i++)
        /* the third message in a place has the ids begin again */
        messages[i].told.msgid += 0U - 2 * ID_STEP;
}

static void bytes(uint8_t *to, size_t max)
{
    char text[8193];

    if (scanf("%8192s", text) != 1)
        exit(1);
    unhex(text, to, max);
}

static void call(struct vm *vm)
{
    struct iucv_parm *q = &parms[vm - vms];
    int function = (int)number();

    memset(q, 0, sizeof(*q));
    q->path = (uint16_t)number();
    q->flags = (uint8_t)number();
    q->msgid = (uint32_t)number();
    q->class = (uint32_t)number();
    q->buffer = number();
    q->len = (uint32_t)number();
    q->reply_buffer = number();
    q->reply_len = (uint32_t)number();
    q->limit = (uint16_t)number();
    q->tag = (uint32_t)number();
    memset(q->userid, ' ', 8);
    bytes((uint8_t *)q->userid, 8);
    bytes(q->user, 16);
    long rc = iucv_function(vm, function, SIZE);
    printf("%ld %u %u %u %u\n", rc, q->path, q->msgid, q->residual, q->limit);
}

static struct event taken_last;

static void take(struct vm *vm)
{
    taken_last = *vm->event;
    vm->wait = 0;
    if (!vm->event->type && !iucv_take(vm, &taken_last)) {
        printf("none\n");
        return;
    }
    vm->event->type = 0;
    struct iucv_interrupt e = taken_last.iucv;
    printf("%u %u %u %u %u %u %u %u %u ", e.path, e.type, e.flags, e.msgid, e.class, e.len,
           e.reply_len, e.tag, e.audit[0]);
    put_hex(e.userid, 8);
    printf(" ");
    put_hex(e.user, 16);
    printf("\n");
}

static void not_in_use(void)
{
    unsigned p = 0, m = 0;

    for (struct path *f = free_path; f && p <= IUCV_PATHS; f = f->next)
        p++;
    for (struct message *f = free_message; f && m <= IUCV_MESSAGES; f = f->next)
        m++;
    printf("%u %u\n", p, m);
}

int main(void)
{
    char word[8];

    reset();
    while (scanf("%7s", word) == 1) {
        if (strcmp(word, "reset") == 0) {
            reset();
            printf("\n");
        } else if (strcmp(word, "free") == 0) {
            not_in_use();
        } else if (strcmp(word, "text") == 0) {
            put_hex(taken_last.text, taken_last.text_len);
            printf("%s\n", taken_last.text_len ? "" : "-");
        } else {
            struct vm *vm = &vms[number() % MACHINES];
            if (strcmp(word, "call") == 0) {
                call(vm);
            } else if (strcmp(word, "take") == 0) {
                take(vm);
            } else if (strcmp(word, "wait") == 0) {
                vm->wait = WAIT_EVENT;
                printf("\n");
            } else if (strcmp(word, "gone") == 0) {
                iucv_vm_gone(vm);
                vm->wait = vm->event->type = 0;
                printf("\n");
            } else if (strcmp(word, "poke") == 0) {
                uint8_t *to = vm_ptr(vm, number(), 0);
                bytes(to, 4096 - (size_t)(to - vm->store));
                printf("\n");
            } else {
                unsigned long at = number(), n = number();
                put_hex(vm_ptr(vm, at, n), n);
                printf("\n");
            }
        }
        fflush(stdout);
    }
    return 0;
}
