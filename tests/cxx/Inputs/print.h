/* What cxx-run brings besides C++'s library, for a compiler. */
#include <algorithm>
#include <array>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <stack>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

inline void print(bool v) {
  printf("bool %d\n", v);
}
inline void print(char v) {
  printf("int8_t %d\n", v);
}
inline void print(signed char v) {
  printf("int8_t %d\n", v);
}
inline void print(unsigned char v) {
  printf("uint8_t %d\n", v);
}
inline void print(short v) {
  printf("int16_t %d\n", v);
}
inline void print(unsigned short v) {
  printf("uint16_t %d\n", v);
}
inline void print(int v) {
  printf("int %d\n", v);
}
inline void print(unsigned v) {
  printf("uint32_t %u\n", v);
}
inline void print(long v) {
  printf("int64_t %ld\n", v);
}
inline void print(unsigned long v) {
  printf("uint64_t %lu\n", v);
}
inline void print(long long v) {
  printf("int64_t %lld\n", v);
}
inline void print(unsigned long long v) {
  printf("uint64_t %llu\n", v);
}
inline void print(float v) {
  printf("float %.17g\n", (double)v);
}
inline void print(double v) {
  printf("double %.17g\n", v);
}
inline void print(const char *v) {
  printf("string %s\n", v);
}
inline void print(const std::string &v) {
  printf("string %s\n", v.c_str());
}
template <typename T, typename... Rest> void print(T first, Rest... rest) {
  print(first);
  print(rest...);
}
