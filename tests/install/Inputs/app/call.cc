// As call.c, in C++.
#include "scale.h"
#include "shift.h"

#include <iostream>
#include <vector>

int main() {
  std::vector<float> img{0, 1, 2, 3}, a(4), b(4);
  int code = scale(4, img.data(), a.data());
  if (!code) code = shift(4, img.data(), b.data());
  if (code) std::cerr << shift_strerror(code) << "\n";
  else std::cout << a[3] << " " << b[3] << "\n";
  return code;
}
