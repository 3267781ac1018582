# Prints the files that have 900 lines or more; fails if there are any.
FNR == 900 { long[FILENAME] = 0 }
FILENAME in long { long[FILENAME] = FNR }
END {
  for (file in long) { print file ": " long[file] " lines"; bad = 1 }
  exit bad
}
