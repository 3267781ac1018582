# A letter that is no ASCII outside of strings and comments: é is fine here.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
# expected-error@+1:4 {{'é' should be only in strings and comments}}
café = 1
