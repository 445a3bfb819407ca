/* SPDX-License-Identifier: MIT */
/* What CMS knows of the virtual machine and of the command that runs. */
#include "nucleus.h"

struct cms_state cms_state;

const char *cms_userid(void)
{
    return cms_state.userid;
}
