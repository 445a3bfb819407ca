/* SPDX-License-Identifier: MIT */
/* lwIP includes it; what it uses of it is atoi, in parts that are not compiled. */
