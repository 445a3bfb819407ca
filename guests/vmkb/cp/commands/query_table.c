/* SPDX-License-Identifier: MIT */
#include "query.h"

const struct query queries[] = {
    {"TIME", 1, ANY, query_time},
    {0, 0, 0, 0},
};
