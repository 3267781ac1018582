/* How many elements a reduction keeps in registers. */
#ifndef PM_PASSES_LOOP_ACCUMULATE_IN_REGISTERS_PLAN_H
#define PM_PASSES_LOOP_ACCUMULATE_IN_REGISTERS_PLAN_H

#include "dialects/machine/machine.h"
#include "passes/loop/accumulate-in-registers/nest.h"

typedef struct accumulate_plan {
  unsigned vectors; /* of a strip of the row; 0: there is none */
  unsigned rows;    /* that are computed at once; 1: one */
  unsigned
      jammed; /* the loop of the nest whose iterations these are; with one row the first of the reduction */
  unsigned strip; /* the loop of the nest around which the strips are */
  bool by_row;    /* a step computes all vectors of a row, then the next row; else vector by vector */
} accumulate_plan;

/* What a plan has at most. */
typedef struct accumulate_limits {
  int64_t vectors, rows;
} accumulate_limits;

/* The plan of the least cost, by the operations of a step of the reduction, that fits the registers of the
 * machine. */
accumulate_plan accumulate_plan_of(const reduction_nest *nest, const pm_machine *machine,
                                   accumulate_limits limits);

#endif
