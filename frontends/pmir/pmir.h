/* IR text as a program. */
#ifndef PM_FRONTENDS_PMIR_H
#define PM_FRONTENDS_PMIR_H

#include "frontends/frontend.h"

extern const pm_frontend pmir_frontend;

#endif
