dhcp.o: build/own/3916dc3c5d932f7d/lwip/lwip-own/src/core/ipv4/dhcp.c \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/opt.h \
 build/own/3916dc3c5d932f7d/options/lwipopts.h \
 service/tcpip/port/lwipopts.h service/tcpip/port/heap.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/debug.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/arch.h \
 service/tcpip/port/arch/cc.h service/tcpip/port/limits.h
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/opt.h:
build/own/3916dc3c5d932f7d/options/lwipopts.h:
service/tcpip/port/lwipopts.h:
service/tcpip/port/heap.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/debug.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/arch.h:
service/tcpip/port/arch/cc.h:
service/tcpip/port/limits.h:
