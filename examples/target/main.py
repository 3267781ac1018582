"""Blurs a picture with one bright pixel, by the function that the target made."""
from blurred import blur

ROWS, COLUMNS = 4, 6
img = [0.0] * (ROWS * COLUMNS)
img[1 * COLUMNS + 2] = 1.0
out = blur(ROWS, COLUMNS, img)
for row in range(ROWS):
    print(*out[row * COLUMNS:(row + 1) * COLUMNS])
