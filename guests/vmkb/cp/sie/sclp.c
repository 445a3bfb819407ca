/* SPDX-License-Identifier: MIT */
/* SERVICE CALL of a machine: what it has (storage, one CPU) and that there is no operator's console
 * to it. The answer is there at once; the service signal follows. */
#include "sie.h"
#include "lib.h"

#define READ_INFO        0x00020001U
#define READ_INFO_FORCED 0x00120001U
#define WRITE_EVENT_MASK 0x00780005U
#define INFORMATION      0x0010
#define COMPLETE         0x0020
#define INVALID_COMMAND  0x01f0
#define TOO_SHORT        0x0300

struct sccb {
    uint16_t length;
    uint8_t function, control[3];
    uint16_t response;
};

struct read_info {           /* behind struct sccb */
    uint16_t increments;
    uint8_t increment_mb, block_kb;
    uint16_t interleave, r0e;
    uint16_t cpus, cpu_offset;
    uint16_t r14, hsa_offset;
    uint8_t loadparm[8];
    uint8_t r20[0x30 - 0x20];
    uint8_t facilities[8];   /* 030 */
    uint8_t r38[0x50 - 0x38];
    uint8_t configuration[6]; /* 050 */
    uint8_t r56[0x68 - 0x56];
    uint64_t all_increments; /* 068 */
    uint8_t r70[0x80 - 0x70];
    uint8_t cpu[16];         /* address 0, nothing special */
};
_Static_assert(sizeof(struct read_info) == 0x90 - sizeof(struct sccb), "READ SCP INFO");

#define LOAD_PARAMETER 0x04  /* facilities 1 */
#define EVENTS         0x40  /* facilities 3 */

static uint16_t read_info(struct sie *s, struct sccb *b)
{
    /* as the emulator's own: pages suppress on protection, MVPG, CHSC, z/Architecture ... */
    static const uint8_t configuration[6] = {0x2d, 0x00, 0x03, 0x5f, 0xf8, 0x01};
    struct read_info *info = (struct read_info *)(b + 1);

    if (b->length < sizeof(*b) + sizeof(*info))
        return TOO_SHORT;
    memset(info, 0, sizeof(*info));
    info->increments = (uint16_t)(s->size / MB);
    info->increment_mb = 1;
    info->block_kb = 4;
    info->interleave = 1;
    info->cpus = 1;
    info->cpu_offset = (uint16_t)(sizeof(*b) + offsetof(struct read_info, cpu));
    info->hsa_offset = (uint16_t)(sizeof(*b) + sizeof(*info));
    memset(info->loadparm, ' ', sizeof(info->loadparm));
    info->facilities[1] = LOAD_PARAMETER;
    info->facilities[3] = EVENTS;
    memcpy(info->configuration, configuration, sizeof(configuration));
    info->all_increments = s->size / MB;
    return INFORMATION;
}

/* It may say what it wants; what it gets is nothing. */
static uint16_t event_mask(struct sccb *b)
{
    uint16_t *words = (uint16_t *)(b + 1);
    uint16_t mask = words[1];

    if (b->length < sizeof(*b) + 4 + 4UL * mask)
        return TOO_SHORT;
    memset((uint8_t *)(words + 2) + 2UL * mask, 0, 2UL * mask);
    return COMPLETE;
}

unsigned sclp_call(struct sie *s, uint32_t command, uint64_t address)
{
    struct sccb *b = guest_real(s, address & 0x7ffffff8, sizeof(*b));

    if (s->service)
        return 2;
    if (!b || b->length < sizeof(*b)
        || (address & (PAGE_SIZE - 1)) + b->length > PAGE_SIZE) {
        sie_program(s, PGM_ADDRESSING);
        return 0;
    }
    if (command == READ_INFO || command == READ_INFO_FORCED)
        b->response = read_info(s, b);
    else if (command == WRITE_EVENT_MASK)
        b->response = event_mask(b);
    else
        b->response = INVALID_COMMAND;
    s->service = (uint32_t)address & 0x7ffffff8;
    s->pending = 1;
    return 0;
}
