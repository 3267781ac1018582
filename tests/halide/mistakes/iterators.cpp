// RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
// mistake: iterators that leave their vector, and of two vectors (undefined in C++)
Output<Buffer<int, 1>> out{"out"};
Var x("x");
std::vector<int> a{1, 2}, b{3};
// CHECK: :[[#@LINE+1]]:9: error: the iterator is at the end of the list, no item is there
int n = *a.end();
// CHECK: :[[#@LINE+1]]:21: error: the iterator leaves the list
auto it = a.begin() + 3;
// CHECK: :[[#@LINE+1]]:11: error: distance takes two iterators of one list, the first one first
int far = std::distance(a.end(), a.begin());
// CHECK: :[[#@LINE+1]]:14: error: distance takes two iterators of one list, the first one first
int of_two = std::distance(a.begin(), b.end());
// CHECK: :[[#@LINE+1]]:18: error: the iterators should be of one list, the first one first
std::vector<int> c(a.begin(), b.end());
// CHECK: :[[#@LINE+1]]:3: error: insert takes a position of the list, and a value or a range
a.insert(b.begin(), 1);
out(x) = x;
