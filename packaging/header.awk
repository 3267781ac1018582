# awk -v root=TREE/ -v out=FOLDER/ -f header.awk HEADER…: writes the public headers of the tree into a folder, as they are installed.
# A path in quotes begins with `pm/` there, as those of the folder pm do here, and what a header declares has the linkage of C: from the last of the includes that it
# begins with. Files without a guard are rows and what expands them, and stay as they are.

function flush_file(   i, last, guarded) {
  if (!path) return
  for (i = 1; i <= n; i++) {
    if (line[i] ~ /^#ifndef PM_[A-Z0-9_]*_H$/) guarded = i
    if (line[i] ~ /^#include .*\.h[">]$/ && !began) last = i
    if (line[i] ~ /^[A-Za-z]/) began = 1
  }
  if (guarded && !last) last = guarded + 1
  for (i = 1; i <= n; i++) {
    if (guarded && i == n) print "#ifdef __cplusplus\n}\n#endif\n" > path
    print line[i] > path
    if (guarded && i == last) print "\n#ifdef __cplusplus\nextern \"C\" {\n#endif" > path
  }
  close(path)
}

FNR == 1 {
  flush_file()
  began = 0
  path = substr(FILENAME, length(root) + 1)
  sub(/^pm\//, "", path)
  path = out path
}

{
  gsub(/"(ir|dialects|passes|frontends|targets|tools)\/[^" ]*\.(h|def)"/, "\"pm/&")
  gsub(/"pm\/"/, "\"pm/")
  line[n = FNR] = $0
}

END { flush_file() }
