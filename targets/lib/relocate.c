#include "targets/lib/relocate.h"

#include "ir/support.h"

#include <elf.h>
#include <string.h>

/* --- numbers in memory, of the byte order that both have --- */

static uint32_t get32(const unsigned char *at) {
  uint32_t word;
  memcpy(&word, at, sizeof word);
  return word;
}

static void put32(unsigned char *at, uint32_t word) {
  memcpy(at, &word, sizeof word);
}

static void put64(unsigned char *at, uint64_t word) {
  memcpy(at, &word, sizeof word);
}

static bool fits(int64_t value, unsigned bits) {
  return value >= -((int64_t)1 << (bits - 1)) && value < (int64_t)1 << (bits - 1);
}

/* --- x86-64: System V ABI, AMD64 supplement, "Relocation types" --- */

static unsigned x86_bytes(uint32_t type) {
  switch (type) {
  case R_X86_64_64:
  case R_X86_64_PC64:
    return 8;
  case R_X86_64_PC32:
  case R_X86_64_PLT32:
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX:
    return 4;
  default:
    return 0;
  }
}

static pm_relocated x86_put(const pm_relocation *r, uint64_t to) {
  int64_t distance = (int64_t)(to + (uint64_t)r->addend - (uint64_t)(uintptr_t)r->at);
  if (!fits(distance, 32)) return PM_RELOCATION_TOO_FAR;
  put32(r->at, (uint32_t)distance);
  return PM_RELOCATED;
}

static pm_relocated x86_relocate(const pm_relocation *r) {
  uint64_t value = r->symbol + (uint64_t)r->addend;
  switch (r->type) {
  case R_X86_64_64:
    return put64(r->at, value), PM_RELOCATED;
  case R_X86_64_PC64:
    return put64(r->at, value - (uint64_t)(uintptr_t)r->at), PM_RELOCATED;
  case R_X86_64_PC32:
    return x86_put(r, r->symbol);
  case R_X86_64_PLT32:
    return x86_put(r, r->symbol) == PM_RELOCATED ? PM_RELOCATED : x86_put(r, r->stub);
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX:
    return x86_put(r, r->stub + PM_STUB_ADDRESS);
  default:
    return PM_RELOCATION_UNKNOWN;
  }
}

/* --- AArch64: ELF for the Arm 64-bit Architecture, "Relocation types" --- */

static unsigned arm_bytes(uint32_t type) {
  switch (type) {
  case R_AARCH64_ABS64:
  case R_AARCH64_PREL64:
    return 8;
  case R_AARCH64_PREL32:
  case R_AARCH64_CALL26:
  case R_AARCH64_JUMP26:
  case R_AARCH64_ADR_PREL_PG_HI21:
  case R_AARCH64_ADR_GOT_PAGE:
  case R_AARCH64_ADD_ABS_LO12_NC:
  case R_AARCH64_LDST8_ABS_LO12_NC:
  case R_AARCH64_LDST16_ABS_LO12_NC:
  case R_AARCH64_LDST32_ABS_LO12_NC:
  case R_AARCH64_LDST64_ABS_LO12_NC:
  case R_AARCH64_LDST128_ABS_LO12_NC:
  case R_AARCH64_LD64_GOT_LO12_NC:
    return 4;
  default:
    return 0;
  }
}

/* The field of an instruction: `bits` of the value from bit `at` on. */
static void put_field(unsigned char *to, unsigned at, unsigned bits, uint64_t value) {
  uint32_t mask = (((uint32_t)1 << bits) - 1) << at;
  put32(to, (get32(to) & ~mask) | ((uint32_t)(value << at) & mask));
}

static pm_relocated arm_call(const pm_relocation *r, uint64_t to) {
  int64_t distance = (int64_t)(to + (uint64_t)r->addend - (uint64_t)(uintptr_t)r->at);
  if (!fits(distance, 28)) return PM_RELOCATION_TOO_FAR;
  put_field(r->at, 0, 26, (uint64_t)distance >> 2);
  return PM_RELOCATED;
}

/* Of adrp: the distance of pages of 4 KB. */
static pm_relocated arm_page(const pm_relocation *r, uint64_t to) {
  const uint64_t page = ~(uint64_t)0xfff;
  int64_t distance = (int64_t)((to & page) - ((uint64_t)(uintptr_t)r->at & page));
  if (!fits(distance, 33)) return PM_RELOCATION_TOO_FAR;
  put_field(r->at, 29, 2, (uint64_t)distance >> 12);
  put_field(r->at, 5, 19, (uint64_t)distance >> 14);
  return PM_RELOCATED;
}

/* The rest of an address in its page, which an instruction counts in elements of 2^scale bytes. */
static pm_relocated arm_rest(const pm_relocation *r, uint64_t to, unsigned scale) {
  put_field(r->at, 10, 12, (to & 0xfff) >> scale);
  return PM_RELOCATED;
}

static pm_relocated arm_relocate(const pm_relocation *r) {
  uint64_t value = r->symbol + (uint64_t)r->addend, slot = r->stub + PM_STUB_ADDRESS,
           distance = value - (uint64_t)(uintptr_t)r->at;
  switch (r->type) {
  case R_AARCH64_ABS64:
    return put64(r->at, value), PM_RELOCATED;
  case R_AARCH64_PREL64:
    return put64(r->at, distance), PM_RELOCATED;
  case R_AARCH64_PREL32:
    return fits((int64_t)distance, 32) ? (put32(r->at, (uint32_t)distance), PM_RELOCATED)
                                       : PM_RELOCATION_TOO_FAR;
  case R_AARCH64_CALL26:
  case R_AARCH64_JUMP26:
    return arm_call(r, r->symbol) == PM_RELOCATED ? PM_RELOCATED : arm_call(r, r->stub);
  case R_AARCH64_ADR_PREL_PG_HI21:
    return arm_page(r, value);
  case R_AARCH64_ADR_GOT_PAGE:
    return arm_page(r, slot);
  case R_AARCH64_ADD_ABS_LO12_NC:
  case R_AARCH64_LDST8_ABS_LO12_NC:
    return arm_rest(r, value, 0);
  case R_AARCH64_LDST16_ABS_LO12_NC:
    return arm_rest(r, value, 1);
  case R_AARCH64_LDST32_ABS_LO12_NC:
    return arm_rest(r, value, 2);
  case R_AARCH64_LDST64_ABS_LO12_NC:
    return arm_rest(r, value, 3);
  case R_AARCH64_LDST128_ABS_LO12_NC:
    return arm_rest(r, value, 4);
  case R_AARCH64_LD64_GOT_LO12_NC:
    return arm_rest(r, slot, 3);
  default:
    return PM_RELOCATION_UNKNOWN;
  }
}

/* --- the table --- */

static const pm_relocator rows[] = {
    /* jmp *2(%rip) */
    {EM_X86_64, {0xff, 0x25, 2, 0, 0, 0, 0x66, 0x90}, x86_bytes, x86_relocate},
    /* ldr x16, .+8; br x16 */
    {EM_AARCH64, {0x50, 0, 0, 0x58, 0, 0x02, 0x1f, 0xd6}, arm_bytes, arm_relocate}};

const pm_relocator *pm_find_relocator(unsigned machine) {
  for (size_t i = 0; i < PM_COUNT(rows); i++)
    if (rows[i].machine == machine) return &rows[i];
  return NULL;
}

unsigned pm_process_machine(void) {
#if defined(__x86_64__) && defined(__LP64__)
  return EM_X86_64;
#elif defined(__aarch64__) && defined(__AARCH64EL__)
  return EM_AARCH64;
#else
  return EM_NONE;
#endif
}
