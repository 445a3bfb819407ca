/* SPDX-License-Identifier: MIT */
/* PARSE, ARG and PULL. */
/* -- words -- */
parse value '  one   two three  four ' with a b c
say '<'a'>' '<'||b'>' '<'c'>'
parse value 'one' with a b c
say '<'a'>' '<'||b'>' '<'c'>'
parse value '' with a b
say '<'a'>' '<'||b'>'
parse value '   ' with a
say '<'a'>'
/* -- placeholders -- */
parse value 'one two three four' with . second . rest
say second '/' rest
parse value 'one two three' with . . . last
say '<'last'>'
parse value 'one two three' with first .
say first
/* -- literals -- */
parse value 'key=value; other=x' with k '=' v ';' rest
say '<'k'>' '<'v'>' '<'rest'>'
parse value 'nothing here' with a ',' c
say '<'a'>' '<'c'>'
parse value 'a,b,,d' with a ',' x ',' y ',' z ',' q
say '<'a'>' '<'||x'>' '<'y'>' '<'z'>' '<'q'>'
parse value ',a' with x ',' y
say '<'||x'>' '<'y'>'
/* -- null literal -- */
parse value 'abc def' with x '' y
say '<'||x'>' '<'y'>'
/* -- columns -- */
parse value '1234567890' with a 3 d 6 e
say a d e
parse value '1234567890' with 4 a 2 e 5
say a e
parse value '12345' with 3 a 20 c
say '<'a'>' '<'c'>'
parse value 'abcdef' with a 1 c 1 d
say a c d
parse value 'abcdef' with 0 a 3 c
say '<'a'>' '<'c'>'
/* -- relative -- */
parse value 'abcdefghij' with a +3 c +2 d
say a c d
parse value 'abcdefghij' with 5 a +2 -4 c +3
say a c
parse value 'abcdef' with 3 a -1 c
say '<'a'>' '<'c'>'
parse value 'abcdef' with a +0 c
say '<'a'>' '<'c'>'
parse value 'abcdef' with x 'c' +1 y
say '<'||x'>' '<'y'>'
parse value 'abcdef' with x 'c' +0 y
say '<'||x'>' '<'y'>'
parse value 'abcdef' with 'd' -2 y +3 z
say '<'y'>' '<'z'>'
parse value 'abcdef' with 'q' -2 y
say '<'y'>'
/* -- equals -- */
parse value 'abcdefgh' with =3 a =5 c
say a c
n = 4
parse value 'abcdefgh' with =(n) a +(n) c
say '<'a'>' '<'c'>'
parse value 'abcdefgh' with 7 a -(n) c
say '<'a'>' '<'c'>'
/* -- variable patterns -- */
d = '--'
parse value 'left--right--more' with a (d) c (d) e
say a c e
d = ''
parse value 'left right' with a (d) c
say '<'a'>' '<'c'>'
parse value 'xaybz' with c +1 2 p +1 (p) rest
say '<'c'>' '<'p'>' '<'rest'>'
/* -- self -- */
text = 'one two three'
do while text \= ''
  parse var text w text
  say w length(text)
end
a = 'x y'
parse var a a b
say a b
parse var a b a
say '<'a'>' '<'||b'>'
/* -- upper -- */
parse upper value 'Mixed Case text' with a b
say a b
arg x
say '<'||x'>'
parse upper var a q
say q
/* -- compound targets -- */
i = 3
parse value 'one two three' with s.1 s.i s.i.2
say s.1 s.3 s.3.2
i = 1
parse value '2 x y' with i s.i t.i
say i s.2 t.2
parse value 'all' with s.
say s.1 s.anything
/* -- arguments -- */
call sub 'one two', 'THREE', , 'five'
call sub
call sub 'a, b'
exit
sub:
  parse arg a b, c, d, e
  say arg() '<'a'>' '<'||b'>' '<'c'>' '<'d'>' '<'e'>'
  arg f, g
  say '<'f'>' '<'g'>' arg(1, 'e') arg(3, 'o') arg(4, 'E')
  return
/* -- queue -- */
queue 'first line'
push 'Pushed Line'
queue '  blanks  '
queue ''
pull a b
say a b
parse pull a b
say a b
parse pull a
say '<'a'>'
parse pull a
say '<'a'>' queued()
/* -- several templates -- */
parse value 'one two, three' with a, c
say '<'a'>' '<'c'>'
parse value 'x' with a, c
say '<'a'>' '<'c'>'
/* -- source and version -- */
parse source a .
say a \= ''
parse version v .
say left(v, 4)
/* -- numeric -- */
parse numeric d f form
say d f form
numeric digits 12; numeric fuzz 2; numeric form engineering
parse numeric all
say all
/* -- numbers as values -- */
x = 12.50
parse var x whole '.' part
say whole part
parse value 1/3 with . '.' digits
say digits
parse value 7 * 6 with a
say a
/* -- quotes -- */
parse value "it's ""so""" with a '"' c '"' d
say '<'a'>' '<'c'>' '<'d'>'
parse value 'a''b' with a "'" c
say a c
/* -- longer text -- */
date = '22 Nov 2026 13:05:09.25'
parse var date day month year hour ':' minute ':' second '.' part
say day month year hour minute second part
parse var date 4 month +3 . 13 time
say month time
/* -- tail of words -- */
parse value ' a  b  c ' with x y
say '<'||x'>' '<'y'>'
parse value ' a  b  c ' with x y z
say '<'z'>'
parse value ' a  b  c ' with x y z ''
say '<'z'>'
parse value ' a  b  c ' with x y 20
say '<'y'>'
parse value ' a ' with x 20
say '<'||x'>'
parse value ' a  b' with x . 20
say '<'||x'>'
