// Iterations of an update may be parallel where they write different elements: by scaled indices, one of a row of
// elements, numbers of several digits, and indices that another one gives.
// RUN: pm-translate %s --range=n=1:40 --range=shift=-3:9 --to=pmir | FileCheck %s
// CHECK: stage.output @out
Input<Buffer<uint16_t, 2>> in{"in"};
Input<int> n{"n"}, shift{"shift"};
Output<Buffer<uint16_t, 2>> out{"out"};
Var x("x"), y("y");
Expr width = in.width(), height = in.height();
RDom r(0, width / 2, 0, height / 2), all(0, n, 0, 30), digits(0, 4, 0, 3, 0, 5);
Func quarters("quarters"), row("row"), backwards("backwards"), numbers("numbers"), slanted("slanted"), free("free");
quarters(x, y) = cast<uint16_t>(0);
quarters(r.x * 2, r.y * 2 + 1) = in(r.x * 2, r.y * 2 + 1);
quarters.compute_root().update().parallel(r.y).vectorize(r.x, 4);
row(x) = cast<uint16_t>(0);
row(all.y * n + all.x) = in(all.x, all.y);
row.compute_root().update().parallel(all.y).vectorize(all.x, 4);
backwards(x) = cast<uint16_t>(0);
backwards(30 * n - 1 - all.x - all.y * n + shift) = in(all.x, all.y);
backwards.compute_root().update().parallel(all.y).parallel(all.x);
numbers(x) = 0;
numbers(digits[0] + 4 * digits[1] + 12 * digits[2]) = digits[1];
numbers.compute_root().update().parallel(digits[0]).parallel(digits[1]).parallel(digits[2]);
slanted(x, y) = cast<uint16_t>(0);
slanted(all.x + all.y * shift, all.y) = in(all.x, all.y);
slanted.compute_root().update().parallel(all.x).parallel(all.y);
free(x, y) = cast<uint16_t>(0);
free(x, 3 - 2 * r.y) = in(x, r.y);
free.compute_root().update().parallel(r.y);
out(x, y) = quarters(x, y) + row(clamp(x, 0, 3)) + backwards(clamp(x, 0, 3)) + cast<uint16_t>(numbers(clamp(x, 0, 3))) +
            slanted(x, y) + free(x, clamp(y, -1, 1));
