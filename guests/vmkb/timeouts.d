timeouts.o: build/own/3916dc3c5d932f7d/lwip/lwip-own/src/core/timeouts.c \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/opt.h \
 build/own/3916dc3c5d932f7d/options/lwipopts.h \
 service/tcpip/port/lwipopts.h service/tcpip/port/heap.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/debug.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/arch.h \
 service/tcpip/port/arch/cc.h service/tcpip/port/limits.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/timeouts.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/err.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/priv/tcp_priv.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/tcp.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/tcpbase.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/mem.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/pbuf.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/def.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip_addr.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip4_addr.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip6_addr.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/def.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/netif.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/stats.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/memp.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/priv/memp_std.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/priv/memp_priv.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip4.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/ip4.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip6.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/ip.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/icmp.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/icmp.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/tcp.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/priv/tcpip_priv.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip4_frag.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/etharp.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/ethernet.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/ieee.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/etharp.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/dhcp.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/autoip.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/igmp.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/dns.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/nd6.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip6_frag.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/mld6.h \
 build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/sys.h
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/opt.h:
build/own/3916dc3c5d932f7d/options/lwipopts.h:
service/tcpip/port/lwipopts.h:
service/tcpip/port/heap.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/debug.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/arch.h:
service/tcpip/port/arch/cc.h:
service/tcpip/port/limits.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/timeouts.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/err.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/priv/tcp_priv.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/tcp.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/tcpbase.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/mem.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/pbuf.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/def.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip_addr.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip4_addr.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip6_addr.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/def.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/netif.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/stats.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/memp.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/priv/memp_std.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/priv/memp_priv.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip4.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/ip4.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip6.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/ip.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/icmp.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/icmp.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/tcp.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/priv/tcpip_priv.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip4_frag.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/etharp.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/ethernet.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/ieee.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/prot/etharp.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/dhcp.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/autoip.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/igmp.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/dns.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/nd6.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/ip6_frag.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/mld6.h:
build/own/3916dc3c5d932f7d/lwip/lwip-own/src/include/lwip/sys.h:
