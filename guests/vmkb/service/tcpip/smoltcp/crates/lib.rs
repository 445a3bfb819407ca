// SPDX-License-Identifier: MIT
#![no_std]
