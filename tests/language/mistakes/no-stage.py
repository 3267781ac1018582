# A program without a stage: no place in it is more wrong than others.
# RUN: exits-with 1 pm-translate %s --to=pmir 2>&1 | FileCheck %s --implicit-check-not=error:
# CHECK: no-stage.py: error: the program defines no stage, it should, at top level or in one function
x = Variable(Int, "x")
