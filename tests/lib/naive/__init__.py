"""PolyMage programs by their definition: Python runs them, and numpy computes each stage whole.

It shares nothing with the compiler but the language (docs/polymage.md): `language` has the objects that programs make,
`program` runs a program in Python as its author would, `evaluate` gives the value of each stage at each of its points.
"""
