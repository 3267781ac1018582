#include <vector>
#include <string>
struct L : std::vector<int> {
  int k = 3;
  using std::vector<int>::vector;
  int total() { int s = 0; for (int i : *this) s += i; return s + (int)size(); }
  int second() const { return (*this)[1] + at(0); }
  void add(int x) { push_back(x); this->push_back(x + 1); std::vector<int>::push_back(x + 2); }
  int third() { return std::vector<int>::operator[](2) + operator[](1) + this->operator[](0); }
};
struct M : L { int size() { return 100; } M() : L{} {} int both() { return size() + L::size(); } };
struct N : std::vector<float> { std::string name; N(std::string n, int c) : std::vector<float>(c, 2.5f), name(n) {} };
int by_ref(std::vector<int> &v) { v.push_back(9); return v.size(); }
int by_value(std::vector<int> v) { v.push_back(9); return v.size(); }
int overload(const std::vector<int> &v) { return 1; }
int overload(const L &v) { return 2; }
template <class T> T front_of(const std::vector<T> &v) { return v[0]; }
int main() {
  L l;
  l.push_back(4); l.add(7);
  print(l.total()); print(l.second()); print(l.third()); print(l.k);
  L c = l; c.push_back(1); c[0] = 11;
  print(l.size()); print(c.size()); print(l[0]); print(c[0]);
  print(by_value(l)); print(by_ref(l)); print(l.size());
  print(overload(l)); print(front_of(l));
  M m; m.push_back(3); print(m.size()); print(m.both()); print(m.L::size()); print(m[0]); print(overload(m));
  N n("n", 3); print(n.size()); print(n[2]); print(n.name);
  L sized(5, 2); print(sized.size()); print(sized.total());
  std::vector<int> &r = l; r.push_back(5); print(l.size());
  std::vector<int> *p = &l; p->push_back(5); print(l.size());
  std::vector<L> all; all.push_back(l); all.push_back(c); print(all[1].size()); print(all[0].k);
  std::pair<L, int> pr = std::make_pair(l, 4); print(pr.first.k);
  std::vector<int> sliced = l; sliced.push_back(1); print(sliced.size() - l.size());
  c = l; print(c.size());
  for (auto &x : c) x += 1;
  print(c[0]); print(l[0]);
  print(l == c);
}
