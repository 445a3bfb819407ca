netif.o: build/own/3916dc3c5d932f7d/lwip/lwip-own/src/core/netif.c \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/opt.h \
 build/own/3916dc3c5d932f7d/options/lwipopts.h \
 service/tcpip/port/lwipopts.h service/tcpip/port/heap.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/debug.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/arch.h \
 service/tcpip/port/arch/cc.h service/tcpip/port/limits.h \
 service/tcpip/port/string.h lib/lib.h service/tcpip/port/stdlib.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/def.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip_addr.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip4_addr.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip6_addr.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/def.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/netif.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/err.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/pbuf.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/stats.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/mem.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/memp.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/priv/memp_std.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/priv/memp_priv.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/priv/tcp_priv.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/tcp.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/tcpbase.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip4.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/ip4.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip6.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/ip.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/icmp.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/icmp.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/tcp.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/udp.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/udp.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/priv/raw_priv.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/raw.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/snmp.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/igmp.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/etharp.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/ethernet.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/ieee.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/etharp.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/sys.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/netif/ethernet.h
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/opt.h:
build/own/3916dc3c5d932f7d/options/lwipopts.h:
service/tcpip/port/lwipopts.h:
service/tcpip/port/heap.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/debug.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/arch.h:
service/tcpip/port/arch/cc.h:
service/tcpip/port/limits.h:
service/tcpip/port/string.h:
lib/lib.h:
service/tcpip/port/stdlib.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/def.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip_addr.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip4_addr.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip6_addr.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/def.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/netif.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/err.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/pbuf.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/stats.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/mem.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/memp.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/priv/memp_std.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/priv/memp_priv.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/priv/tcp_priv.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/tcp.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/tcpbase.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip4.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/ip4.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip6.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/ip.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/icmp.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/icmp.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/tcp.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/udp.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/udp.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/priv/raw_priv.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/raw.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/snmp.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/igmp.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/etharp.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/ethernet.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/ieee.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/etharp.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/sys.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/netif/ethernet.h:
