words.o: service/tcpip/words.c service/tcpip/words.h lib/lib.h \
 lib/ctype.h
service/tcpip/words.h:
lib/lib.h:
lib/ctype.h:
