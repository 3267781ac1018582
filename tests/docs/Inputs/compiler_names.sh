# compiler_names.sh ROOT: prints lines that name a C compiler where only the IR and its loops should matter; fails if
# there are any.
cd "$1" || exit 2

found=$(find passes dialects ir frontends -type f | sort | xargs grep -HnEw 'gcc|GCC|clang|LLVM|__clang__|__GNUC__' |
  grep -vE '/\* clang-format (on|off) \*/')
[ -z "$found" ] || { echo "$found"; exit 1; }
