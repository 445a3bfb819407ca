/* SPDX-License-Identifier: MIT */
/* Stacks include it; what they use of it is printf, in parts that are not compiled. */
