// Blurs a picture with one bright pixel, in C++.
#include "blur.h"

#include <iostream>
#include <stdexcept>
#include <vector>

namespace {

class Picture {
public:
  Picture(int rows, int columns) : rows_(rows), columns_(columns), pixels_(std::size_t(rows) * columns) {}
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  float *data() { return pixels_.data(); }
  const float *data() const { return pixels_.data(); }
  float &at(int row, int column) { return pixels_.at(std::size_t(row) * columns_ + column); }

private:
  int rows_, columns_;
  std::vector<float> pixels_;
};

Picture blurred(const Picture &img) {
  Picture out(img.rows(), img.columns());
  if (int code = blur(img.rows(), img.columns(), img.data(), out.data())) throw std::runtime_error(blur_strerror(code));
  return out;
}

} // namespace

int main() {
  Picture img(4, 6);
  img.at(1, 2) = 9;
  Picture out = blurred(img);
  for (int i = 0; i < out.rows(); i++, std::cout << '\n')
    for (int k = 0; k < out.columns(); k++) std::cout << ' ' << out.at(i, k);
}
