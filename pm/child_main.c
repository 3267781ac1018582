/* pm-child, which the library runs (pm/make.h). */
#include "pm/make.h"

int main(int argc, char **argv) {
  return pm_child_main(argc, argv);
}
