/* Loops marked "isolate" get two versions: of full tiles, and of those that a border cuts. */
#ifndef PM_DIALECTS_POLY_LOWER_FULL_TILES_H
#define PM_DIALECTS_POLY_LOWER_FULL_TILES_H

#include "dialects/poly/lower/scan.h"

/*   for t = 0 .. n isolate                |  for t = 0 .. n
 *     for x = 256 t .. min(256 t + 255, C)  |    if C >= 256 t + 255
 *       S                                   |      for x = 256 t .. 256 t + 255: S
 *                                           |    else
 *                                           |      for x = 256 t .. min(256 t + 255, C): S
 *
 * It is done for the vector loops inside, and for those that will be unrolled, whose bounds are such least or
 * greatest values, one of them of the tile and the others of the picture. The difference of the bounds is a
 * number then: there is no test for short loops, and the rest behind the last whole vector is known.
 *
 * Not all loops of a tile can be full at once: those of a border begin where those of the interior end. The
 * loops that compute most come first; where a bound cannot be that of the tile then, it is the others, and
 * loops without iterations and what is under a condition that cannot hold go. Memory of the tile is around
 * both versions.
 *
 * Changes the scan, with nodes from the arena; the number of loops that got two versions. */
unsigned poly_separate_full_tiles(pm_arena *arena, poly_scan *scan);

#endif
