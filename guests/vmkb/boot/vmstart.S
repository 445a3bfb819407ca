/* SPDX-License-Identifier: MIT */
/* Head of a program for a virtual machine: struct nss (vm.h), then its first instruction. NSS_NAME is
 * the eight EBCDIC characters of its name as two numbers, from the Makefile. */
    .section .nss, "ax"
    .quad 0x564d4b424e535331
    .quad NSS_NAME
    .quad nss_text_size
    .quad nss_data_start
    .quad nss_text_size                 /* the data follows the text in the image */
    .quad nss_data_size
    .quad nss_bss_size
    .quad vm_start
    .quad nss_image_size
    .text
    .globl vm_start
vm_start:
    brasl %r14,vm_main
    lgr %r2,%r2
    .long 0x832001fc                    /* DIAGNOSE X'1FC': the program ends */
    j vm_start
