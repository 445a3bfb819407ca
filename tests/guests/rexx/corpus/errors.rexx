/* SPDX-License-Identifier: MIT */
/* What is wrong, one thing a program: the error and its line. */
/* -- unmatched quote -- */
say 'abc
/* -- unmatched comment -- */
/* abc
/* -- when expected -- */
select
  say 1
end
/* -- unexpected then -- */
then say 1
/* -- unexpected else -- */
else say 1
/* -- unexpected when -- */
when 1 then say 1
/* -- unexpected end -- */
say 1
end
/* -- wrong end -- */
do i = 1 to 2
end j
/* -- incomplete do -- */
do
say 1
/* -- incomplete if -- */
if 1 then
/* -- incomplete select -- */
select
when 1 then say 1
/* -- hexadecimal string -- */
say 'xg'x
/* -- binary string -- */
say '012'b
/* -- hexadecimal blanks -- */
say ' 41'x
/* -- label -- */
signal nowhere
/* -- call of nothing -- */
call nowhere
/* -- function of nothing -- */
say nowhere(1)
/* -- unexpected procedure -- */
say 1
procedure
/* -- then expected -- */
if 1 say 2
/* -- when without then -- */
select; when 1 say 2; end
/* -- symbol expected -- */
call 5 +
/* -- drop of nothing -- */
drop
/* -- upper of nothing -- */
upper
/* -- end of clause -- */
leave 5
/* -- trace request -- */
trace q
/* -- sub keyword -- */
numeric size 5
/* -- parse sub keyword -- */
parse nothing a
/* -- signal on -- */
signal on nonsense
/* -- whole number -- */
do 1.5; end
/* -- do syntax -- */
do i = 1 to 2 to 3; end
/* -- leave -- */
leave
/* -- iterate -- */
iterate
/* -- leave of another -- */
do i = 1 to 2; leave j; end
/* -- assignment to a number -- */
3 = 4
/* -- assignment to a period -- */
.x = 4
/* -- expression ends -- */
say 1 +
/* -- two operators -- */
say 1 * / 2
/* -- bracket -- */
say (1 + 2
/* -- bracket that closes -- */
say 1 + 2)
/* -- comma -- */
say 1, 2
/* -- function bracket -- */
say left('a', 2
/* -- template -- */
parse value 'a' with 'x
/* -- template bracket -- */
parse value 'a' with (x
/* -- template sign -- */
parse value 'a' with + b
/* -- bad call -- */
say substr('a')
/* -- bad number -- */
say 'a' * 2
/* -- prefix -- */
say -'a'
/* -- division by zero -- */
say 5 / 0
/* -- remainder of zero -- */
say 5 // 0
/* -- integer division by zero -- */
say 5 % 0
/* -- overflow -- */
say 9e999999999 * 10
/* -- too whole -- */
say 1e20 % 3
/* -- no data -- */
say f()
exit
f: return
/* -- logical if -- */
if 'x' then say 1
/* -- logical not -- */
say \ 5
/* -- interpret -- */
interpret 'say ('
/* -- interpret label -- */
interpret 'a: say 1'
/* -- invalid character -- */
say 1 ` 2
/* -- do of a stem -- */
numeric form nonsense
/* -- with -- */
parse value 'a'
/* -- arg of a number -- */
arg 5x
/* -- address -- */
address 'abcdefghijk'
/* -- name of a label -- */
call 'a b' c
/* -- select with else -- */
select; when 1 then nop; else nop; end
/* -- otherwise alone -- */
otherwise
/* -- while and to -- */
do while 1 to 5; end
/* -- forever and count -- */
do forever 5; end
/* -- power -- */
say 2 ** 'x'
/* -- exponent -- */
say 2 ** 1.5
/* -- value of nothing -- */
say value('')
/* -- symbol of much -- */
say symbol()
/* -- sourceline -- */
say sourceline(99)
/* -- errortext -- */
say errortext(200)
/* -- format too narrow -- */
say format(1234, 2)
/* -- too few digits -- */
numeric digits 3
numeric fuzz 3
/* -- digits of nothing -- */
numeric digits 'x'
/* -- string of bytes -- */
say x2c('4')x2c('q')
/* -- arg -- */
say arg(0)
/* -- random -- */
say random(5, 1)
/* -- two labels -- */
call a
exit
a: say 1
exit
a: say 2
/* -- end in if -- */
if 1 then do
say 1
end j
/* -- call on -- */
call on syntax
/* -- queue -- */
push )
/* -- options -- */
say )
/* -- operator at first -- */
say * 2
/* -- not at last -- */
say 1 \
/* -- comparison -- */
say 1 = = 2
/* -- exit -- */
exit )
/* -- return -- */
return (
/* -- then of when -- */
select; when 1; then say 2; end
/* -- colon -- */
say a: b
/* -- semicolon in brackets -- */
say (1; 2)
