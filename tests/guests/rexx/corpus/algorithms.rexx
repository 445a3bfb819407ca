/* SPDX-License-Identifier: MIT */
/* Programs as people write them. Each begins after a line with its name. */
/* -- sieve -- */
n = 60
prime. = 1
do i = 2 while i * i <= n
  if prime.i then do j = i * i to n by i
    prime.j = 0
  end
end
out = ''
do i = 2 to n
  if prime.i then out = out i
end
say strip(out)
/* -- gcd -- */
say gcd(1071, 462) gcd(17, 5) gcd(0, 9) gcd(270, 192)
exit
gcd: procedure
  arg a, b
  do while b \= 0
    parse value b a // b with a b
  end
  return a
/* -- fibonacci -- */
numeric digits 50
parse value 0 1 with a b
do i = 1 to 120
  parse value b a + b with a b
  if i // 15 = 0 then say right(i, 3) a
end
/* -- factorial -- */
numeric digits 200
do n = 0 to 100 by 20
  say n'! =' f(n)
end
exit
f: procedure
  arg n
  if n < 2 then return 1
  return n * f(n - 1)
/* -- hanoi -- */
moves = 0
call hanoi 4, 'A', 'B', 'C'
say moves 'moves'
exit
hanoi: procedure expose moves
  parse arg n, from, to, over
  if n = 0 then return
  call hanoi n - 1, from, over, to
  moves = moves + 1
  if n > 2 then say 'disk' n':' from '->' to
  call hanoi n - 1, over, to, from
  return
/* -- queens -- */
n = 6
found = 0
call place 1
say found 'ways'
exit
place: procedure expose n found q.
  arg row
  if row > n then do
    found = found + 1
    line = ''
    do k = 1 to n
      line = line q.k
    end
    say strip(line)
    return
  end
  do col = 1 to n
    safe = 1
    do k = 1 to row - 1 while safe
      if q.k = col | abs(q.k - col) = row - k then safe = 0
    end
    if safe then do
      q.row = col
      call place row + 1
    end
  end
  return
/* -- bubble -- */
list = 'pear apple fig quince banana lime'
do i = 1 to words(list)
  w.i = word(list, i)
end
w.0 = words(list)
do i = w.0 to 2 by -1
  do j = 1 to i - 1
    k = j + 1
    if w.j >> w.k then parse value w.j w.k with w.k w.j
  end
end
do i = 1 to w.0; call charout , w.i' '; end
say
/* -- quicksort -- */
x = 3
do i = 1 to 25
  x = (x * 37 + 11) // 101
  a.i = x
end
a.0 = 25
call sort 1, a.0
out = ''
do i = 1 to a.0
  out = out a.i
end
say strip(out)
exit
sort: procedure expose a.
  arg low, high
  if low >= high then return
  pivot = a.high
  at = low
  do i = low to high - 1
    if a.i < pivot then do
      t = a.i; a.i = a.at; a.at = t
      at = at + 1
    end
  end
  t = a.high; a.high = a.at; a.at = t
  call sort low, at - 1
  call sort at + 1, high
  return
/* -- search -- */
do i = 1 to 20
  v.i = i * i
end
do k = 1 to 5
  want = k * k * k
  parse value find(want, 20) with at steps
  say want at steps
end
exit
find: procedure expose v.
  arg want, n
  low = 1; high = n; steps = 0
  do while low <= high
    steps = steps + 1
    mid = (low + high) % 2
    select
      when v.mid = want then return mid steps
      when v.mid < want then low = mid + 1
      otherwise high = mid - 1
    end
  end
  return 0 steps
/* -- factors -- */
do n = 84 to 97 by 3
  say n '=' factors(n)
end
exit
factors: procedure
  arg n
  out = ''
  d = 2
  do while n > 1
    do while n // d = 0
      out = out d
      n = n % d
    end
    d = d + 1
    if d * d > n & n > 1 then do
      out = out n
      leave
    end
  end
  return strip(out)
/* -- roman -- */
do i = 1 to words('1 4 9 14 40 90 400 1990 2026')
  n = word('1 4 9 14 40 90 400 1990 2026', i)
  say n roman(n) arabic(roman(n))
end
exit
roman: procedure
  arg n
  values = '1000 900 500 400 100 90 50 40 10 9 5 4 1'
  letters = 'M CM D CD C XC L XL X IX V IV I'
  r = ''
  do i = 1 to words(values)
    do while n >= word(values, i)
      r = r || word(letters, i)
      n = n - word(values, i)
    end
  end
  return r
arabic: procedure
  arg s
  t = 0
  last = 0
  do i = length(s) to 1 by -1
    v = word('1 5 10 50 100 500 1000', pos(substr(s, i, 1), 'IVXLCDM'))
    if v < last then t = t - v
    else t = t + v
    last = v
  end
  return t
/* -- caesar -- */
letters = xrange('A', 'Z')
text = 'ATTACK AT DAWN'
do shift = 3 to 23 by 10
  code = substr(letters, shift + 1) || left(letters, shift)
  secret = translate(text, code, letters)
  say secret '/' translate(secret, letters, code)
end
/* -- palindromes -- */
do while queued() > 0; pull .; end
queue 'A man, a plan, a canal: Panama'
queue 'Never odd or even'
queue 'Not this one'
do queued()
  parse pull line
  s = translate(space(translate(line, , ',:.', ' '), 0))
  say line '-' word('no yes', 1 + (s == reverse(s)))
end
/* -- collatz -- */
best = 0
do n = 1 to 60
  steps = 0
  m = n
  do until m = 1
    if m // 2 then m = 3 * m + 1
    else m = m / 2
    steps = steps + 1
  end
  if steps > best then do
    best = steps
    say n steps
  end
end
/* -- perfect -- */
do n = 2 to 500
  sum = 1
  do d = 2 while d * d <= n
    if n // d = 0 then do
      sum = sum + d
      if d * d \= n then sum = sum + n % d
    end
  end
  if sum = n then say n 'is perfect'
end
/* -- pascal -- */
row.0 = 1
do n = 0 to 9
  line = ''
  do k = n to 1 by -1
    below = k - 1
    if k = n then row.k = 1
    else row.k = row.k + row.below
  end
  do k = 0 to n
    line = line || center(row.k, 5)
  end
  say center(line, 50, '.')
end
/* -- matrix -- */
call fill 'A', '1 2 3 4 5 6', 2, 3
call fill 'B', '7 8 9 10 11 12', 3, 2
do i = 1 to 2
  line = ''
  do j = 1 to 2
    c.i.j = 0
    do k = 1 to 3
      c.i.j = c.i.j + value('A.'i'.'k) * value('B.'k'.'j)
    end
    line = line right(c.i.j, 5)
  end
  say line
end
exit
fill:
  parse arg name, numbers, rows, cols
  do i_ = 1 to rows
    do j_ = 1 to cols
      parse var numbers n_ numbers
      call value name'.'i_'.'j_, n_
    end
  end
  return
/* -- euler -- */
numeric digits 60
e = 1
term = 1
do n = 1 until term < 1e-59
  term = term / n
  e = e + term
end
say e
/* -- spigot -- */
numeric digits 20
digits = 30
len = digits * 10 % 3 + 1
a. = 2
out = ''
nines = 0
held = ''
do j = 1 to digits
  carry = 0
  do i = len to 1 by -1
    x = 10 * a.i + carry * i
    d = 2 * i - 1
    a.i = x // d
    carry = x % d
  end
  a.1 = carry // 10
  q = carry % 10
  select
    when q = 9 then nines = nines + 1
    when q = 10 then do
      out = out || (held + 1) || copies('0', nines)
      nines = 0
      held = 0
    end
    otherwise
      out = out || held || copies('9', nines)
      nines = 0
      held = q
  end
end
say out
/* -- newton -- */
numeric digits 40
do n = 2 to 11 by 3
  say n root(n)
end
exit
root: procedure
  arg n
  x = n / 2
  do 60 until x = old
    old = x
    x = (x + n / x) / 2
  end
  numeric digits 30
  return x + 0
/* -- bases -- */
do n = 0 to 255 by 51
  say n d2x(n) x2b(d2x(n)) base(n, 3) base(n, 7) base(n, 36)
end
exit
base: procedure
  arg n, b
  if n = 0 then return 0
  s = ''
  do while n > 0
    s = substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', n // b + 1, 1)s
    n = n % b
  end
  return s
/* -- runs -- */
text = 'AAAABBBCCDAAEEEEEEEEEEEE'
code = pack(text)
say code
say unpack(code) (unpack(code) == text)
exit
pack: procedure
  parse arg s
  out = ''
  do while s \== ''
    c = left(s, 1)
    n = verify(s, c) - 1
    if n < 0 then n = length(s)
    out = out || n || c
    s = substr(s, n + 1)
  end
  return out
unpack: procedure
  parse arg s
  out = ''
  do while s \== ''
    n = verify(s, '0123456789')
    parse var s count =(n) c +1 s
    out = out || copies(c, count)
  end
  return out
/* -- permutations -- */
call permute '', 'abcd'
say n 'in all'
exit
permute: procedure expose n
  parse arg done, left
  if symbol('n') = 'LIT' then n = 0
  if left == '' then do
    n = n + 1
    if n // 5 = 0 then say n done
    return
  end
  do i = 1 to length(left)
    call permute done || substr(left, i, 1), delstr(left, i, 1)
  end
  return
/* -- ackermann -- */
do m = 0 to 2
  line = ''
  do n = 0 to 4
    line = line ack(m, n)
  end
  say m':'line
end
exit
ack: procedure
  arg m, n
  if m = 0 then return n + 1
  if n = 0 then return ack(m - 1, 1)
  return ack(m - 1, ack(m, n - 1))
/* -- weekday -- */
do y = 1900 to 2026 by 21
  say y weekday(y, 3, 1) leap(y)
end
exit
leap: procedure
  arg y
  return y // 4 = 0 & y // 100 \= 0 | y // 400 = 0
weekday: procedure
  arg y, m, d
  t = '0 3 2 5 0 3 5 1 4 6 2 4'
  if m < 3 then y = y - 1
  k = (y + y % 4 - y % 100 + y % 400 + word(t, m) + d) // 7
  return word('Sunday Monday Tuesday Wednesday Thursday Friday Saturday', k + 1)
/* -- calculator -- */
call test '1+2*3'
call test '(1+2)*3'
call test '2*(3+4)*5-6/2'
call test '-(4-10)%4'
call test '7//4+2**3**2'
call test '1+'
call test '(1'
exit
test: procedure
  parse arg text
  at = 1
  bad = 0
  v = sum()
  if bad | at <= length(text) then say text 'is wrong at' at
  else say text '=' v
  return
sum: procedure expose text at bad
  v = product()
  do while \bad & pos(next(), '+-') > 0
    op = next(); at = at + 1
    w = product()
    if \bad then interpret 'v = v' op 'w'
  end
  return v
product: procedure expose text at bad
  v = power()
  do while \bad & pos(next(), '*/%') > 0
    op = next(); at = at + 1
    if op = '/' & next() = '/' then do; op = '//'; at = at + 1; end
    w = power()
    if \bad then interpret 'v = v' op 'w'
  end
  return v
power: procedure expose text at bad
  v = term()
  do while \bad & substr(text, at, 2) = '**'
    at = at + 2
    w = term()
    if \bad then v = v ** w
  end
  return v
term: procedure expose text at bad
  select
    when next() = '-' then do
      at = at + 1
      return -term()
    end
    when next() = '(' then do
      at = at + 1
      v = sum()
      if next() \== ')' then bad = 1
      at = at + 1
      return v
    end
    when datatype(next(), 'W') then do
      from = at
      do while datatype(next(), 'W')
        at = at + 1
      end
      return substr(text, from, at - from)
    end
    otherwise bad = 1
  end
  return 0
next: procedure expose text at
  if substr(text, at, 2) = '**' then return 'POWER'
  return substr(text, at, 1, '?')
/* -- chain -- */
first = 0
do i = 1 to 6
  value.i = i * 11 // 7
  p = first; last = 0
  do while p \= 0
    if value.p > value.i then leave
    last = p
    p = next.p
  end
  next.i = p
  if last = 0 then first = i
  else next.last = i
end
p = first
do until p = 0
  say p value.p
  p = next.p
end
/* -- histogram -- */
text = 'the quick brown fox jumps over the lazy dog and the cat'
count. = 0
seen = ''
do i = 1 to words(text)
  w = word(text, i)
  if count.w = 0 then seen = seen w
  count.w = count.w + 1
end
do i = 1 to words(seen)
  w = word(seen, i)
  if count.w > 1 then say left(w, 8, '.') copies('*', count.w) count.w
end
say words(seen) 'words'
/* -- anagrams -- */
list = 'listen silent enlist google elgoog tinsel banana'
keys = ''
do i = 1 to words(list)
  w = word(list, i)
  k = letters(w)
  if symbol('group.k') = 'LIT' then do
    keys = keys k
    group.k = ''
  end
  group.k = group.k w
end
do i = 1 to words(keys)
  k = word(keys, i)
  say k':'group.k
end
exit
letters: procedure
  parse arg s
  out = ''
  do i = 1 to length(s)
    c = substr(s, i, 1)
    do j = 1 to length(out) while substr(out, j, 1) <<= c
    end
    out = insert(c, out, j - 1)
  end
  return out
/* -- distance -- */
say distance('kitten', 'sitting') distance('', 'abc') distance('same', 'same')
exit
distance: procedure
  parse arg a, b
  d. = 0
  do i = 0 to length(a); d.i.0 = i; end
  do j = 0 to length(b); d.0.j = j; end
  do i = 1 to length(a)
    do j = 1 to length(b)
      x = i - 1; y = j - 1
      d.i.j = min(d.x.j + 1, d.i.y + 1, d.x.y + (substr(a, i, 1) \== substr(b, j, 1)))
    end
  end
  i = length(a); j = length(b)
  return d.i.j
/* -- wrap -- */
text = 'It was a dark and stormy night; the rain fell in torrents, except at occasional',
  'intervals, when it was checked by a violent gust of wind'
width = 28
line = ''
do while text \== ''
  parse var text w text
  if length(line) + length(w) + 1 > width then do
    say '|'justify(line, width)'|'
    line = w
  end
  else line = strip(line w)
end
say '|'left(line, width)'|'
/* -- life -- */
rows = 6; cols = 8
cell. = 0
do i = 1 to words('2,3 3,4 4,2 4,3 4,4')
  parse value word('2,3 3,4 4,2 4,3 4,4', i) with r ',' c
  cell.r.c = 1
end
do generation = 0 to 3
  say 'generation' generation
  do r = 1 to rows
    line = ''
    do c = 1 to cols
      line = line || word('. *', 1 + cell.r.c)
    end
    if pos('*', line) > 0 then say line
  end
  new. = 0
  do r = 1 to rows
    do c = 1 to cols
      near = 0
      do dr = -1 to 1
        do dc = -1 to 1
          if dr = 0 & dc = 0 then iterate
          y = r + dr; x = c + dc
          near = near + cell.y.x
        end
      end
      new.r.c = near = 3 | cell.r.c & near = 2
    end
  end
  do r = 1 to rows
    do c = 1 to cols
      cell.r.c = new.r.c
    end
  end
end
/* -- knapsack -- */
items = '12:4 2:2 1:1 4:10 1:2'
best. = 0
do i = 1 to words(items)
  parse value word(items, i) with weight ':' worth
  do room = 15 to weight by -1
    rest = room - weight
    if best.rest + worth > best.room then best.room = best.rest + worth
  end
end
say best.15
/* -- gray -- */
do i = 0 to 15
  g = c2x(bitxor(d2c(i), d2c(i % 2)))
  call charout , right(x2b(g), 4)' '
end
say
/* -- csv -- */
line = 'one,"two, too",,"say ""four""",5'
n = 0
do until line == ''
  n = n + 1
  if left(line, 1) = '"' then do
    field = ''
    line = substr(line, 2)
    do forever
      parse var line part '"' line
      field = field || part
      if left(line, 1) \== '"' then leave
      field = field'"'
      line = substr(line, 2)
    end
    parse var line ',' line
  end
  else parse var line field ',' line
  say n '<'field'>'
end
/* -- brackets -- */
call check '([]{})'
call check '([)]'
call check '((('
call check ''
exit
check: procedure
  parse arg s
  stack = ''
  do i = 1 to length(s)
    c = substr(s, i, 1)
    p = pos(c, ')]}')
    if p = 0 then stack = c || stack
    else if left(stack, 1) == substr('([{', p, 1) then stack = substr(stack, 2)
    else do
      say s 'fails at' i
      return
    end
  end
  say s word('is open', 1 + (stack == '')) word('well', 1 + (stack \== ''))
  return
/* -- mandelbrot -- */
numeric digits 6
do y = -4 to 4
  line = ''
  do x = -10 to 4
    parse value 0 0 with zr zi
    do n = 1 to 9
      parse value zr * zr - zi * zi + x / 5  2 * zr * zi + y / 4 with zr zi
      if zr * zr + zi * zi > 4 then leave
    end
    line = line || substr(' .:-=+*#%@', n, 1)
  end
  say strip(line, 'T')
end
/* -- lottery -- */
seed = 42
do 5
  seed = (seed * 1103 + 12345) // 65536
  call charout , seed // 49 + 1' '
end
say
/* -- phone -- */
book = 'smith:555-1234/jones:555-9876/brown:555-4711'
do while book \= ''
  parse var book name ':' area '-' number '/' book
  name = translate(left(name, 1)) || substr(name, 2)
  phone.name = area || number
  say left(name, 10) phone.name
end
/* -- money -- */
do i = 1 to 4
  x = word('1234567.891 0.5 999 -1234.5', i)
  say right(commas(format(x, , 2)), 15)
end
exit
commas: procedure
  parse arg whole '.' part
  sign = ''
  if left(whole, 1) = '-' then parse var whole sign +1 whole
  do i = length(whole) - 3 to 1 by -3
    whole = insert(',', whole, i)
  end
  return sign || whole'.'part
/* -- morse -- */
code. = '?'
parse value '.- -... -.-. -.. .' with code.A code.B code.C code.D code.E
text = 'bead face'
do i = 1 to length(text)
  c = translate(substr(text, i, 1))
  if c == ' ' then call charout , '/ '
  else call charout , code.c' '
end
say
/* -- crc -- */
crc = 'ffff'x
text = '123456789'
do i = 1 to length(text)
  crc = bitxor(crc, substr(text, i, 1)'00'x)
  do 8
    high = bitand(crc, '8000'x) == '8000'x
    crc = right(d2c(c2d(crc) * 2, 3), 2)
    if high then crc = bitxor(crc, '1021'x)
  end
end
say c2x(crc)
/* -- diamond -- */
do i = -4 to 4
  say copies(' ', abs(i)) || copies('* ', 5 - abs(i))
end
/* -- magic -- */
n = 5
sq. = 0
r = 1; c = n % 2 + 1
do k = 1 to n * n
  sq.r.c = k
  up = (r + n - 2) // n + 1
  right = c // n + 1
  if sq.up.right \= 0 then r = r // n + 1
  else parse value up right with r c
end
do r = 1 to n
  line = ''
  do c = 1 to n
    line = line || format(sq.r.c, 4)
  end
  say line
end
