// RUN: exits-with 1 pm-translate --to=pmir %s 2>&1 | FileCheck %s
// mistake: the program is HIPAcc's
// CHECK: :[[#@LINE+1]]:1: error: the header 'hipacc.hpp' is of another language, whose programs are read with --from=hipacc
#include "hipacc.hpp"
using namespace hipacc;
