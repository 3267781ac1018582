// Macros: in reading order, with arguments, strings and pasted tokens.
#include "macros.h"
#define ADD(a, b) ((a) + (b))
#define SQUARE(x) ((x) * (x))
#define CALL(f, ...) f(__VA_ARGS__)
#define TEXT(x) #x
#define EXPANDED_TEXT(x) TEXT(x)
#define JOIN(a, b) a##b
#define DECLARE(type, name, value) type JOIN(name, _v) = value
#define REST(first, ...) add_all(first, ##__VA_ARGS__)
#define EMPTY
#define OBJECT SQUARE
#define SELF SELF + 1
#define ITEM one
#include "item.h"
#undef ITEM
#define ITEM two
#include "item.h"
#ifdef FROM_HEADER
int from_header = FROM_HEADER;
#else
int from_header = -1;
#endif
#if FROM_HEADER > 30 && !defined(UNKNOWN) && ADD(1, 2) == 3
int chosen = 1;
#elif defined(FROM_HEADER)
int chosen = 2;
#else
int chosen = 3;
#endif
int add_all(int a) { return a; }
int add_all(int a, int b) { return a + b; }
int add_all(int a, int b, int c) { return a + b * 10 + c * 100; }
#define FUNCTION(name, op)       \
  int name(int a, int b) {       \
    return a op b;               \
  }
FUNCTION(plus, +)
FUNCTION(minus, -)
#define LIST(X) X(red) X(green) X(blue)
enum Color {
#define NAME(c) c,
  LIST(NAME)
#undef NAME
  n_colors
};
int main() {
  int SELF_VALUE = 3;
  (void)SELF_VALUE;
  print(ADD(1, 2) * 3, SQUARE(1 + 2), CALL(add_all, 1, 2, 3), TEXT(a + b), EXPANDED_TEXT(ADD(1, 2)));
  DECLARE(double, half, 0.5);
  print(half_v, REST(1), REST(1, 2), OBJECT(3) EMPTY, one_value, two_value, from_header, chosen);
  print(plus(1, 2), minus(1, 2), (int)green, (int)n_colors, SQUARE(SQUARE(2)), ADD(ADD(1, 2), 3), ADD((1, 5), 2));
  print(TEXT("a\n"), VALUE_OF_HEADER);
}
