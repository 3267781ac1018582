/* Arguments of templates: types and values, given, deduced, default, of names and of members of names. */
template <int N, bool S> struct Fixed { int v; };
template <typename T, int F> using Sized = Fixed<sizeof(T) * 8 + F, std::is_signed<T>::value>;
template <int N, bool S> Fixed<N, S> built(int x) {
  return Fixed<N, S>{x * N + (S ? 1 : 0)};
}
template <typename T, int F> Sized<T, F> built(int x) {
  return built<sizeof(T) * 8 + F, std::is_signed<T>::value>(x);
}
template <int F> Sized<int16_t, F> make16(int x) {
  return built<int16_t, F>(x);
}
struct Mine {
  int a;
};
template <typename T> int kind(int) {
  return 1;
}
template <int N> int kind(int) {
  return 2;
}

const int eight = 8;
int first() {
  print(built<8, false>(3).v);
  print(built<uint8_t, 2>(3).v);
  print(make16<4>(2).v);
  print(kind<Mine>(0));
  print(kind<int>(0));
  print(kind<unsigned char>(1));
  print(kind<std::vector<int>>(1));
  print(kind<eight>(0));
  return 0;
}
template <unsigned N, unsigned F, bool is_signed = true> struct Fix {
  int v;
  static Fix<N, F, is_signed> to(int x) { return Fix<N, F, is_signed>{x << F}; }
  template <typename T> static T from(const Fix<N, F, is_signed> &x) { return (T)(x.v >> F); }
};
template <typename T, unsigned F> using Of = Fix<sizeof(T) * 8, F, std::is_signed<T>::value>;
template <unsigned N, unsigned F, bool is_signed = true> Fix<N, F, is_signed> to(int x) {
  return Fix<N, F, is_signed>::to(x);
}
template <typename T, unsigned F> Of<T, F> to(int x) {
  return to<sizeof(T) * 8, F, std::is_signed<T>::value>(x);
}
template <typename T, unsigned N, unsigned F, bool is_signed> T from(const Fix<N, F, is_signed> &x) {
  return Fix<N, F, is_signed>::template from<T>(x);
}
template <unsigned N, unsigned F, bool is_signed>
Fix<N, F, is_signed> operator*(const Fix<N, F, is_signed> &x, const Fix<N, F, is_signed> &y) {
  return Fix<N, F, is_signed>{(x.v * y.v) >> F};
}
template <unsigned N, unsigned F, bool is_signed> int get(const Fix<N, F, is_signed> &f) {
  return N * 100 + F * 10 + is_signed;
}
template <unsigned N, unsigned F> Fix<N, N - 2> half(const Fix<N, F> &f) {
  return Fix<N, N - 2>{f.v / 2};
}
using F16 = Of<int16_t, 4>;
int main() {
  first();
  F16 a = to<int16_t, 4>(3), b = F16::to(5);
  auto c = to<uint8_t, 2>(7);
  print(get(a));
  print(get(c));
  print(get(to<8, 3>(1)));
  print((a * b).v);
  print(from<int>(a * b));
  print(from<uint8_t>(c));
  print(get(half(a)));
  print(half(a).v);
  print(a.from<int>(b));
}
