acd.o: build/own/c37b6b718a6f3c8b/lwip/lwip-own/src/core/ipv4/acd.c \
 build/own/c37b6b718a6f3c8b/lwip/lwip-own/src/include/lwip/opt.h \
 build/own/c37b6b718a6f3c8b/options/lwipopts.h \
 service/tcpip/port/lwipopts.h service/tcpip/port/heap.h \
 build/own/c37b6b718a6f3c8b/lwip/lwip-own/src/include/lwip/debug.h \
 build/own/c37b6b718a6f3c8b/lwip/lwip-own/src/include/lwip/arch.h \
 service/tcpip/port/arch/cc.h service/tcpip/port/limits.h
build/own/c37b6b718a6f3c8b/lwip/lwip-own/src/include/lwip/opt.h:
build/own/c37b6b718a6f3c8b/options/lwipopts.h:
service/tcpip/port/lwipopts.h:
service/tcpip/port/heap.h:
build/own/c37b6b718a6f3c8b/lwip/lwip-own/src/include/lwip/debug.h:
build/own/c37b6b718a6f3c8b/lwip/lwip-own/src/include/lwip/arch.h:
service/tcpip/port/arch/cc.h:
service/tcpip/port/limits.h:
