/* Templates and classes that are declared before they are defined. */
template <bool yes> struct Weight;
template <> struct Weight<false> { int n = 3; };
template <> struct Weight<true> { int n = 4; };
template <typename T> struct Upper;
template <> struct Upper<uint8_t> { using type = uint16_t; };
template <> struct Upper<int> { using type = int64_t; };
template <typename T> struct Later;
template <> struct Later<int> { static const int n = 5; };
template <typename T> struct Later { static const int n = sizeof(T); };
struct Forward;
static int take(const Forward &f);
struct Forward {
  int k = 8;
};
static int take(const Forward &f) {
  return f.k;
}
template <typename T> typename Upper<T>::type twice(T t) {
  return (typename Upper<T>::type)t * 2;
}
int main() {
  Weight<false> a;
  Weight<true> b;
  print(a.n);
  print(b.n);
  print(twice((uint8_t)200));
  print(twice(2000000000));
  print(Later<int>::n);
  print(Later<double>::n);
  print(take(Forward()));
}
