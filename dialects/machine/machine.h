/* The machine that code is made for, as cost models see it. */
#ifndef PM_DIALECTS_MACHINE_MACHINE_H
#define PM_DIALECTS_MACHINE_MACHINE_H

#include "ir/ir.h"
#include "ir/registry.h"

typedef struct pm_machine {
  int64_t cores;        /* threads that run at the same time */
  int64_t vector_bytes; /* of a vector register */
  int64_t l1_bytes;     /* of the first data cache, of one core */
  int64_t l2_bytes;
  int64_t l3_bytes; /* shared; 0: there is none */
  /* Millions a second, of one core: operations on vectors, and bytes from the caches and from memory. */
  int64_t vector_mops;
  int64_t l2_mbytes, l3_mbytes, dram_mbytes;
  int64_t shared_mbytes; /* from memory, of all cores together */
  int64_t fresh_mbytes;  /* of memory that is used for the first time after it was allocated, of one core */
  /* Operations that one of these counts as. */
  int64_t divide_ops, call_ops, strided_ops, gather_ops;
  int64_t line_bytes, page_bytes;        /* of a line of the caches, and of a page of memory */
  int64_t tlb_pages, page_ns;            /* pages whose addresses are known, and to find that of another */
  int64_t loop_ns, tile_ns, parallel_ns; /* to start an innermost loop, a tile, and a parallel loop */
  /* Of a device: work-items that a core runs at the same time, bytes of registers that one of them has for
   * arrays, and of local memory that a group of them has. */
  int64_t items, item_bytes, group_bytes;
  int64_t vector_registers; /* of a core, of vector_bytes each */
  int64_t size;             /* what integer parameters without an estimate usually are here */
} pm_machine;

/* What passes take every machine to be that have none at hand; the fields line_bytes and page_bytes are
 * usually these. They are macros, since options have some as their usual value (passes/passes.def). */
#define PM_LINE_BYTES 64           /* of a line of the caches */
#define PM_PAGE_BYTES 4096         /* of a page of memory */
#define PM_VECTOR_REGISTERS 16     /* of a core */
#define PM_WIDEST_VECTOR_BYTES 64  /* of the widest vector that functions are called on */
#define PM_SVE_STEP_BYTES 16       /* of which registers of SVE are a multiple */
#define PM_SVE_MOST_BYTES 256      /* of a register of SVE */
#define PM_NEAR_ROW 256            /* numbers of a row that stays in the first cache, beside some others */
#define PM_LEAST_GATHERED_BYTES 4  /* of an element that a gather loads */
#define PM_MOST_GATHERED_BYTES 8   /* the same, at most: neighbours are as good as one */
#define PM_SHORT_ROW 8             /* fewer numbers of a row are not worth vectors */
#define PM_INTERLEAVED_ROWS 8      /* whose chains of operations a core overlaps */
#define PM_JAMMED_ROWS 4           /* that a vector loop computes at once, where they read the same */
#define PM_LEAST_SHARED 40         /* of the bytes that such a loop loads, in percent */
#define PM_STRIP_COLUMNS 256       /* that an iteration of a loop of threads goes down */
#define PM_WAVEFRONT_ROWS 32       /* of a tile of a wavefront */
#define PM_WAVEFRONT_COLUMNS 512   /* and its columns */
#define PM_STREAMED_BYTES 1024     /* rows of fewer bytes gain nothing by going past the caches */
#define PM_STREAM_PIECE_BYTES 8192 /* of a row that is copied past the caches at once */
/* In operations of a point of a vector loop, of which 50 to 100 take a nanosecond in vectors of 8: until
 * memory answers, and for each byte that it brings. */
#define PM_MEMORY_OPS 12000
#define PM_MEMORY_BYTE_OPS 4
/* Accesses whose index repeats its phase after at most so many iterations are vectors: an iteration for each
 * phase, unrolled. */
#define PM_MAX_PERIOD 4
/* Of a device: work-items of a group, and those that run in step. */
#define PM_GROUP_ITEMS 256
#define PM_WARP_ITEMS 32
/* Of a device's work-item, in bytes: the widest access, and a register. */
#define PM_ITEM_ACCESS_BYTES 16
#define PM_ITEM_REGISTER_BYTES 4

/* Bytes of the last of its caches. */
int64_t pm_last_cache(const pm_machine *machine);

/* What this computer says of itself; where it says nothing of a cache, 32 KB, 256 KB and none. It says
 * nothing of speeds: those are of a usual server, and the same everywhere. */
pm_machine pm_host_machine(void);
/* Machines with a name of their own: entries of a context, each a pm_machine. A target that is for another
 * machine than this computer registers that one. */
extern const pm_registry_kind pm_machine_kind;
/* "host", a name of machines.def, that of an entry, or a file with a JSON object of the fields by name:
 * { "cores": 16, "vector_bytes": 32, "l1_bytes": 32768, … }. Those before `vector_mops` it must have.
 * False after a diagnostic. */
bool pm_machine_named(pm_context *ctx, const char *name_or_file, pm_machine *out) PM_MUST_USE;

/* The text of such a file. */
void pm_put_machine(const pm_machine *machine, pm_buf *out);

/* --- the names of machines.def --- */

/* The row of a name, where a field of 0 that has a usual value is as usual; NULL: there is none. */
const pm_machine *pm_find_machine(const char *name);
/* Name number i, other names of a machine behind those of all; NULL: there are no more. */
const char *pm_machine_name_at(size_t i);
/* A line for each name, and host: what it is. */
void pm_put_machine_names(pm_buf *out);
/* The name that is meant by another, or NULL. */
const char *pm_nearest_machine(const char *wanted);

/* --- of a processor, as --cpu calls it --- */

/* Whether code for the processor is for this computer: `cpu` is NULL or "native", and `triple` NULL or a
 * Linux of this architecture. */
bool pm_is_own_processor(const char *triple, const char *cpu);
/* The name of the machine whose processor that is; of a list the last one's. Not `exact`: of one that is
 * near, or the generic one of the triple. NULL: it is this computer's. */
const char *pm_machine_of_processor(const char *triple, const char *cpu, bool *exact);
/* What a triple counts as whose processor is not said; NULL: that of this computer. */
const char *pm_generic_machine(const char *triple);

/* --- as attributes of a module, as MLIR's dialect dlti has the target system ---
 *
 *   builtin.module attributes {machine = "gpu", size = 2000 : index, vector = "avx2"} */

/* Sets of vector instructions: sse4.1, avx2, avx512, neon, sve256, rvv256; bytes of a vector, 16, 32 or 64;
 * or a name of machines.def, of whose vectors they are. What of the machine depends on them becomes theirs.
 * False: there is no such set, and the machine stays as it is. */
bool pm_machine_set_vector(pm_machine *machine, const char *set);
/* The names above, with commas between them. */
#define PM_VECTOR_SETS                                                                                       \
  "sse4.1, avx2, avx512, neon, sve256, rvv256, or 16, 32, 64 bytes, or a name of pm-machine --list"
/* The machine that code is made for: NAME_OR_FILE as above. A `size` other than 0 is that of the module,
 * whatever the machine has. */
void pm_set_machine(pm_module *module, const char *name_or_file, int64_t size);
/* Its set of vector instructions, which is one of those above, in place of the machine's. */
void pm_set_vector(pm_module *module, const char *set);
/* That of the module around the op, with its size; the host, where the module has none. False
 * after a diagnostic. */
bool pm_machine_of(const pm_op *op, pm_machine *out) PM_MUST_USE;
/* The same with the vectors of pm_set_vector, for what makes vectors. Costs are those of the machine. */
bool pm_code_machine_of(const pm_op *op, pm_machine *out) PM_MUST_USE;
/* What an integer parameter without an estimate counts as there; after a diagnostic what it usually is. */
int64_t pm_usual_size(const pm_op *op);

#endif
