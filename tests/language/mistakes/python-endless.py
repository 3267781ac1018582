# A loop that does not end.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
# expected-error@+1:13 {{the program is still running after 20000000 steps, it should end}}
while True: pass
