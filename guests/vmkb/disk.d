disk.o: service/tcpip/disk.c service/tcpip/disk.h include/diag.h fs/fs.h \
 fs/fs_format.h fs/param_fs.h
service/tcpip/disk.h:
include/diag.h:
fs/fs.h:
fs/fs_format.h:
fs/param_fs.h:
