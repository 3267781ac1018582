/* What `expect.py` puts around a program so that real Halide runs it: cases as text on standard input,
 * outputs as text on standard output. In both, an array is `NAME TYPE RANK EXTENT… VALUE…`, x first and
 * fastest. Needs C++17. */
#ifndef TESTS_HALIDE_REAL_H
#define TESTS_HALIDE_REAL_H

#include "Halide.h"
#include <iostream>
#include <map>

namespace real {

struct Case {
  std::map<std::string, Halide::Buffer<>> inputs;
  std::map<std::string, std::string> params, generator_params;
  std::map<std::string, std::vector<int>> extents;
};

inline Halide::Type type_of(const std::string &name) {
  if (name == "bool") return Halide::Bool();
  int bits = std::stoi(name.substr(1));
  return name[0] == 'u' ? Halide::UInt(bits) : name[0] == 'i' ? Halide::Int(bits) : Halide::Float(bits);
}

inline std::string name_of(Halide::Type t) {
  if (t.is_bool()) return "bool";
  return (t.is_uint() ? "u" : t.is_int() ? "i" : "f") + std::to_string(t.bits());
}

/* Calls f with a value of the C++ type that has the values of t. */
template <typename F> void with_type(Halide::Type t, F f) {
  if (t.is_bool() || t == Halide::UInt(8)) return f(uint8_t());
  if (t == Halide::UInt(16)) return f(uint16_t());
  if (t == Halide::UInt(32)) return f(uint32_t());
  if (t == Halide::UInt(64)) return f(uint64_t());
  if (t == Halide::Int(8)) return f(int8_t());
  if (t == Halide::Int(16)) return f(int16_t());
  if (t == Halide::Int(32)) return f(int32_t());
  if (t == Halide::Int(64)) return f(int64_t());
  if (t == Halide::Float(32)) return f(float());
  if (t == Halide::Float(64)) return f(double());
  std::cerr << "no values of type " << t << "\n";
  exit(3);
}

template <typename T> T number(const std::string &text) {
  if (std::is_floating_point<T>()) return (T)std::stod(text);
  return text[0] == '-' ? (T)std::stoll(text) : (T)std::stoull(text);
}

inline Halide::Buffer<> read_buffer() {
  std::string type, text;
  int rank;
  std::cin >> type >> rank;
  std::vector<int> extents(rank);
  for (int &e : extents) std::cin >> e;
  Halide::Buffer<> b(type_of(type), extents);
  with_type(b.type(), [&](auto zero) {
    for (size_t i = 0; i < b.number_of_elements(); i++) {
      std::cin >> text;
      ((decltype(zero) *)b.data())[i] = number<decltype(zero)>(text);
    }
  });
  return b;
}

inline Case read_case() {
  Case c;
  std::string what, name;
  while (std::cin >> what >> name) {
    if (what == "in") {
      c.inputs[name] = read_buffer();
    } else if (what == "param") {
      std::cin >> c.params[name];
    } else if (what == "generator") {
      std::cin >> c.generator_params[name];
    } else {
      int rank;
      std::cin >> rank;
      c.extents[name].resize(rank);
      for (int &e : c.extents[name]) std::cin >> e;
    }
  }
  return c;
}

inline void print(const std::string &name, const Halide::Buffer<> &b) {
  std::cout << name << " " << name_of(b.type()) << " " << b.dimensions();
  for (int d = 0; d < b.dimensions(); d++) std::cout << " " << b.dim(d).extent();
  with_type(b.type(), [&](auto zero) {
    for (size_t i = 0; i < b.number_of_elements(); i++) {
      auto v = ((const decltype(zero) *)b.data())[i];
      std::cout.precision(sizeof v == 4 ? 9 : 17);
      if (sizeof v == 1)
        std::cout << " " << (int)v;
      else
        std::cout << " " << v;
    }
  });
  std::cout << "\n";
}

/* The name without what Halide appends to make it unique. */
inline std::string plain(const std::string &name) {
  return name.substr(0, name.find('$'));
}

inline void realize(const Case &c, Halide::Pipeline p) {
  std::vector<Halide::Buffer<>> buffers;
  std::vector<std::string> names;
  for (const Halide::Func &f : p.outputs()) {
    std::string name = plain(f.name());
    auto extents = c.extents.find(name);
    if (extents == c.extents.end()) {
      std::cerr << "no extents of '" << name << "'\n";
      exit(3);
    }
    const auto &types = f.types();
    for (size_t i = 0; i < types.size(); i++) {
      buffers.emplace_back(types[i], extents->second);
      names.push_back(types.size() == 1 ? name : name + "." + std::to_string(i));
    }
  }
  p.realize(Halide::Realization(buffers));
  for (size_t i = 0; i < buffers.size(); i++) print(names[i], buffers[i]);
}

inline void set_param(Halide::Parameter p, const std::string &text) {
  with_type(p.type(), [&](auto zero) {
    halide_scalar_value_t value = {};
    auto v = number<decltype(zero)>(text);
    memcpy(&value, &v, sizeof v);
    p.set_scalar(p.type(), value);
  });
}

inline void run_generator(const Case &c, const std::string &name) {
  using namespace Halide::Internal;
  auto g = GeneratorRegistry::create(name, Halide::GeneratorContext(Halide::get_host_target()));
  for (const auto &[param, value] : c.generator_params) g->set_generatorparam_value(param, value);
  Halide::Pipeline p = g->build_pipeline();
  for (const auto &info : g->arginfos()) {
    if (info.dir != ArgInfoDirection::Input) continue;
    std::vector<Halide::Parameter> all = g->input_parameter(info.name);
    for (size_t i = 0; i < all.size(); i++) {
      std::string item = all.size() > 1 ? info.name + "_" + std::to_string(i) : info.name;
      if (info.kind != ArgInfoKind::Scalar)
        all[i].set_buffer(c.inputs.at(item));
      else if (c.params.count(item))
        set_param(all[i], c.params.at(item));
    }
  }
  realize(c, p);
}

/* Calls f() and says what Halide says. */
template <typename F> int guarded(F f) {
  try {
    f();
    return 0;
  } catch (const Halide::Error &e) {
    std::cerr << e.what() << "\n";
    return 2;
  }
}

} // namespace real

#endif
