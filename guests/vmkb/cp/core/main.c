/* SPDX-License-Identifier: MIT */
/* CP's start: the list of everything there is, in order, and who is told of what. */
#include "calibrate.h"
#include "defs.h"
#include "decnet_cp.h"
#include "lan.h"
#include "lat_cp.h"
#include "spool.h"
#include "terminal.h"

uint64_t ipl_tod;

static const struct terminal_users terminal_users = {command_console, logon_password};

void cp_main(void);
void cp_main(void)
{
    ipl_parm_read();
    calibrate_counter();     /* what it tries are no instructions of CP's */
    ipl_tod = us_now();
    acct_init(&acct_system);
    storage_init();
    model_init();
    channel_init();
    nss_init();
    terminal_init(&terminal_users);
    console3215_init();
    punch_init();
    iucv_init();
    vm_on_gone(iucv_vm_gone);
    dasd_init();
    ctca_init();
    vm_on_gone(ctca_vm_gone);
    lan_init();
    vm_on_gone(lan_vm_gone);
    gms_cp_init();
    vm_on_gone(gms_vm_gone);
    decnet_start();          /* the station has its address: before LAT takes it */
    lat_cp_init();
    vm_on_gone(diag_lterm_gone);
    sie_init();
    vm_on_event(diag_event_ready);
    display3270_init();
    directory_start();
    spool_share_start();
    spool_start(directory_disk_volume(), directory_spool());
    spool_units();
    vm_on_gone(spool_reset);
    console_on_line(spool_line);
    system_start();
    display3270_paint();
    dispatch();
}
