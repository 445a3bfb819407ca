/* SPDX-License-Identifier: MIT */
/* Every public function of CP, by the file that has it. All else is static. */
#ifndef VMKB_DEFS_H
#define VMKB_DEFS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "vm.h"

struct ccw;
struct device;
struct display;
struct irb;
struct path;
struct terminal;
struct terminal_users;
struct dir_device;
struct dir_mdisk;
struct dir_user;
struct vol_area;
struct command;
struct sie;

/* All that it calls becomes part of it: for the few paths that every interruption takes. */
#define ONE_PIECE __attribute__((flatten))

/* boot/entry.S */
int run(struct context *c);

/* cp/core/main.c */
extern uint64_t ipl_tod;

/* cp/core/parm.c */
void ipl_parm_read(void);
extern const char *ipl_parm;             /* parameter text, EBCDIC, upper case, blanks between */
bool ipl_parm_value(const char *name, char *value, size_t max);

/* cp/core/abend.c */
_Noreturn void cp_abend(void);

/* cp/core/stop.c */
_Noreturn void cp_stop(uint64_t code);

/* cp/storage/storage.c */
void storage_init(void);
uint8_t *pages_get(uint32_t pages);      /* contiguous, zeroed, or 0 */
void pages_free(void *p, uint32_t pages);
uint32_t pages_free_count(void);
uint32_t pages_total(void);
int space_create(struct vm *vm, uint64_t size);   /* 0 or DIAG_ELIMIT */
void space_destroy(struct vm *vm);
#define PAGE_INVALID 0x400UL             /* a page table's entry */
void space_window(struct vm *vm, uint64_t *page_table);
const void *vm_text(struct vm *vm, uint64_t virt, uint64_t len);
/* Private storage of the machine, or 0. */
static inline void *vm_ptr(struct vm *vm, uint64_t virt, uint64_t len)
{
    uint64_t off = virt - VM_LOW;

    return off < vm->span && len <= vm->span - off ? vm->store + off : 0;
}
/* The same or its program text, or 0. */
static inline const void *vm_source(struct vm *vm, uint64_t virt, uint64_t len)
{
    const void *p = vm_ptr(vm, virt, len);

    return p ? p : vm_text(vm, virt, len);
}

/* cp/storage/nss.c */
void nss_init(void);
const struct nss *nss_find(const char *name);
const struct nss *nss_index(int i);
int nss_load(struct vm *vm, const struct nss *n);

/* cp/core/dispatch.c */
_Noreturn void dispatch(void);

/* cp/core/ready.c */
void vm_ready(struct vm *vm);            /* put it in a dispatch list if nothing holds it */
void vm_hold(struct vm *vm, uint32_t why);
void vm_release(struct vm *vm, uint32_t why);
bool ready_others(void);                 /* another machine can run, and is interactive */
extern struct vm *running;               /* the machine CP was entered from, or 0 */
uint32_t dispatch_queue_length(int queue);
void space_forget_asce(void);            /* tables changed: load CR1 again */

/* cp/core/wait.c */
#define PSW_WAIT 0x0302000180000000UL
void wait_for_io(uint64_t until_us);     /* the next interruption of a device's, or until then */

/* cp/core/task.c */
struct task {
    struct task *next;
    void (*run)(void);
    bool waits;
};
void task_later(struct task *t);         /* run it once, when no machine can run */
bool task_run(void);                     /* run the first that waits; false: none does */

/* cp/sie/machine.c, guest.c, dedicated.c, run.c */
void sie_init(void);
extern bool ccw_fast;                   /* SET CCWTRAN FAST: copies of channel programs are kept */
uint64_t sie_gr(const struct vm *vm, unsigned r); /* of a machine under SIE */
const struct psw *sie_psw(const struct vm *vm);
void sie_set_gr(struct vm *vm, unsigned r, uint64_t value);
void sie_set_psw(struct vm *vm, const struct psw *psw);
void *sie_storage(struct vm *vm, uint64_t at, uint64_t len); /* absolute; or 0 */
bool sie_ready(struct vm *vm);           /* it may be entered now; else it waits */
void sie_back(struct vm *vm, int reason); /* it called CP, or CP failed for it */
void sie_sliced(struct vm *vm);          /* an interruption of the system's ended it */

/* cp/core/timer.c */
uint64_t us_now(void);                   /* microseconds, TOD epoch */
uint64_t unix_us(void);                  /* microseconds since 1970 */
void timer_set(struct timer *t, uint64_t due_us, void (*fire)(void *), void *arg);
void timer_cancel(struct timer *t);
void timer_run(void);                    /* fire what is due */
extern bool timer_changed;               /* since dispatch.c last set the comparator */
uint64_t timer_next(void);               /* due time of the first, or UINT64_MAX */
extern uint64_t loaded_comparator;       /* what dispatch.c has put there */
void timer_comparator_lost(void);        /* somebody else has used the clock comparator */

/* cp/io/channel.c */
void channel_init(void);
struct device *device_find(uint16_t devno);
int device_start(struct device *d, const struct ccw *chain); /* 0 started, else busy or gone */
void device_clear(struct device *d);     /* stops it; its driver is told */
void channel_interrupt(void);
/* It works: true: no more, its program has ended well and nobody else is told. Else what status it
 * has, if any, is taken as by an interruption. */
bool device_ended(struct device *d);
void channel_quiet(bool quiet);          /* quiet devices do not interrupt */
void channel_poll(void);
bool channel_pend(void);                 /* an I/O interruption that means nothing is pending */
struct device *device_index(int i);
uint64_t device_starts(int i);

/* cp/core/models.c, generated table build/models_table.c */
void model_init(void);
bool model_choose(const char *name);     /* false: no such model */
extern bool model_refused;               /* the IPL parameter named one that there is not */
const char *model_name(void);
uint64_t model_us(const struct usage *u); /* microseconds of that use under the model in force */

/* cp/core/vm.c */
extern struct vm vms[VM_MAX];
struct vm *vm_find(const char *userid);  /* logged on, blank or 0 ended, or 0 */
void vm_on_gone(void (*handler)(struct vm *vm)); /* called when the program in a machine is gone */
void vm_gone(struct vm *vm);             /* call them */
/* who gives a machine that waits the event that is there now */
void vm_on_event(void (*handler)(struct vm *vm));
void vm_event(struct vm *vm, uint32_t ev);
static inline bool vm_waits(const struct vm *vm, uint32_t events)
{
    return (vm->wait & WAIT_EVENT) && (vm->event_mask & events);
}
/* it waited for that one, and *vm->event says the rest */
void event_told(struct vm *vm, uint32_t type);

/* cp/core/machine.c */
#define IPL_NOT_FOUND  44    /* numbers of the messages that say why nothing is loaded */
#define IPL_TOO_SMALL  435
#define IPL_NO_STORAGE 436
struct vm *vm_create(void);
void vm_reset(struct vm *vm);            /* as SYSTEM RESET: storage and program gone */
void vm_destroy(struct vm *vm);          /* LOGOFF's last act */
int vm_ipl(struct vm *vm, const char *name, const char *parm);
struct ipl_hosted {
    bool (*known)(const char *name);
    int (*load)(struct vm *vm, const char *name, const char *parm); /* 0 or IPL_ */
};
void vm_on_ipl_hosted(struct ipl_hosted by); /* who knows systems for machines under SIE */
bool ipl_known(uint32_t dir_flags, const char *name); /* a machine with these flags can IPL it */
/* The message that says why nothing is loaded, with vm->ipl_error as its number. */
void vm_ipl_failure(const struct vm *vm, const char *module, char text[LINE_MAX]);
void vm_end(struct vm *vm, const char *why); /* program ended by CP: message, CP READ */
void vm_reap(struct vm *vm);
void vm_io_done(struct vm *vm);          /* one request of a machine that is going away ended */

/* cp/core/program.c */
void program_check(struct vm *vm);

/* cp/core/per.c: what TRACE and ADSTOP watch a machine for; one machine is watched at a time */
enum per_kind { PER_FETCH, PER_BRANCH, PER_STORE, PER_STOP };
struct per_trap {
    uint8_t kind;            /* enum per_kind */
    uint8_t run;             /* it is shown and the machine goes on; else it stops in CP READ */
    uint64_t from, to;       /* of instructions, branch targets, what is stored; STOP: from */
};
const struct vm *per_traced(void); /* the machine that is watched, or 0 */
const struct per_trap *per_trap(const struct vm *vm); /* what for; 0: it is not */
void per_start(struct vm *vm, const struct per_trap *trap);
void per_end(struct vm *vm);
/* A program interruption with an event: true if there is another cause to be served. */
bool per_event(struct vm *vm);

/* cp/core/diag.c */
void diag_service(struct vm *vm, int code);
void diag_event_ready(struct vm *vm);    /* it waits for an event that is there now */

/* cp/console/console.c */
/* who keeps what consoles with a spool file show */
void console_on_line(void (*keep)(struct vm *vm, const char *text, size_t len));
bool console_input(struct vm *vm, const char *text, size_t len); /* typed for the program */
void console_keep(struct vm *vm, const char *text, size_t len); /* to its spool file */
bool console_wants_cp(struct vm *vm);    /* it is at CP READ */
/* output to a machine's console */
void console_line(struct vm *vm, const char *text, size_t len, int flags);
void console_say(struct vm *vm, const char *f, ...);
bool console_room(struct vm *vm);
long console_read(struct vm *vm, uint64_t buffer, uint64_t max, int flags);
void console_mode(struct vm *vm);        /* show RUNNING, VM READ or CP READ as it is now */
void console_to_cp(struct vm *vm);
void console_attach(struct vm *vm, struct terminal *t);
void console_detach(struct vm *vm);

/* cp/console/sleep.c */
void sleep_begin(struct vm *vm, bool from_console, uint64_t us); /* us 0: until attention */
void sleep_end(struct vm *vm);           /* attention, or the interval is over */

/* cp/console/terminal.c */
void terminal_init(const struct terminal_users *users);
/* a line was typed; false: no room */
bool terminal_line(struct terminal *t, const char *text, size_t len);
void terminal_attention(struct terminal *t);                          /* PA1 */
void terminal_connected(struct terminal *t);
void terminal_say(struct terminal *t, const char *f, ...);
/* say how many lines were not shown, if there is room now */
void terminal_tell_lost(struct terminal *t);
void terminal_roomy(struct terminal *t); /* there is room again: wake who waits */
struct terminal *terminal_new(int kind);

/* cp/display/display3270.c, cp/console/console3215.c */
struct display *terminal_display(struct terminal *t); /* its 3270 screen, or 0 */
void terminal_display_pump(struct terminal *t);
long terminal_full_input(struct terminal *t, uint8_t *to, size_t max);
void display3270_init(void);
void display3270_paint(void);
void console3215_init(void);
void operator_say(const char *f, ...);   /* to the operator, time stamped */
void console3215_flush(void);            /* write what is queued, polling: CP is about to stop */

/* cp/session/command.c */
void command_console(struct vm *vm, struct terminal *t, const char *text, size_t len);
long command_diag(struct vm *vm, const char *text, size_t len, char *reply, size_t max, long *got);

/* cp/io/dasd.c, cp/io/mdc.c, cp/io/mdisk.c */
void dasd_init(void);
int mdisk_io(struct vm *vm, uint16_t vaddr, int op, uint32_t block, uint32_t count,
             uint64_t buffer);
struct mdisk *mdisk_find(struct vm *vm, uint16_t vaddr);
long mdisk_info(struct vm *vm, uint16_t vaddr, struct diag_disk *out);

/* cp/session/directory.c */
void directory_start(void);
bool directory_there(void);
const struct dir_user *directory_find(const char *userid);
const struct dir_mdisk *directory_mdisk(const struct dir_user *u, uint16_t vaddr);
const struct dir_mdisk *directory_mdisk_at(const struct dir_user *u, uint32_t i); /* i-th, or 0 */
int directory_access(const struct dir_mdisk *m, int mode);   /* 1 write, 0 read, -1 refused */
int directory_attach(struct vm *vm, const struct dir_user *owner, const struct dir_mdisk *m,
                     uint16_t as, bool writable);
/* The privilege classes that programs on the minidisk may run with and that `classes` lacks: who
 * lacks one may write there by a LINK statement of his entry alone. */
uint32_t directory_lacks(uint32_t classes, const struct dir_user *owner, uint16_t vaddr);
/* 0, 1 read, 2 write */
int directory_rights(const char *userid, const char *owner, uint16_t vaddr);
/* its i-th, or 0; those behind it follow */
const struct dir_device *directory_device_at(const struct dir_user *u, uint32_t i);
bool directory_dedicated(const char *userid, uint16_t raddr);
uint8_t directory_disk_volume(void);     /* the volume that the minidisks are on */
const struct vol_area *directory_spool(void);   /* of that volume; no blocks: there is none */
bool directory_may_autolog(const struct dir_user *u, const char *userid);
void directory_fill(struct vm *vm, const struct dir_user *u); /* a new machine from its entry */

/* cp/comm/iucv.c */
void iucv_init(void);
long iucv_function(struct vm *vm, int function, uint64_t parm);
bool iucv_take(struct vm *vm, struct event *e); /* next interruption for vm */
static inline bool iucv_pending(const struct vm *vm)
{
    return vm->iucv.head != 0;
}
void iucv_vm_gone(struct vm *vm);

/* cp/comm/gms/gms_cp.c, gms_diag.c */
void gms_cp_init(void);
long gms_service(struct vm *vm, int op, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
void gms_vm_gone(struct vm *vm);

/* cp/io/ctca.c */
void ctca_init(void);
void ctca_listen(void);                  /* no interruption of the pair is masked any more */
long ctca_op(struct vm *vm, int op, uint64_t buffer, uint64_t len);
void ctca_vm_gone(struct vm *vm);

/* cp/console/fullscreen.c */
long full_screen(struct vm *vm, int op, uint64_t buffer, uint64_t len, int erase);

/* cp/console/diag_lterm.c */
long diag_lterm_service(struct vm *vm, int op, long id, uint64_t buffer, uint64_t len);
uint32_t diag_lterm_next(struct vm *vm); /* id with news, 0 none */
void diag_lterm_gone(struct vm *vm);

/* cp/core/monitor.c */
long monitor_service(struct vm *vm, long index, uint64_t buffer);

/* cp/core/indicate.c */
void indicate_start(void);               /* begin to sample the load */

/* cp/session/start.c */
void system_start(void);                 /* OPERATOR and AUTOLOG1, when CP is ready for them */

/* cp/session/session.c */
void vm_disconnect(struct vm *vm);       /* DISCONNECT with its messages */
void vm_hung_up(struct vm *vm);          /* the same, by a terminal that is gone; later it ends */
void terminal_gone(struct terminal *t);  /* its machine, if it has one, is hung up; it is free */

/* cp/session/logon.c */
extern char motd[80];                    /* log message, SET LOGMSG; empty: none */
void logon_password(struct terminal *t, const char *text, size_t len);
long authenticate(struct vm *vm, uint64_t userid, uint64_t password);

/* cp/core/date.c */
void date_format(uint64_t unix_us, char text[24]);  /* mm/dd/yy hh:mm:ss */
const char *weekday(uint64_t unix_us);
extern const char system_node[];
extern const char cp_level[];            /* VM/KB VERSION n.n.n */

/* cp/session/card.c */
long card_user(struct vm *vm, const char *text, size_t len); /* C0 */
void card_session(struct vm *vm);        /* 01, at LOGOFF and ACNT */
/* 04 or 06: wrong passwords of LOGON or LINK reached their limit; other: by whom, or the disk's
 * owner */
void card_journal(const char *code, const char *userid, const char *account,
                  const struct terminal *t, const char *other, uint16_t vaddr, unsigned count,
                  unsigned limit);

/* cp/session/punch.c */
void punch_init(void);
void punch_card(const uint8_t card[80]);
bool punch_room(void);                   /* for another card that is none of accounting */
void punch_flush(void);                  /* wait until the cards are punched: CP is about to stop */

#endif
