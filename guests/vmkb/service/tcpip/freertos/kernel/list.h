/* SPDX-License-Identifier: MIT */
#include "FreeRTOS.h"
