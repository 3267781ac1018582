#include "targets/lib/cc_flags.h"

#include "dialects/machine/processor.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* gcc 12 and clang keep to half of a vector of 512 bits on processors that gain by whole ones. */
static bool has_wide_vectors(void) {
  return pm_host_processor()->has_avx512f;
}

/* What gcc 12 does for processors of AMD loads what it has in a register again, and again. It knows none with
 * vectors of 512 bits. */
static bool has_wide_vectors_of_amd(void) {
  return has_wide_vectors() && pm_host_processor()->is_amd;
}

static bool has_avx2_of_amd(void) {
  return !has_wide_vectors() && pm_host_processor()->has_avx2 && pm_host_processor()->is_amd;
}

/* gcc 12 of Debian makes no gathers, since on processors with this vulnerability they wait for its remedy. */
static bool has_fast_gathers(void) {
  char text[32] = "";
  if (!pm_host_processor()->is_intel || !has_wide_vectors()) return false;
  FILE *file = fopen("/sys/devices/system/cpu/vulnerabilities/gather_data_sampling", "re");
  if (!file && errno == ENOMEM) pm_out_of_memory();
  if (!file) return false;
  bool read = fgets(text, sizeof text, file) != NULL;
  fclose(file);
  return read && strcmp(text, "Not affected\n") == 0;
}

/* Nobody reads errno: without it a square root is an instruction, and loops with one become vectors. Nobody
 * reads the flags of exceptions either: without them gcc computes both arms of a choice between floats, which
 * loops that clamp need where no vector has masks. What the C asks of gcc, to leave conditions in loops, also
 * stops it from testing once, outside, whether loops inside others run at all. These do not. */
static bool always(void) {
  return true;
}

static const struct {
  const char *flags;
  bool (*suits)(void);
} tuning[] = {{"-fno-math-errno", always},
              {"-fno-trapping-math", always},
              {"--param=max-unswitch-insns=0 -DPM_NO_UNSWITCHING", always},
              {"-mprefer-vector-width=512", has_wide_vectors},
              {"-mtune=icelake-server", has_wide_vectors_of_amd},
              {"-mtune=generic", has_avx2_of_amd},
              {"-mtune-ctrl=use_gather", has_fast_gathers}};

const char *pm_cc_tuning(size_t i) {
  for (size_t row = 0; row < PM_COUNT(tuning); row++)
    if (tuning[row].suits() && i-- == 0) return tuning[row].flags;
  return NULL;
}
