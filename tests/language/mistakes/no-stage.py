# A program without a stage.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
# expected-error@+1:1 {{the program defines no stage, it should, at top level or in one function}}
x = Variable(Int, "x")
