#include "dialects/machine/processor.h"

#include <pthread.h>
#include <string.h>

static pm_processor host;

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

enum { HAS_XGETBV = 1u << 27, HAS_AVX = 1u << 28, HAS_AVX2 = 1u << 5, HAS_AVX512F = 1u << 16 };
enum { KEEPS_AVX = 0x06, KEEPS_AVX512 = 0xe6 };

/* The registers that the system saves (Intel's manual, volume 1, 13.3). */
static unsigned kept_registers(void) {
  unsigned low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

static void ask_processor(void) {
  unsigned a, b, c, d, words[3], kept = 0;
  if (!__get_cpuid(0, &a, &words[0], &words[2], &words[1])) return;
  host.is_amd = memcmp(words, "AuthenticAMD", sizeof words) == 0;
  host.is_intel = memcmp(words, "GenuineIntel", sizeof words) == 0;
  if (__get_cpuid(1, &a, &b, &c, &d) && (c & HAS_XGETBV)) kept = kept_registers();
  host.has_avx = (kept & KEEPS_AVX) == KEEPS_AVX && (c & HAS_AVX);
  if (!host.has_avx || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return;
  host.has_avx2 = b & HAS_AVX2;
  host.has_avx512f = (kept & KEEPS_AVX512) == KEEPS_AVX512 && (b & HAS_AVX512F);
}

#else

static void ask_processor(void) {}

#endif

const pm_processor *pm_host_processor(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  (void)pthread_once(&once, ask_processor);
  return &host;
}
