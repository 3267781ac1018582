/* Functions of numbers: the type of the result, and its value in float and in double. */
int main() {
  float f[] = {0.3f, 1.7f, -2.25f, 100.5f, 1e-20f};
  for (float x : f) {
    print(std::sqrt(std::abs(x)));
    print(std::exp(x / 10));
    print(std::log(std::abs(x)));
    print(std::sin(x));
    print(std::cos(x));
    print(std::tanh(x));
    print(std::atan(x));
    print(std::floor(x));
    print(std::round(x));
    print(std::pow(std::abs(x), 0.3f));
    print(std::pow(std::abs(x), 2));
    print(std::pow(std::abs(x), 0.3));
    print(std::atan2(x, 0.5f));
    print(std::fmod(x, 0.7f));
    print(std::hypot(x, 3.0));
    print(std::log2(std::abs(x)));
    print(std::exp2(x));
    print(std::cbrt(x));
    print(std::trunc(x));
    print(std::copysign(3.0f, x));
  }
  for (double x : f) {
    print(std::sqrt(std::abs(x)));
    print(std::exp(x / 10));
    print(std::log10(std::abs(x)));
    print(std::sin(x));
    print(std::pow(std::abs(x), 0.3));
    print(std::rint(x));
  }
  print(std::sqrt(2));
  print(std::pow(2, 10));
  print(std::pow(2, std::ceil(std::log2((double)100))));
  print(sqrtf(2.0f));
  print(powf(2.0f, 0.5f));
  print(std::max(1.5, 2.5));
  print(std::min<double>(1, 2.5));
  print(std::fmax(1.0f, 2));
  print(std::lround(2.5));
  print(std::abs(-3));
  print(std::abs(-3.5f));
  print(std::clamp(7, 1, 5));
}
