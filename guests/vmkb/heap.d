heap.o: service/tcpip/port/heap.c service/tcpip/port/heap.h lib/lib.h
service/tcpip/port/heap.h:
lib/lib.h:
