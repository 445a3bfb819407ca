/* SPDX-License-Identifier: MIT */
/* lwIP includes it; what it uses of it is printf, in parts that are not compiled. */
