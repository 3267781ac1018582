# Two functions could build the pipeline.
# RUN: pm-translate %s --verify-diagnostics --to=pmir
def first():
    pass


# expected-error@+1:1 {{the functions first and second could both build the pipeline, --function=first should say which}}
def second():
    pass
