/* SPDX-License-Identifier: MIT */
/* Arithmetic, NUMERIC and the functions of numbers. */
/* -- operators -- */
say 7 + 3 7 - 3 7 * 3 7 / 4 7 % 4 7 // 4 7 ** 3
say -7 % 4 -7 // 4 7 % -4 7 // -4
say 2 ** -1 2 ** 0 0 ** 0 (-2) ** 3 1.1 ** 2
say 1 / 3 2 / 3 10 / 2 1 / 8 100 / 7
/* -- zeros kept -- */
say 1.20 + 2.3 2.50 * 2 1.0 - 1.0 3.00 - 1 120 * 1.000
say 2.40 / 2 0.00 + 1 5.0 5.0 + 0 -0.0
/* -- signs and blanks -- */
say ' 12 ' + 1 '- 5' + 2 ' + 7 ' * 1 '.5' + 0 '5.' + 0
say -'3' +'3' - -3 -(-3)
/* -- exponents -- */
say 1e3 + 0 '1E-3' + 0 1e9 + 0 1e10 + 0 12345678901 + 0 1e-5 * 1
say 1.5e2 * 2 2e2 % 7 1e+2 - 1
numeric form engineering
say 123456789012 + 0 1e10 * 3 1e11 * 3
/* -- digits -- */
do d = 1 to 15 by 2
  numeric digits d
  say d 1 / 7 2 / 3 100 * 1.23456789
end
/* -- rounding -- */
numeric digits 3
say 12345 + 0 0.0012345 + 0 99951 + 0 9995 + 0 -12355 + 0
say 1.235 + 0 1.245 * 1 1000 - 1.5
/* -- cancelling -- */
numeric digits 5
say 12345.6 - 12345.5 100003 - 100001 1.00004 - 1.00001 99999 + 1
numeric digits 9
say 1234567891 - 1234567890 0.3 - 0.1 - 0.2
/* -- fuzz -- */
numeric digits 5
numeric fuzz 0
say (4.9999 = 5) (4.9999 < 5)
numeric fuzz 1
say (4.998 = 5) (12345 = 12346)
say digits() fuzz() form()
/* -- settings are local -- */
numeric digits 5
call sub
say digits() 1 / 3
exit
sub: procedure
  say digits()
  numeric digits 3
  say 1 / 3
  return
/* -- comparisons -- */
say (1.0 = 1) (1.0 == 1) (1e2 = 100) (' 5' = 5) ('5 ' == 5) (007 = 7)
say (10 > 9) ('10' >> '9') (1.5 < 1.50) ('abc' < 'abd') ('a' < 'A')
say (-1 < 0) ('x' > 1) ('' < 0) ('' = ' ')
/* -- functions -- */
say abs(-3.50) sign(-2) sign(0) sign('1e-5') max(1, 3, 2) min(2.5, -1) max(-1)
say trunc(3.99) trunc(-3.99) trunc(3.14159, 2) trunc(5, 3) trunc(0.5)
say format(3.14159, 3, 2) format(2, 4) format(-1.5, 4, 0) format(12.3, , 4)
say '<'format(1e10, 3)'>' '<'format(0.00001234)'>'
say format(123.45, , , 2, 2) format(0.5, 3, 3) format(99.999, , 2)
/* -- exponents of format -- */
say '<'format(12345.678, , 2, 3, 3)'>' '<'format(1, , , 2, 0)'>' '<'format(15, , 1, , 0)'>'
say '<'format(1234567, 2, 2, , 0)'>'
numeric form engineering
say '<'format(12345.678, , 2, 3, 3)'>' '<'format(123456, , , 2, 0)'>'
/* -- conversions -- */
say d2x(255) d2x(0) d2x(-1, 4) d2x(129, 2) x2d('FF') x2d('FF', 2) x2d('7F', 2) x2d('')
say c2d('0102'x) c2d('FF'x, 1) c2x('abc') x2c('616263') d2c(65) c2x(d2c(-2, 2))
say x2b('c5') b2x('11000101') b2x('101') x2b('') b2x('1100 0101')
say c2x(bitand('ff0f'x, '0ff0'x)) c2x(bitor('0f'x, 'f000'x)) c2x(bitxor('ff'x, '0f'x))
/* -- datatype -- */
do i = 1 to words('5 -5 1.5 1e5 abc A1 .')
  w = word('5 -5 1.5 1e5 abc A1 .', i)
  say w datatype(w) datatype(w, 'w') datatype(w, 'a') datatype(w, 's') datatype(w, 'x')
end
say datatype('') datatype(' 5 ') datatype('01', 'B') datatype('', 'X') datatype('', 'A')
/* -- whole numbers from results -- */
x = 6 / 2
say substr('abcdef', x, 1.0 + 1) copies('ab', 4 / 2)
do 2.0; call charout , 'y'; end; say
/* -- powers -- */
numeric digits 20
say 2 ** 64 2 ** 100 3 ** 40
numeric digits 5
say 2 ** 64 7 ** 9
/* -- a power of many steps -- */
numeric digits 20
say 1.000001 ** 1000
/* -- small numbers of format -- */
say '<'format(0.000012345, , 3, 2, 2)'>'
/* -- sums -- */
t = 0
do i = 1 to 100; t = t + i / 10; end
say t
t = 0
do i = 1 to 10; t = t + 0.1; end
say t t = 1
/* -- priorities -- */
say 1 + 2 * 3 - 4 (1 + 2) * 3 2 + 3 || 4 2 * 3 2 * '3' + 1
say -2 ** 2 -(2 ** 2) 2 ** 3 ** 2 10 - 3 - 2 100 / 10 / 2 17 // 5 * 2
say 1 < 2 = 1 \ 1 = 0 1 = 1 & 0 | 1 'a' || 'b' = 'ab'
/* -- leading zeros -- */
say 007 007 + 0 1.50 1.50 * 1 0.10 00.10 + 0
/* -- large -- */
say 123456789 * 987654321 999999999 + 1 999999999 * 999999999
numeric digits 18
say 123456789 * 987654321 999999999 * 999999999 10 ** 17
/* -- random is in range -- */
ok = 1
do 200
  r = random(1, 6)
  if r < 1 | r > 6 | \datatype(r, 'W') then ok = 0
end
say ok (random(5) <= 5) (random(7, 7))
