// What C++'s library brings.
#include <sstream>
bool descending(int a, int b) { return a > b; }
struct Item { int key; double value; };
int main() {
  std::vector<int> v = {5, 3, 9, 1};
  std::swap(v[0], v[2]);
  print(v[0], v[2]);
  std::sort(v.begin(), v.end());
  print(v[0], v[3]);
  std::sort(v.begin(), v.end(), descending);
  print(v[0]);
  std::sort(v.begin() + 1, v.end(), [](int a, int b) { return a < b; });
  print(v[0], v[1], v[2], v[3]);
  print(std::accumulate(v.begin(), v.end(), 0), std::accumulate(v.begin(), v.end(), 1.5));
  print(std::accumulate(v.begin(), v.end(), 1, [](int a, int b) { return a * b; }));
  std::iota(v.begin(), v.end(), 4);
  print(v[0], v[3]);
  std::fill(v.begin(), v.end(), 2);
  print(v[1], v.size(), v.empty());
  std::vector<Item> items = {{3, 0.5}, {1, 1.5}, {2, 2.5}};
  std::sort(items.begin(), items.end(), [](const Item &a, const Item &b) { return a.key < b.key; });
  print(items[0].value, items[2].key);
  int a = 1, b = 2;
  std::swap(a, b);
  print(a, b);
  print(std::min(3, 4), std::max(2.5, 1.5), std::max<double>(1, 2.5), std::min({4, 2, 8}), std::max({1, 7, 3}));
  print(std::abs(-3), std::abs(-2.5), std::pow(2, 10), std::sqrt(2.0f), std::floor(-1.5), std::round(2.5));
  print(std::numeric_limits<uint8_t>::max(), std::numeric_limits<int>::min(), std::numeric_limits<float>::max());
  std::array<int, 3> fixed = {1, 2};
  print(fixed[2], fixed.size());
  std::map<std::string, int> m;
  m["b"] = 2;
  m["a"] = 1;
  int sum = 0;
  std::string order;
  for (auto &kv : m) {
    sum += kv.second;
    order += kv.first;
  }
  for (auto [key, value] : m) order += key + std::to_string(value);
  print(sum, order, m.count("z"), m.at("a"));
  std::pair<int, double> p(1, 2.5);
  auto [first, second] = p;
  print(p.first, p.second, first, second, std::make_pair(3, 'c').first);
  std::tuple<int, double, std::string> t(1, 2.5, "x");
  print(std::get<0>(t), std::get<1>(t), std::get<2>(t));
  std::get<0>(t) = 9;
  print(std::get<0>(t));
  std::optional<int> none, some = 4;
  print(none.has_value(), some.value(), *some, none.value_or(7), some ? 1 : 0);
  std::string s = "hello";
  print(s.size(), s + " you", s.substr(1, 3), s == "hello", s[1], s.empty());
  std::function<int(int)> f = [](int n) { return n + 1; };
  print(f(1));
  std::vector<std::vector<int>> grid(2, std::vector<int>(3, 7));
  grid[1][2] = 0;
  print(grid[0][2], grid[1][2], grid.size() * grid[0].size());
  std::set<int> set = {3, 1, 3};
  print(set.size(), set.count(1));
  v.erase(v.begin());
  v.insert(v.begin(), 11);
  print(v.front(), v.back(), v.size(), *std::max_element(v.begin(), v.end()), std::count(v.begin(), v.end(), 2));
  print(std::all_of(v.begin(), v.end(), [](int x) { return x > 0; }), std::find(v.begin(), v.end(), 5) == v.end());
  std::stringstream text;
  text << "a" << 1 << 'c' << 2.5f << true << std::string("s");
  text << uint8_t(65) << 1e10 << -3 << 18446744073709551615u;
  print(text.str());
  std::ostringstream other;
  print(other.str().size());
  other << text.str().substr(0, 3) << std::endl;
  print(other.str());
}
