loss.o: service/tcpip/loss.c
