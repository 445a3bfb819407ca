/* SPDX-License-Identifier: MIT */
/* Variables and constants where they lie: what finds them again, and what must not be missed. */
/* -- forms of a number keep their text -- */
a = '05'; b = ' 5 '; c = 5.0; d = '+5'; e = 1E3; f = 5
say a a + 0 '<'b'>' b + 0 c c + 0 d d + 0 e e + 0 f
say (a = f) (a == f) (b = f) (b == f) (c = f) (c == f) (d = f) (e = 1000) (e == 1000)
x. = 'none'; x.5 = 'five'
say x.a x.b x.c x.d x.e x.f x.05 x.5
a = a + 1; c = c * 1; say a c length(b) length(d) length(e)
/* -- digits change between assignment and use -- */
x = 123456789; y = 123456; z = 99999
numeric digits 5
say x y z x + 0 y + 0 y + 1 z + 1 y - 123456 (x = 123456788) (y = 123457) y * 10 y % 7 y // 7
say x y; x = x + 0; say x
numeric digits 9
say x y + 1 (y = 123457) x + 1
numeric digits 12
do i = 999999998 to 1000000001; say i i + 1; end
numeric digits 3
do i = 998 to 1002 for 5; say i; end
/* -- fuzz decides about comparisons -- */
numeric digits 5; numeric fuzz 1
say (12345 = 12349) (12345 < 12346) (12345 == 12349) (1 = 1) (12 > 11)
numeric fuzz 0
say (12345 = 12349) (12345 < 12346)
do i = 10000 to 10003; say i; end
/* -- procedure and expose find their own variables -- */
x = 1; y = 2; s.1 = 'mine'; i = 1
do i = 1 to 3; call p i; call q i; say 'main' x y i s.1 symbol('Z'); end
say r(4) x y i
exit
p: procedure; arg x; y = x * 2; i = 99; z = x; say 'p' x y i z symbol('S.1'); return
q: procedure expose y s.; arg x; y = y + x; i = y; s.1 = s.1 x; say 'q' x y i s.1; return
r: procedure expose x; arg n; y = n; x = x + 1; if n > 0 then y = r(n - 1) + n; return y
/* -- recursion keeps each level's variables -- */
say fib(12) depth(6)
exit
fib: procedure; arg n; if n < 2 then return n; a = fib(n - 1); b = fib(n - 2); return a + b
depth: procedure; arg n; m = n * 10; if n = 0 then return 0; below = depth(n - 1); return m + below
/* -- drop and use again -- */
x = 5; do 3; say x x + 1; x = x + 1; end
drop x; say x symbol('X'); x = 7; say x + 1
a.3 = 1; a.x = 2; say a.3 a.7; drop a.3; say a.3 a.7 symbol('A.3'); a.3 = 4; say a.3 + a.7; drop a.; say a.3 a.7
a. = 0; say a.3 a.9; a.3 = a.3 + 1; say a.3; drop a.3; say a.3 a.4; a. = 8; say a.3 a.4
/* -- interpret assigns what is in use -- */
x = 1; y = 'X'
do i = 1 to 4
  interpret 'x = x +' i; interpret y '=' y '* 2'; say x i
  interpret 'a.'i '= x'; if i = 3 then interpret 'drop x; x = 0'
end
say a.1 a.2 a.3 a.4 x
i = 1; interpret 'do i = i to 3; say i x; end'; say i
/* -- value and symbol see what is in use -- */
do i = 1 to 3; x = i; old = value('x', x * 10); say i x old value('x') symbol('x') value('i'); end
k = 2; t.2 = 'two'; say value('t.k') symbol('t.k') symbol('t.9'); k = '02'; say value('t.k') symbol('t.k')
drop x; say symbol('x') value('x'); say value('q', 1) + value('q') q
/* -- tails that are numbers, and texts like them -- */
do i = 0 to 40; a.i = i * i; end; say a.0 a.7 a.40 a.41
a.07 = 'text'; a.7.0 = 'two'; k = '7'; say a.k a.07 a.7.0; k = 7.0; say a.k; k = '7 '; say '<'a.k'>'; k = +7; say a.k
k = -1; a.k = 'minus'; say a.k; k = 10 ** 5; a.k = 'far'; say a.k a.100000
do i = 60 to 1 by -1; d.i = i; end; n = 0; do i = 1 to 60; n = n + d.i; end; say n d.60 d.1
do i = 1 to 200 by 7; e.i = i; end; do i = 1 to 200; e.i = i; end; n = 0; do i = 1 to 200; n = n + e.i; end; say n
/* -- numbered and other tails of one stem -- */
do i = 1 to 30; k = 'k'i; a.k = i; a.i = k; end
say a.k1 a.k30 a.1 a.30; n = 0; do i = 1 to 30; k = a.i; n = n + a.k; end; say n
drop a.; say a.1 a.k1; a. = 'all'; say a.1 a.k1; a.5 = 'five'; a. = 'new'; say a.5 a.1
/* -- single tails exposed -- */
a.1 = 'one'; a.2 = 'two'; k = 2; call p; say a.1 a.2 a.3 a.k; exit
p: procedure expose k a.k a.1; say a.1 a.2 a.3; a.1 = a.1 'p'; a.2 = a.2 'p'; a.3 = 'lost'; k = 1; call q; return
q: procedure expose a.; say a.1 a.2 a.3; a.2 = 'q'; return
/* -- loops whose variable or limit changes -- */
n = 5; do i = 1 to n; n = 2; say i n; end; say i
do i = 1 to 9; say i; i = i + 3; end; say i
do i = 1 to 3; say i; if i = 2 then i = 2.5; end; say i
do i = 1 to 2; say i; i = '0'i; end; say i
do i = 1 by 0 for 3; say i; end; do i = 3 to 1; say 'never'; end; say i
do i = 1 to 2 by .5; say i; end; do i = 2 to 1 by -1; say i; end; do i = 1.0 to 2; say i; end; say i
/* -- a loop's variable that becomes a text -- */
do i = 1 to 5; if i = 3 then i = 'x'; say i; end
/* -- novalue of an operand -- */
signal on novalue
x = 1; do i = 1 to 3; if i = 2 then drop x; say x + i; end; exit
novalue: say 'no value' condition('D') sigl i
/* -- novalue of a second operand -- */
signal on novalue; x = 3
if x = nothing then say 'equal'
novalue: say 'no value' condition('D') sigl
/* -- errors in operands -- */
signal on syntax name one
x = 'abc'; y = 1 + x
one: say rc sigl; signal on syntax name two; y = x - 1
two: say rc sigl; signal on syntax name three; if x > 1 & 2 then say 'no'
three: say rc sigl; signal on syntax name four; do i = 1 to x; end
four: say rc sigl; signal on syntax name five; x = 999999999; numeric digits 9; y = x * 1E999999999
five: say rc sigl
/* -- comparing texts and numbers -- */
a = 'DS'; b = 'DS '; c = ' DS'; d = 'ds'; e = ''; f = '  '; g = '1E1'; h = 10; n = '.'; p = 'E1'
say (a = b) (a = c) (a == b) (a = d) (e = f) (e == f) (g = h) (g == h) (a = e) (e = a) (a = h) (h = a) (n = h)
say (a \= b) (a \= c) (a \= d) (e \= f) (g \= h) (p = g) (a < b) (a > d) (a <= c) (f < a) (e < a) (h > g) (h >= g) (n < a)
say ('DSX' = 'DS') ('DS' = 'DSX') ('DS X' = 'DS') ('a' = 'A') ('-' = '-') ('+1' = 1) ('- 1' = -1) ('1 2' = '1 2')
/* -- whole numbers that are parsed -- */
parse value 12 with x; say x x + 1; parse value 12 with x y; say x'.'y'.'; parse value 1234 with a 3 b; say a b
i = 5; parse var i i; say i + 1; parse var i j .; say j; call p 7, 8, , 'a 9'; exit
p: arg k, l, m, n; say k + l'.'m'.'n; arg k l, m; say k'.'l'.'m'.'; parse arg x, y; x = x * y; say x arg(1) arg(2) arg()
