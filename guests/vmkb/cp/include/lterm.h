/* SPDX-License-Identifier: MIT */
/* Logical line-mode terminals: what LAT, SET HOST and TELNET give a user to log on at. The line
 * protocol's driver puts in the characters typed (ISO 8859-1) and takes the characters to show;
 * CP's part is the line editing and echo of a typewriter terminal, and the terminal_ops that the
 * rest of CP knows. A driver in CP calls these directly; a service machine by DIAGNOSE X'7C'
 * (cp/console/diag_lterm.c). */
#ifndef VMKB_LTERM_H
#define VMKB_LTERM_H
#include "terminal.h"

/* characters waiting to be taken; a writer waits when a few lines no longer fit */
#define LTERM_OUT  4096
/* the host echoes (LAT, SET HOST, TELNET with ECHO); else the terminal does */
#define LTERM_ECHO 0x01
/* lines are told of and taken one at a time; else as they gather */
#define LTERM_RECORDS 0x02

struct lterm;

struct lterm_driver {
    void (*output)(void *arg); /* there are characters to take, or room for input that was not
                                * taken; for output called again only after all was taken */
    void (*closed)(void *arg); /* its user has logged off: take what is left, then lterm_close */
};

/* kind: one letter for the name (T TELNET, L LAT, H SET HOST). 0: no terminal is free. */
struct lterm *lterm_open(char kind, unsigned flags, const struct lterm_driver *driver, void *arg);
/* The line is gone: its user is disconnected. Also after closed(). */
void lterm_close(struct lterm *l);
void lterm_set_flags(struct lterm *l, unsigned flags);
/* Characters typed. Returns how many were taken; the rest when the driver is told that there is
 * room. */
size_t lterm_input(struct lterm *l, const uint8_t *text, size_t len);
/* Take up to max characters to show; with LTERM_RECORDS up to the end of a line. */
size_t lterm_output(struct lterm *l, uint8_t *to, size_t max);
size_t lterm_waiting(const struct lterm *l);
/* What the attention (BREAK, TELNET IP) of that line means to CP. */
void lterm_attention(struct lterm *l);
/* The machine that it is the console of; 0 before LOGON. */
const struct vm *lterm_vm(const struct lterm *l);
const char *lterm_name(const struct lterm *l);
/* Is what is typed not to be shown (a password)? For drivers whose other side echoes. */
bool lterm_hidden(const struct lterm *l);
#endif
