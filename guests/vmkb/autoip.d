autoip.o: build/own/1f6c996f659d9694/lwip/lwip-own/src/core/ipv4/autoip.c \
 build/own/1f6c996f659d9694/lwip/lwip-own/src/include/lwip/opt.h \
 build/own/1f6c996f659d9694/options/lwipopts.h \
 service/tcpip/port/lwipopts.h service/tcpip/port/heap.h \
 build/own/1f6c996f659d9694/lwip/lwip-own/src/include/lwip/debug.h \
 build/own/1f6c996f659d9694/lwip/lwip-own/src/include/lwip/arch.h \
 service/tcpip/port/arch/cc.h
build/own/1f6c996f659d9694/lwip/lwip-own/src/include/lwip/opt.h:
build/own/1f6c996f659d9694/options/lwipopts.h:
service/tcpip/port/lwipopts.h:
service/tcpip/port/heap.h:
build/own/1f6c996f659d9694/lwip/lwip-own/src/include/lwip/debug.h:
build/own/1f6c996f659d9694/lwip/lwip-own/src/include/lwip/arch.h:
service/tcpip/port/arch/cc.h:
