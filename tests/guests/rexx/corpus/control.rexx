/* SPDX-License-Identifier: MIT */
/* IF, SELECT, DO, CALL, SIGNAL, INTERPRET, the stack. */
/* -- counted loops -- */
do 3; call charout , 'x'; end; say
do i = 1 to 3; call charout , i' '; end; say i
do i = 3 to 1; say 'never'; end; say i
do i = 1 to 10 by 4; call charout , i' '; end; say i
do i = 10 to 1 by -3; call charout , i' '; end; say i
do i = 1 for 3; call charout , i' '; end; say i
do i = 1 by 2 for 3; call charout , i' '; end; say i
do i = 5 to 1 for 0; say 'never'; end; say i
do 0; say 'never'; end
do i = 1.5 to 3 by 0.5; call charout , i' '; end; say i
do i = -1 to 1; call charout , i' '; end; say i
do i = '2' to ' 4 '; call charout , '<'i'>'; end; say i
do i = 1 to 2 by 0.50; call charout , i' '; end; say i
/* -- order of limits -- */
do i = f('first', 1) by f('by', 2) to f('to', 4) for f('for', 9)
  say i
end
do i = f('first', 1) for f('for', 1) to f('to', 4) by f('by', 2)
  say i
end
exit
f: say arg(1); return arg(2)
/* -- while and until -- */
n = 0
do while n < 3; n = n + 1; call charout , n' '; end; say
do until n <= 0; n = n - 1; call charout , n' '; end; say
do i = 1 while i * i < 20; end; say i
do i = 1 until i * i > 20; end; say i
do until 1; say 'once'; end
do while 0; say 'never'; end
do i = 1 to 10 until i = 4; end; say i
do forever; n = n + 1; if n > 5 then leave; end; say n
/* -- leave and iterate -- */
do i = 1 to 4
  do j = 1 to 4
    if j = 2 then iterate
    if j = 4 then iterate i
    if i = 3 then leave i
    call charout , i'.'j' '
  end j
  say 'inner done'
end i
say i j
/* -- control variable changed -- */
do i = 1 to 10
  call charout , i' '
  if i = 3 then i = 7
end
say i
do i = 1 to 3
  limit = 1
  step = 5
end
say i
do a.1 = 1 to 2; call charout , a.1' '; end; say a.1
k = 2
do a.k = 1 to 4
  k = 2
end
say a.2
/* -- nested if -- */
do a = 0 to 1
  do c = 0 to 1
    if a then if c then say a c 'both'; else say a c 'a only'
    else if c then say a c 'c only'
    else nop
  end
end
if 1 then
  say 'next line'
else
  say 'not'
if 0 then nop; else; say 'after else'
/* -- select -- */
do i = 1 to 4
  select
    when i = 1 then say 'one'
    when i = 2 then do
      say 'two'
      say 'more'
    end
    when i = 3 then nop
    otherwise
      say 'other'
      say 'still other'
  end
end
select
  when 0 then say 'no'
  otherwise
end
select; when 1 then say 'first'; when 1 then say 'second'; end
/* -- select falls through -- */
select
  when 0 then say 'no'
end
/* -- expressions as conditions -- */
if (1 = 1) & \(2 > 3) | 0 then say 'yes'
if 'abc' = 'abc ' then say 'padded'
if 'abc' == 'abc ' then say 'strict'; else say 'not strictly'
if 1 && 1 then say 'both'; else say 'xor'
/* -- calls and results -- */
call two 5
say result
x = two(6)
say x result
call none
say symbol('RESULT')
say two(two(two(1)))
exit
two: return arg(1) * 2
none: return
/* -- quoted names are not labels -- */
say 'LENGTH'('abcd')
say length('ab')
exit
length: return 'my own' 'LENGTH'(arg(1))
/* -- procedure -- */
a = 1; c = 2; s.1 = 'x'; s.2 = 'y'
call p
say a c s.1 s.2 symbol('D')
call q
say a c s.1 s.2
exit
p: procedure expose a s.
  say a c s.1 s.2
  a = 10; c = 20; d = 30; s.1 = 'changed'
  return
q: procedure
  say a c s.1
  a = 99; s. = 'gone'
  return
/* -- expose lists -- */
list = 'one two'
one = 1; two = 2; three = 3
call sub
say one two three
exit
sub: procedure expose (list)
  say one two symbol('THREE') list
  one = 'changed'
  three = 'not seen'
  return
/* -- expose through levels -- */
n = 0
call a
say n
exit
a: procedure expose n
  n = n + 1
  call b
  return
b: procedure expose n
  n = n + 10
  call c
  return
c: n = n + 100
  return
/* -- exposed compounds -- */
i = 2
s.1 = 'one'; s.2 = 'two'
call sub
say s.1 s.2
exit
sub: procedure expose i s.i
  say s.i symbol('S.1')
  s.i = 'changed'
  return
/* -- recursion keeps its own -- */
say depth(5)
exit
depth: procedure
  arg n
  if n = 0 then return ''
  r = depth(n - 1)
  return n r
/* -- dynamic names -- */
n = 'three'
call value n, 3
say three value('N') value('three')
say value('N', 'x') n
s.5 = 'five'
i = 5
say value('s.i') value('S.5') value('s.'i)
/* -- signal -- */
say 'before'
signal over
say 'never'
over: say 'after' sigl
x = 'THERE'
signal value x
here: say 'not here'
there: say 'there' sigl
signal value 'LA' || 'ST'
exit
last: say 'last'
/* -- signal ends loops -- */
do i = 1 to 3
  do j = 1 to 3
    if i = 2 then signal out
  end
end
out: say i j
do i = 1 to 2; say i; end
/* -- signal from a routine -- */
call sub
say 'returned'
exit
sub: signal elsewhere
elsewhere: say 'elsewhere' sigl
return
/* -- interpret -- */
interpret 'say 1 + 1'
interpret 'x = 5; y = x * 2; say x y'
s = 'do k = 1 to 3; say k; end'
interpret s
interpret 'if x = 5 then' 'say "five"'
interpret ''
interpret 'say "nested"; interpret "say ''deeper''"'
interpret 'call sub x'
say result
interpret 'parse value "a b c" with p q'
say p q
exit
sub: return arg(1) + 1
/* -- interpret leaves nothing -- */
do i = 1 to 3
  interpret 'v'i '=' i * i
end
say v1 v2 v3
interpret 'do 2; say "twice"; end; x = 1'
say x
/* -- stack -- */
push 1; push 2; queue 3
say queued()
do queued(); pull x; call charout , x' '; end; say
queue; say queued(); pull x; say '<'||x'>'
push 'a' 'b'; parse pull x y; say y x
/* -- stack across routines -- */
call fill 3
do while queued() > 0; parse pull l; say l; end
exit
fill: do n = 1 to arg(1); queue 'line' n; end; return
/* -- comments -- */
say 'a' /* one */ 'b' /* two /* nested */ still */ 'c'
say 'split' /* over
lines */ 'here'
say 'not a /* comment */'
x = 5 /**/ + /* */ 1; say x
/* -- continuation -- */
say 'one',
  'two',
  'three'
x = 1 + ,
  2
say x
call sub 1, ,
  3
exit
sub: say arg() arg(1) '<'arg(2)'>' arg(3); return
/* -- semicolons -- */
say 1; say 2;; say 3
;;; say 4;
x = 5; ; say x
/* -- labels anywhere -- */
a: b: say 'two labels'
n = n + 0
say 'not reached'
/* -- keywords as variables -- */
do = 1; if = 2; end = 3; then = 4; say do if end then
say = 'say'; say say
do do = 1 to 2; say do; end
parse = 'x'; call = 'y'; say parse call
/* -- drop -- */
a = 1; c = 2; s.1 = 'x'; s. = 'all'; s.2 = 'two'
drop a s.2
say a c s.1 s.2 symbol('S.2')
drop s.
say s.1 symbol('S.1')
list = 'a c'
drop (list)
say a c list
i = 7; t.i = 'seven'; drop t.i; say t.7
/* -- stems -- */
s. = 0
s.a = 1
say s.a s.b s.A s.anything
a = 'x y'; s.a = 'blank'; say s.a
n = 1; m = 2; t.n.m = 'matrix'; say t.1.2 t.n.2 t.m.n
s.1.2 = 'a'; x = '1.2'; say s.x
u.i = 'unset i'; say u.i u.I
s. = 'new'; say s.a s.1.2
e = ''; s.e = 'empty'; say s.e
low = 'abc'; s.low = 'lower'; up = 'ABC'; say s.up s.low
/* -- exit with values -- */
call sub
say 'back'
exit 3
sub: say 'in sub'; return 5
/* -- exit from a routine -- */
call sub
say 'never'
sub: say 'in sub'
exit
/* -- falling into a label -- */
x = 1
sub: say 'x is' x
if x = 2 then return
x = 2
call sub
say 'back'
/* -- the end of the text in a routine -- */
call sub
say 'never'
sub: say 'in sub'
/* -- blanks in operators -- */
say 345 > = 123 345 < = 123 5 \ = 6 2 * * 3 7 / / 4 'a' | | 'b' 1 & & 1 3 = = 3 3 \ = = 4
say 5 > = 6 'a' < < 'b' 'b' > > = 'a'
x = 3 = = 3
say x
/* -- blank and abuttal -- */
a = 3
say a'%' a '%' a||'%' (a)(a) a(a)
exit
a: return '<'arg(1)'>'
/* -- upper -- */
x = 'abc'; y = 'dEf'; s.1 = 'q'
upper x y s.1
say x y s.1
/* -- long chain -- */
x = ''
do i = 1 to 200
  x = x || i // 10
end
say length(x) right(x, 20)
s = copies('abc', 1000)
say length(s) pos('cab', s, 2999) lastpos('abc', s)
/* -- built-in named like a variable -- */
length = 5
word = 'x'
say length length('abc') word word('a b', 2)
/* -- arguments omitted -- */
call f , 2
call f 1, , 3
call f ''
exit
f: say arg() arg(1, 'e')arg(2, 'e')arg(3, 'e') arg(1, 'o') '<'arg(1)'>' '<'arg(3)'>'; return
