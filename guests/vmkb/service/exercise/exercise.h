/* SPDX-License-Identifier: MIT */
#ifndef VMKB_EXERCISE_H
#define VMKB_EXERCISE_H
#include "diag.h"
#include "iucv.h"
#include "say.h"

void exercise_diag(unsigned n);
void exercise_iucv(unsigned n);
void exercise_parmlist(unsigned n);
void exercise_echo(unsigned n);
void exercise_loop(unsigned n);
void exercise_low(unsigned n);
void exercise_other(unsigned n);
void exercise_bad(unsigned n);
void exercise_writetext(unsigned n);
void exercise_priv(unsigned n);
void exercise_count(unsigned n);
void exercise_paths(unsigned n);
void exercise_sink(unsigned n);
void exercise_messages(unsigned n);
void exercise_blocks(unsigned n);
void exercise_udpecho(unsigned n);
void exercise_random(unsigned n);
void exercise_guard(unsigned n);
#endif
