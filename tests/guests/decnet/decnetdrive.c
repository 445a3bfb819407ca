/* SPDX-License-Identifier: MIT */
/* The end node and CTERM's two sides under the control of a test: a command a line, answers until
 * ".". A fuzzer is built in, since a million frames through a pipe take too long. */
#include "../chance.h"
#include "../words.h"
#include "cterm.h"

#define HOSTS 8
static struct decnet net;
static struct cterm_counts counts;
static struct cterm_host hosts[HOSTS];
static struct cterm_client client;
static int accepting = 1, quiet, busy;
static size_t room_to_show = 1000000;
static uint8_t seen[64][1600];
static size_t seen_len[64];
static unsigned seen_count;

static void hex(const char *what, int i, const uint8_t *p, size_t n)
{
    if (quiet)
        return;
    printf("%s %d ", what, i);
    put_hex(p, n);
    puts("");
}

static bool send_frame(struct decnet *d, const uint8_t *frame, size_t len)
{
    (void)d;
    if (len < 60 || len > 1514)
        abort();
    if (busy) {
        busy--;
        return false;
    }
    hex("F", 0, frame, len);
    return true;
}

static int accept_link(struct decnet *d, struct dn_link *l, unsigned object)
{
    (void)d;
    if (object != DN_OBJECT_CTERM)
        return DN_NO_OBJECT;
    extern const struct cterm_host_ops host_ops;
    for (int i = 0; i < HOSTS && accepting; i++)
        if (!hosts[i].link) {
            memset(&hosts[i], 0, sizeof(hosts[i]));
            hosts[i].ops = &host_ops;
            hosts[i].link = l;
            hosts[i].counts = &counts;
            l->user = &cterm_host_user;
            l->arg = &hosts[i];
            return -1;
        }
    return DN_BUSY;
}

static void work_for(struct decnet *d, const struct dn_link *l)
{
    (void)d;
    (void)l;
}

static const struct dn_ops ops = {send_frame, accept_link, work_for};

static int index_of(struct cterm_host *h)
{
    return (int)(h - hosts);
}

static void say(const char *what, int i, int a, int b)
{
    if (!quiet)
        printf("%s %d %d %d\n", what, i, a, b);
}

static void host_started(struct cterm_host *h) { say("S", index_of(h), 0, 0); }
static void host_attention(struct cterm_host *h) { say("A", index_of(h), 0, 0); }
static void host_room(struct cterm_host *h) { say("R", index_of(h), (int)cterm_host_room(h), 0); }
static void host_down(struct cterm_host *h) { say("D", index_of(h), 0, 0); }
static void host_line(struct cterm_host *h, const uint8_t *text, size_t n)
{
    hex("L", index_of(h), text, n);
    if (quiet) {
        cterm_host_write(h, text, n);
        cterm_host_read(h, n & 1);
    }
}
const struct cterm_host_ops host_ops = {host_started, host_line, host_attention, host_room,
                                        host_down};

static size_t client_write(struct cterm_client *c, const uint8_t *text, size_t n)
{
    (void)c;
    if (n > room_to_show)
        n = room_to_show;
    if (!quiet)
        room_to_show -= n;
    if (n)
        hex("W", 0, text, n);
    return n;
}
static void client_read(struct cterm_client *c, bool reading, bool hidden)
{
    (void)c;
    say("Q", 0, reading, hidden);
}
static void client_up(struct cterm_client *c) { (void)c; say("U", 0, 0, 0); }
static void client_down(struct cterm_client *c, unsigned reason, bool ended)
{
    (void)c;
    say("E", 0, (int)reason, ended);
}
static const struct cterm_client_ops client_ops = {client_write, client_read, client_up,
                                                   client_down};

/* Frames seen before with some bytes changed, cut short, or with a consistent shorter length, and
 * noise. Those of links that stand have their numbers put right now and then, so that they are
 * looked into. */
static void fuzz_frame(uint64_t now)
{
    uint8_t *frame = malloc(1600);
    unsigned which = chance(seen_count + 1);
    size_t len = 60 + chance(200);

    if (which < seen_count) {
        len = seen_len[which];
        memcpy(frame, seen[which], len);
    } else {
        for (size_t i = 0; i < len; i++)
            frame[i] = (uint8_t)chance(256);
        memcpy(frame, net.mac, 6);
    }
    for (unsigned i = chance(6); i; i--)
        frame[14 + chance((unsigned)len - 14)] = (uint8_t)chance(256);
    if (chance(4) == 0) {
        len = 14 + chance((unsigned)len - 13);
        if (len > 17 && chance(2)) {
            frame[14] = (uint8_t)(len - 16);
            frame[15] = (uint8_t)((len - 16) >> 8);
        }
    }
    struct dn_link *l = &net.link[chance(4)];
    if (len >= 46 && chance(2)) {
        frame[38] = (uint8_t)l->local;
        frame[39] = (uint8_t)(l->local >> 8);
        frame[40] = (uint8_t)l->remote;
        frame[41] = (uint8_t)(l->remote >> 8);
        if (chance(2)) {
            frame[42] = (uint8_t)l->tx_acked;
            frame[43] = (uint8_t)(0x80 | l->tx_acked >> 8);
            frame[44] = (uint8_t)(l->rx_last + 1);
            frame[45] = (uint8_t)((l->rx_last + 1) >> 8 & 0xf);
        }
    }
    uint8_t *exact = malloc(len ? len : 1); /* the sanitizer sees each byte read beyond */
    memcpy(exact, frame, len);
    dn_frame(&net, exact, len, now);
    free(exact);
    free(frame);
}

static void fuzz(uint64_t now, unsigned long times)
{
    quiet = 1;
    room_to_show = 50;
    for (unsigned long i = 0; i < times; i++) {
        fuzz_frame(now);
        if (chance(50) == 0)
            now += chance(3000000);
        if (chance(20) == 0)
            dn_tick(&net, now);
        if (chance(100) == 0 && client.link)
            cterm_client_line(&client, (const uint8_t *)"typed", 5);
        if (chance(100) == 0 && client.link)
            cterm_client_resume(&client);
        if (!client.link && chance(200) == 0) {
            memset(&client, 0, sizeof(client));
            client.ops = &client_ops;
            client.counts = &counts;
            client.link = dn_connect(&net, 0x0401, (const uint8_t *)"ME", 2, &cterm_client_user,
                                     &client, now);
        }
    }
    for (int i = 0; i < 400; i++)
        dn_tick(&net, now += 1000000);
    quiet = 0;
    room_to_show = 1000000;
    for (int i = 0; i < DN_LINKS; i++)
        dn_abort(&net.link[i], DN_ABORTED, now);
    for (int i = 0; i < 400; i++) {
        quiet = 1;
        dn_tick(&net, now += 1000000);
    }
    quiet = 0;
    unsigned left = 0;
    for (int i = 0; i < DN_LINKS; i++)
        left += net.link[i].state != DN_FREE;
    printf("X %u\n", left);
}

int main(void)
{
    static char line[8192], word[16], rest[8192];
    static uint8_t bytes[4096];
    uint64_t now;

    while (fgets(line, sizeof(line), stdin)) {
        *rest = 0;
        if (sscanf(line, "%15s %lu %8000s", word, &now, rest) < 2)
            return 1;
        size_t n = unhex(rest, bytes, sizeof(bytes));
        int first = atoi(rest), i = n ? bytes[0] % HOSTS : 0;
        net.now = now;
        if (!strcmp(word, "init"))
            dn_init(&net, &ops, (uint16_t)first, now);
        else if (!strcmp(word, "frame")) {
            uint8_t *exact = malloc(n ? n : 1);
            memcpy(exact, bytes, n);
            if (seen_count < 64 && n < 1600) {
                memcpy(seen[seen_count], bytes, n);
                seen_len[seen_count++] = n;
            }
            dn_frame(&net, exact, n, now);
            free(exact);
        } else if (!strcmp(word, "tick"))
            dn_tick(&net, now);
        else if (!strcmp(word, "connect")) {
            client = (struct cterm_client){.ops = &client_ops, .counts = &counts};
            client.link = dn_connect(&net, (uint16_t)first, (const uint8_t *)"USER", 4,
                                     &cterm_client_user, &client, now);
        } else if (!strcmp(word, "type"))
            printf("T %d\n", cterm_client_line(&client, bytes, n));
        else if (!strcmp(word, "attn"))
            cterm_client_attention(&client);
        else if (!strcmp(word, "hang"))
            dn_abort(client.link, DN_ABORTED, now);
        else if (!strcmp(word, "show")) {
            room_to_show = (size_t)first;
            cterm_client_resume(&client);
        } else if (!strcmp(word, "write")) {
            printf("T %zu\n", cterm_host_write(&hosts[i], bytes + 1, n - 1));
            cterm_host_flush(&hosts[i]);
        } else if (!strcmp(word, "read")) {
            cterm_host_read(&hosts[i], bytes[1]);
            cterm_host_flush(&hosts[i]);
        } else if (!strcmp(word, "close"))
            cterm_host_close(&hosts[i]);
        else if (!strcmp(word, "busy"))
            busy = first;
        else if (!strcmp(word, "accept"))
            accepting = first;
        else if (!strcmp(word, "fuzz")) {
            chance_seed((uint64_t)first);
            fuzz(now, strtoul(strchr(rest, ',') + 1, 0, 10));
        } else if (!strcmp(word, "counts"))
            printf("N %lu %lu %lu %lu %lu %lu %lu %lu %lu\n",
                   net.counts.malformed + counts.malformed,
                   net.counts.violations + counts.unexpected, net.counts.resent,
                   net.counts.duplicates, net.counts.out_of_order, net.counts.refused,
                   net.counts.unknown, net.counts.hellos_in, net.counts.routing_in);
        else
            return 1;
        printf("due %lu\n.\n", net.due);
        fflush(stdout);
    }
    return 0;
}
