/* SPDX-License-Identifier: MIT */
/* Commands of CMS that are for what is not here: who types one is told why. They are looked for
 * behind all that are here. */
#include "among.h"
#include "commands.h"
#include "nucleus.h"

#define PROGRAMS "users' programs are EXECs; nothing is assembled or loaded"
#define EXECS "EXECs are read from disk each time"
#define TAPES "there are no tapes; SENDFILE and FTP move files"

static const struct {
    const char *name;
    uint8_t min;
    const char *why;         /* or 0 */
} absent[] = {
    {"ASSEMBLE", 1, PROGRAMS},
    {"DEFAULTS", 4, "type options with each command"},
    {"EXECDROP", 5, EXECS},
    {"EXECLOAD", 5, EXECS},
    {"EXECMAP", 5, EXECS},
    {"EXECSTAT", 5, EXECS},
    {"GENMOD", 3, PROGRAMS},
    {"GLOBAL", 6, PROGRAMS},
    {"INCLUDE", 3, PROGRAMS},
    {"LOAD", 2, PROGRAMS},
    {"LOADMOD", 5, PROGRAMS},
    {"MACLIB", 3, PROGRAMS},
    {"MODMAP", 3, PROGRAMS},
    {"NUCXLOAD", 5, PROGRAMS},
    {"NUCXMAP", 5, PROGRAMS},
    {"RUN", 3, PROGRAMS},
    {"SVCTRACE", 4, PROGRAMS},
    {"TAPE", 4, TAPES},
    {"TXTLIB", 3, PROGRAMS},
    {"UPDATE", 1, PROGRAMS},
    {"VMFPLC", 6, TAPES},
    {"VMLINK", 6, "CP LINK and ACCESS do it"},
    {"AMSERV", 6, 0},
    {"CATCHECK", 8, 0},
    {"CMSBATCH", 8, 0},
    {"CONVERT", 4, 0},
    {"CREATE", 3, 0},
    {"DDR", 3, 0},
    {"DEBUG", 5, 0},
    {"DIRLIST", 4, 0},
    {"DLBL", 4, 0},
    {"EDIT", 1, 0},
    {"FETCH", 3, 0},
    {"GENIMAGE", 8, 0},
    {"GETFMADR", 8, 0},
    {"GRANT", 5, 0},
    {"IMMCMD", 6, 0},
    {"LABELDEF", 8, 0},
    {"LISTDIR", 5, 0},
    {"LKED", 2, 0},
    {"MACLIST", 4, 0},
    {"NUCXDROP", 5, 0},
    {"OPTION", 6, 0},
    {"OSRUN", 5, 0},
    {"PROGMAP", 8, 0},
    {"RESERVE", 7, 0},
    {"REVOKE", 6, 0},
    {"SEGMENT", 7, 0},
    {"SETPRT", 4, 0},
    {"TAPEMAC", 7, 0},
    {"VALIDATE", 5, 0},
    {"XMITMSG", 7, 0},
    {"ASSGN", 5, 0},
    {"DOSLIB", 6, 0},
    {"DOSLKED", 7, 0},
    {"DSERV", 5, 0},
    {"ESERV", 5, 0},
    {"LISTDS", 6, 0},
    {"LISTIO", 6, 0},
    {"PSERV", 5, 0},
    {"RSERV", 5, 0},
    {"SSERV", 5, 0},
    {"TAPPDS", 6, 0},
    {"ZAP", 3, PROGRAMS},
};

/* Options of IBM's commands, and functions of QUERY and SET, by the letters of their messages;
 * capitals are the least abbreviation. */
static const struct {
    const char *module, *words;
} options[] = {
    {"ACC", "ERASE NODISK NOSave SAVEonly FORCERO FORCERW"},
    {"CPY", "EBcdic PAck UNPack SIngle BCDcase OLDMode"},
    {"ERS", "DIRectory FILes NODIRectory STACK LIFO FIFO"},
    {"FLD", "BLKSIZE BLOCK CHANGE NOCHANGE CONCAT DEN DISP DSORG KEYLEN LIMCT LOWCASE MEMBER "
            "OPTCD PERM TRACK UPCASE XTENT 7TRACK 9TRACK"},
    {"FOR", "Blksize Noerase Label Recomp"},
    {"HLP", "EXTend TYpe LINE MENU"},
    {"LST", "TRace ARGs XEDIT BLOCKs % SHAre ALLFile AUTHfile STats SEARCH BEFORE AFTER"},
    {"NAM", "XEDIT SIZE"},
    {"PRT", "TRC NOTRC MEMber HEX OVersize"},
    {"PUN", "MEMber"},
    {"QRY", "ALIAS APL AUTODUMP AUTHority BORDER CHARmode CMSREX COMDIR CURSOR DLIST EXECSTAT "
            "FILEPool HIDE INSTSEG KEY KEYPROTect LABELdef LIMITs LINEND LOCATION LOCK MAXIMIZE "
            "NAMEDEF NONDISP OPTion RESERVED ROUTE SEGMENT SERVER SHOW STORECLR SYSNames TEXT "
            "TRAPMSG UPSI WINDOW WMPF XEDIT"},
    {"RDR", "OLDDate NEWDate Fullprompt NOPrompt MINprompt NOTebook LOG NOLog Purge STack"},
    {"RNM", "UPdirt NOUPdirt"},
    {"SDS", "ACk NOAck CLass Filelist NEw Old LOG NOLog NETdata DIsk"},
    {"SET", "APL AUTODUMP BORDER CHARmode CMSPF COMDIR CURSOR FILEPool FILEWAIT FULLREAD INSTSEG "
            "KEYPROTect LINEND LOCATION NAMEDEF NONDISP NONSHARE RECOVERY RESERVED SERVER STORECLR "
            "SYSNAME TEXT THRESHOLD TRANslate UPSI WINDOW WMPF"},
    {"TYP", "MEMber"},
    {"XDC", "HEXType LPrefix PARSE PREFIX SI SUPerset TRAnsfer"},
    {"XIN", "UPDate NOUPDate Seq8 NOSeq8 CTL NOCtl Merge NOMerge UNTil SIDcode MEMber WINdow LOCK "
            "NOLOCK PACK"},
    {"XSE", "APL BRKkey COLPtr CTLchar ESCape ETARBCH ETMODE FILler LASTLorc MACRO NAMEtype "
            "NONDisp PACK PENDing SIDcode SPAN SPILL TERMinal TEXT TRANSLat UNDerline "
            "VARblank"},
};

bool cms_option_absent(const char *module, const char *option)
{
    for (unsigned i = 0; i < sizeof(options) / sizeof(*options); i++)
        if (strcmp(options[i].module, module) == 0)
            return among(options[i].words, option);
    return false;
}

int cms_bad_option(const char *module, const char *option)
{
    if (cms_option_absent(module, option))
        return cms_error(24, "DMS%s007E %s is not in VM/KB", module, option);
    return cms_error(24, "DMS%s003E Invalid option: %s", module, option);
}

int absent_command(const char *name)
{
    for (unsigned i = 0; i < sizeof(absent) / sizeof(*absent); i++)
        if (cms_is(name, absent[i].name, absent[i].min))
            return absent[i].why ? cms_error(24, "DMSABS007E %s is not in VM/KB: %s",
                                             absent[i].name, absent[i].why)
                                 : cms_error(24, "DMSABS007E %s is not in VM/KB", absent[i].name);
    return -3;
}

/* What needs nothing done here: all output is shown, and no OS simulation runs. */
CMS_COMMAND("CONWAIT", 7, cmd_nothing);
CMS_COMMAND("EXECOS", 6, cmd_nothing);
int cmd_nothing(struct cms_arg *arg)
{
    (void)arg;
    return 0;
}
