"""near.py [FILE VALUE]…: each file has one number, which is VALUE to within one unit of the last digit that VALUE has."""
import decimal
import sys


def main():
    wrong = 0
    for path, text in zip(sys.argv[1::2], sys.argv[2::2]):
        want = decimal.Decimal(text)
        with open(path, encoding="utf-8") as file:
            got = decimal.Decimal(file.read().strip())
        if not abs(got - want) <= decimal.Decimal((0, (1,), want.as_tuple().exponent)):
            print(f"{path} has {got}, but should have {want}")
            wrong += 1
    if wrong or len(sys.argv) < 3 or len(sys.argv) % 2 == 0:
        sys.exit(1)


main()
