// Updates after another Func has read what they update: its definition, one of an update, in().
// RUN: pm-translate %s --verify-diagnostics --to=pmir
Input<Buffer<int32_t, 1>> in{"in"};
Output<Buffer<int32_t, 1>> out{"out"};
Var x("x");
Func f("f"), g("g"), h("h"), own("own"), apart("apart");
f(x) = in(x);
f(x) += f(x);
// expected-note@+1:9 {{it is read here}}
g(x) = f(x) + 1;
// expected-error@+1:6 {{f is updated after the definition of g has read it, the update should come before}}
f(x) += 5;
h(x) = x;
// expected-note@+1:10 {{it is read here}}
g(x) += h(x);
// expected-error@+1:6 {{h is updated after the definition of g has read it, the update should come before}}
h(0) = 7;
own(x) = x;
apart(x) = own(x);
// expected-note@-1:15 {{it is read here}}
// expected-error@+1:8 {{own is updated after the definition of apart has read it, the update should come before}}
own(3) += 1;
out(x) = g(x) + apart(x);
