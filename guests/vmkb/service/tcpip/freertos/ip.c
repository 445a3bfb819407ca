/* SPDX-License-Identifier: MIT */
/* FreeRTOS-Plus-TCP's IP task, run by hand: what its loop calls has no name outside of its file. */
#include "FreeRTOS_IP.c"
#include "stack.h"

void ip_run(void)
{
    if (!xIPTaskInitialised)
        prvIPTask_Initialise();
    do
        prvProcessIPEventsAndTimers();
    while (uxQueueMessagesWaiting(xNetworkEventQueue));
    vCheckNetworkTimers();   /* sockets whose segments came are told only when nothing waits */
}
