/* SPDX-License-Identifier: MIT */
/* fmt(): the small printf of the guest; see lib.h for what it knows. */
#include "lib.h"

#define NOTHING "(null)"     /* what a null pointer shows as */

struct sink {
    char *buf;
    size_t size;
    size_t len; /* length of the whole text, also beyond size */
};

static void put(struct sink *s, char c)
{
    if (s->len + 1 < s->size)
        s->buf[s->len] = c;
    s->len++;
}

/* How many of n bytes have room behind what is there. */
static size_t room(const struct sink *s, size_t n)
{
    size_t left = s->len + 1 < s->size ? s->size - 1 - s->len : 0;

    return n < left ? n : left;
}

static void put_bytes(struct sink *s, const char *p, size_t n)
{
    size_t k = room(s, n);

    if (k)
        memcpy(s->buf + s->len, p, k);
    s->len += n;
}

static void pad(struct sink *s, char c, long n)
{
    if (n <= 0)
        return;
    size_t k = room(s, (size_t)n);
    if (k)
        memset(s->buf + s->len, c, k);
    s->len += (size_t)n;
}

struct spec {
    bool left, zero;
    long width;
    long precision; /* -1: none */
    int size;       /* number of l's; 3 for z, -1 for h */
};

static void put_number(struct sink *s, const struct spec *sp, unsigned long v, bool negative,
                       unsigned base, bool upper)
{
    const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
    char tmp[24], *first = tmp + sizeof(tmp);
    do {
        *--first = digits[v % base];
        v /= base;
    } while (v);
    long n = tmp + sizeof(tmp) - first;
    long fill = sp->width - n - (negative ? 1 : 0);
    if (!sp->left && !sp->zero)
        pad(s, ' ', fill);
    if (negative)
        put(s, '-');
    if (!sp->left && sp->zero)
        pad(s, '0', fill);
    put_bytes(s, first, (size_t)n);
    if (sp->left)
        pad(s, ' ', fill);
}

static void put_text(struct sink *s, const struct spec *sp, const char *t)
{
    if (!t)
        t = NOTHING;
    long n = (long)(sp->precision < 0 ? strlen(t) : strnlen(t, (size_t)sp->precision));
    if (!sp->left)
        pad(s, ' ', sp->width - n);
    put_bytes(s, t, (size_t)n);
    if (sp->left)
        pad(s, ' ', sp->width - n);
}

static unsigned long take_unsigned(const struct spec *sp, va_list *ap)
{
    if (sp->size == 2)
        return (unsigned long)va_arg(*ap, unsigned long long);
    if (sp->size == 3)
        return va_arg(*ap, size_t);
    return sp->size == 1 ? va_arg(*ap, unsigned long) : va_arg(*ap, unsigned);
}

static long take_signed(const struct spec *sp, va_list *ap)
{
    if (sp->size == 2)
        return (long)va_arg(*ap, long long);
    if (sp->size == 3)
        return (long)va_arg(*ap, size_t);
    return sp->size == 1 ? va_arg(*ap, long) : va_arg(*ap, int);
}

/* Reads flags, width, precision and size after '%'; returns the conversion's place. */
static const char *read_spec(const char *f, struct spec *sp, va_list *ap)
{
    *sp = (struct spec){.precision = -1};
    for (;; f++) {
        if (*f == '-')
            sp->left = true;
        else if (*f == '0')
            sp->zero = true;
        else
            break;
    }
    if (*f == '*') {
        sp->width = va_arg(*ap, int);
        if (sp->width < 0) {
            sp->left = true;
            sp->width = -sp->width;
        }
        f++;
    } else {
        for (; *f >= '0' && *f <= '9'; f++)
            sp->width = sp->width * 10 + (*f - '0');
    }
    if (*f == '.') {
        sp->precision = 0;
        if (*++f == '*') {
            sp->precision = va_arg(*ap, int);
            f++;
        } else {
            for (; *f >= '0' && *f <= '9'; f++)
                sp->precision = sp->precision * 10 + (*f - '0');
        }
    }
    for (;; f++) {
        if (*f == 'l')
            sp->size++;
        else if (*f == 'z')
            sp->size = 3;
        else if (*f == 'h')
            sp->size = -1;
        else
            return f;
    }
}

int vfmt(char *buf, size_t size, const char *f, va_list list)
{
    struct sink s = {buf, size, 0};
    struct spec sp;
    va_list ap;
    va_copy(ap, list);
    for (const char *end = f + strlen(f); *f; f++) {
        if (*f != '%') {
            const char *next = memchr(f, '%', (size_t)(end - f));
            next = next ? next : end;
            put_bytes(&s, f, (size_t)(next - f));
            f = next - 1;
            continue;
        }
        if (f[1] == 's') {   /* by far the most frequent */
            const char *t = va_arg(ap, const char *);
            f++;
            put_bytes(&s, t ? t : NOTHING, strlen(t ? t : NOTHING));
            continue;
        }
        f = read_spec(f + 1, &sp, &ap);
        if (!*f)
            break;
        switch (*f) {
        case 'd':
        case 'i': {
            long v = take_signed(&sp, &ap);
            unsigned long u = (unsigned long)v;
            put_number(&s, &sp, v < 0 ? 0 - u : u, v < 0, 10, false);
            break;
        }
        case 'u':
            put_number(&s, &sp, take_unsigned(&sp, &ap), false, 10, false);
            break;
        case 'x':
        case 'X':
            put_number(&s, &sp, take_unsigned(&sp, &ap), false, 16, *f == 'X');
            break;
        case 'p':
            put_number(&s, &sp, (unsigned long)(uintptr_t)va_arg(ap, void *), false, 16, false);
            break;
        case 's':
            put_text(&s, &sp, va_arg(ap, const char *));
            break;
        case 'c': {
            char one[2] = {(char)va_arg(ap, int), 0};
            sp.precision = -1;
            put_text(&s, &sp, one);
            break;
        }
        default: /* also "%%" */
            put(&s, *f);
        }
    }
    va_end(ap);
    if (size)
        buf[s.len < size ? s.len : size - 1] = 0;
    return (int)s.len;
}

int fmt(char *buf, size_t size, const char *f, ...)
{
    va_list ap;
    va_start(ap, f);
    int n = vfmt(buf, size, f, ap);
    va_end(ap);
    return n;
}

size_t vfmt_kept(char *buf, size_t size, const char *f, va_list ap)
{
    size_t n = (size_t)vfmt(buf, size, f, ap);

    return n < size ? n : size - 1;
}
