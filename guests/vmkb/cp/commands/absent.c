/* SPDX-License-Identifier: MIT */
/* Commands of VM that machines here have no use for: who types one is told why. */
#include "among.h"
#include "commands.h"

static const struct {
    const char *name, *why;
} reasons[] = {
    {"DIAL", "LOGON, OR TELNET TO TCPIP"},
    {"DUMP", "DISPLAY SHOWS STORAGE; SPOOL CONSOLE START KEEPS IT"},
    {"ECHO", "THERE IS NO ECHO TEST OF THE TERMINAL"},
    {"EXTERNAL", "PROGRAMS TAKE NO EXTERNAL INTERRUPTIONS"},
    {"LOADVFCB", "THE PRINTER HAS NO FORMS CONTROL"},
    {"NOTREADY", "DEVICES ARE ALWAYS READY"},
    {"READY", "DEVICES ARE ALWAYS READY"},
    {"RESET", "SYSTEM RESET RESETS ALL"},
    {"REWIND", "THERE ARE NO TAPES"},
    {"VMDUMP", "DISPLAY SHOWS STORAGE; SPOOL CONSOLE START KEEPS IT"},
};

/* Operands of VM's commands that are not here; capitals are the least abbreviation. */
static const struct {
    const char *command, *words;
} operands[] = {
    {"CHANGE", "FORM Flash CHars MODify KEEP NOKEEP USERform OPERform"},
    {"CLOSE", "FORM KEEP NOKEEP"},
    {"DEFINE", "CHANNELs CONsole GRAF LINE PRinter PUnch Reader TIMER VFB-512 VFB CPU MSGdevice "
               "CFCHannel CHPid CPOWNed CRYpto CU DEVice HYPERPAValias LAN MDisk NIC PATH "
               "PAVALIAS PCIFunction PORT PROCessor RELODOMAIN SPool TIMEZone VSWITCH "
               "1403 1443 2540P 2540R 3203 3211 3215 3262 3270 3289e 3525 3800"},
    {"IPL", "CLear NOCLear STOP ATTn LOADparm DUMP VMGroup"},
    {"INDICATE", "PAGing FAVored MULTitasking NSS SPaces ALL ACTive"},
    {"LOGON", "ACCount MASK BY"},
    {"MONITOR", "AUTODISK NOAUTODISK SAMPLE EVENT CLOSE START STOP"},
    {"PURGE", "FORM NOHOLD HOLD"},
    {"QUERY", "ACCounts AFfinity ALL ALLOC ASSist BMX CACHE CHPids COMMANDS CONCEAL CONTROLLERS "
              "CPTrap CPUs CRYPTO DUmp FRAMES GRaf HOld IMG ISLInk JOURNAL LIMITS LINes MAXUSERS "
              "MIH MITIME MONitor NLS OBSERVER PAGing PASSWORD PATHS PENDING PROCESSORs PSWTRANS "
              "QDROP QUICKDSP RECORDING RESERVE RESERVED SASSist SCREEN SEGS SHARE SIGNAL "
              "SPACES SPMODE SRM STMulti SUBCHANNEL SWITCHES SXSPAGES TAG TDisk TAPES TImezone "
              "TODEnable TRSource UR VECTOR VCONFIG XSTOre CPOWNed "
              "FAVored LPARS NIC OSA SYSTERM VMSAVE VSWITCH "
              "AGELIST BYUSER CACHEFW CAPability CAPacity CMDLIMIT COLLECT CPCHECKing CPDISKS "
              "CPLANGLIST CPLOAD CPPROTECT CPTRACE CPTYPE CPXLOAD CRW CTCA CU DASDFW DIALDROP "
              "DUMPDEV DUPLEX DYNamic_io ECmode EDEVice EQID EXITS FCP FENCES GATEWAY HOTIO HSA "
              "HYPERPAV ICLNAME IOASSIST IPLPARMS ISFC KEYALIAS LDEVs LKFAC LOADDEV MAXLDEV "
              "MDCACHE MDISK MISSING MULTITHread NAMESAVE NVS PAV PCIFUNCTION PINNED PORT PRIORSET "
              "PRODUCT PROMPT PVMSG QIOASSist RELODOMAIN RELOCATE REORDER RESOURCE RETRIEVE RUN "
              "SCMEASURE SDF SHUTDOWNTIME SIGNALS SRVPACKS SSI STP STGEXEMPT SUBSTITUTE SYSASCII "
              "SYSOPER SYSRES THROTTLE TOKEN TRFILES TRSAVE UCR UNDERSCORE UNRESOLVED VDISK VLANS "
              "VMLAN VMRELOCATE VRFREE WRKALLEG"},
    {"SET", "ACCOUNT AUTOLOG BMX CACHE CONCEAL CPCONIO CPUID DUMP D8ONECMD JOURNAL MACHine MIH "
            "MINWS MITIME MODE NOPDATA OBSERVER PAGING PASSWORD PRIVCLASS QDROP QUICKDSP RECORD "
            "RESERVEd RETRIEVE SASSIST SECUSER SHARE SHARED SIGNAL SRM STBYPASS STMULTI SVCACCL "
            "SVCVMM SYSOPER THROTTLE TIMEBOMB TIMEZONE TODEnable VMCONIO VMSAVE VTOD WRKALLEG "
            "370ACCOM 370E NIC PORT REORDER VSWITCH"},
    {"SPOOL", "CHars EOF NOEOF FCB FLash FORM IMage KEEP MODify MSG NAME NOMSG NOKEEP"},
    {"TERMINAL", "APL ATTN AUTOCR BREAKIn BRKKEY CHardel CONMode ESCAPE LINEDEL MASK MODE "
                 "PROMPT SCRNsave SYS3270 TABchar TEXT"},
    {"TRACE", "ALL CALL CCW CSW EXTernal GOTO IO I/O PROGram PRIV RETURN SIO SVC APPEND PRINTER "
              "TABLE"},
    {"TRANSFER", "FORM"},
};

bool cmd_option_absent(const char *command, const char *word)
{
    for (unsigned i = 0; i < sizeof(operands) / sizeof(*operands); i++)
        if (strcmp(operands[i].command, command) == 0)
            return among(operands[i].words, word);
    return false;
}

int cmd_bad_option(struct cmd *c, const char *module, const char *word)
{
    const char *command = c->table ? c->table->name : "";

    if (cmd_option_absent(command, word))
        return cmd_error(c, 7, "DMK%s007E %s %s IS NOT IN VM/KB", module, command, word);
    return cmd_error(c, 3, "DMK%s003E INVALID OPTION - %s", module, word);
}

int cmd_absent(struct cmd *c)
{
    for (unsigned i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
        if (strcmp(reasons[i].name, c->table->name) == 0)
            return cmd_error(c, 7, "DMKCFC007E %s IS NOT IN VM/KB: %s", reasons[i].name,
                             reasons[i].why);
    return cmd_error(c, 7, "DMKCFC007E %s IS NOT IN VM/KB", c->table->name);
}
