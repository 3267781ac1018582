#ifndef MACROS_H
#define MACROS_H
#define FROM_HEADER 40
#define VALUE_OF_HEADER (FROM_HEADER + 2)
#else
#error read twice
#endif
