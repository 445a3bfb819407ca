/* SPDX-License-Identifier: MIT */
/* lwIP includes it for atoi, which it calls in netif_find alone: nothing here does, so it is
 * declared and never linked. */
int atoi(const char *text);
