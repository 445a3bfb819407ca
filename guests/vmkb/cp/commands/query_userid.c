/* SPDX-License-Identifier: MIT */
/* QUERY userid: "USERID  - 0700", "USERID  - DSC". */
#include "query.h"
#include "lib.h"

int query_userid(struct cmd *c, const char *word)
{
    const struct vm *vm = vm_find(word);

    if (strlen(word) > 8)
        return cmd_error(c, 3, "DMKCFC003E INVALID OPTION - %.8s", word);
    if (!vm)
        return cmd_error(c, 45, "DMKCQG045E %s NOT LOGGED ON", word);
    cmd_say(c, "%-8s - %s", vm->userid, vm->term ? vm->term->name : "DSC");
    return 0;
}
