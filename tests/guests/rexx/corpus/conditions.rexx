/* SPDX-License-Identifier: MIT */
/* SIGNAL ON and CALL ON. */
/* -- syntax -- */
signal on syntax
say 'a' + 1
say 'never'
syntax: say 'error' rc 'line' sigl errortext(41) = errortext(rc)
/* -- syntax again -- */
n = 0
again:
n = n + 1
if n > 3 then exit
signal on syntax name oops
say 1 / 0
oops: say n rc sigl
signal again
/* -- only once -- */
signal on syntax
x = 1 / 0
syntax: say 'first' rc
x = 'a' + 1
/* -- off -- */
signal on syntax
signal off syntax
say 2 + 'x'
syntax: say 'never'
/* -- novalue -- */
signal on novalue
x = 1
say x
say y
novalue: say condition('c') condition('d') condition('i') sigl
/* -- novalue of a compound -- */
signal on novalue name lost
i = 3
s.1 = 'x'
say s.1
say s.i.j
lost: say condition('d') sigl
/* -- novalue of stems -- */
signal on novalue name lost
s. = 'all'
say s.1 s.anything
drop s.2
say s.2
lost: say condition('d')
/* -- novalue in parse -- */
signal on novalue name lost
parse var nothing a c
say 'never'
lost: say condition('d') sigl
/* -- novalue in a pattern -- */
signal on novalue name lost
parse value 'a b' with x (unset) y
say 'never'
lost: say condition('d')
/* -- novalue is not for symbol -- */
signal on novalue name lost
say symbol('unset') datatype('unset')
drop unset
x = 'unset'
say symbol('x')
t.unset = 5
say t.unset
exit
lost: say 'lost' condition('d')
/* -- condition before any -- */
say '<'condition('c')'>' '<'condition()'>' '<'condition('d')'>' '<'condition('s')'>'
/* -- traps of a routine -- */
signal on syntax name outer
call sub
say 'back'
say 'x' * 2
exit
sub:
  signal on syntax name inner
  say 1 / 0
inner: say 'inner' rc
  return
outer: say 'outer' rc sigl
/* -- a routine inherits -- */
signal on syntax name trap
call sub
say 'never'
exit
sub: procedure
  x = 'abc' + 1
  return
trap: say 'trapped' rc sigl
exit
/* -- trap in a loop -- */
do i = 1 to 3
  call try i
end
exit
try:
  signal on syntax name failed
  say i 6 / (2 - i)
  return
failed: say i 'failed with' rc
  return
/* -- trap in interpret -- */
signal on syntax
interpret 'x = 1; y = x / 0; say "never"'
syntax: say rc sigl
/* -- value lists -- */
signal on syntax name list
numeric digits 0
list: say rc
/* -- wrong number of arguments -- */
signal on syntax
say left('abc')
syntax: say rc sigl
/* -- arguments that are wrong -- */
do i = 1 to 8
  call try i
end
exit
try: procedure
  arg n
  signal on syntax name bad
  select
    when n = 1 then say substr('abc', 0)
    when n = 2 then say left('abc', -1)
    when n = 3 then say copies('a', 'x')
    when n = 4 then say x2c('xyz')
    when n = 5 then say d2x(-1)
    when n = 6 then say word('a b', 0)
    when n = 7 then say center('a', 5, 'xx')
    when n = 8 then say datatype('a', 'Q')
  end
  return
bad: say n rc
  return
/* -- logical values -- */
do i = 1 to 6
  call try i
end
exit
try: procedure
  arg n
  signal on syntax name bad
  select
    when n = 1 then if 2 then nop
    when n = 2 then say 'a' & 1
    when n = 3 then say \'x'
    when n = 4 then do while 'y'; end
    when n = 5 then say 1 | 3
    when n = 6 then do until 5; end
  end
  say 'fine' n
  return
bad: say n rc
  return
/* -- whole numbers -- */
do i = 1 to 7
  call try i
end
exit
try: procedure
  arg n
  signal on syntax name bad
  select
    when n = 1 then do 'x'; end
    when n = 2 then do 1.5; end
    when n = 3 then do -1; end
    when n = 4 then say 2 ** 1.5
    when n = 5 then numeric fuzz 'x'
    when n = 6 then do i = 1 to 'x'; end
    when n = 7 then do i = 1 for 1.2; end
  end
  say 'fine' n
  return
bad: say n rc
  return
/* -- halt is settable -- */
call on halt name stop
signal on halt
say 'fine'
call off halt
say 'off'
exit
stop: return
/* -- sigl of calls -- */
call sub
x = sub()
exit
sub: say sigl
  return ''
/* -- condition in a routine -- */
signal on novalue name here
say unset
here: call show
say condition('c') condition('d')
exit
show: procedure
  say condition('c') condition('d')
  return
/* -- states -- */
signal on novalue name a
say unset
a: say condition('s')
signal on novalue name b
say condition('s')
say unset2
b: say condition('d') condition('s')
