/* Addresses in machine code, by the psABI of each processor. */
#ifndef PM_TARGETS_LIB_RELOCATE_H
#define PM_TARGETS_LIB_RELOCATE_H

#include <stdbool.h>
#include <stdint.h>

/* A jump to the address that is behind it, for what is too far from the code: it is near. */
enum { PM_STUB_BYTES = 16, PM_STUB_ADDRESS = 8 };

/* A place that gets an address. */
typedef struct pm_relocation {
  uint32_t type;
  unsigned char *at;
  uint64_t symbol; /* where it leads */
  int64_t addend;
  uint64_t stub; /* of the symbol */
} pm_relocation;

typedef enum pm_relocated { PM_RELOCATED, PM_RELOCATION_UNKNOWN, PM_RELOCATION_TOO_FAR } pm_relocated;

typedef struct pm_relocator {
  unsigned machine; /* e_machine of ELF */
  unsigned char jump[PM_STUB_ADDRESS];
  unsigned (*bytes)(uint32_t type); /* of the place; 0: the type is unknown */
  pm_relocated (*relocate)(const pm_relocation *r);
} pm_relocator;

/* NULL: there is none for the machine. */
const pm_relocator *pm_find_relocator(unsigned machine);
/* Of this process. */
unsigned pm_process_machine(void);

#endif
