/* SPDX-License-Identifier: MIT */
#include "lib.h"
