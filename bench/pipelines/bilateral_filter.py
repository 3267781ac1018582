# Bilateral filter over a window of 2 * RADIUS + 1 pixels a side (--const RADIUS=6 or 2): the mean of the pixels around, by
# how near they are and how little they differ. Outside the picture is the nearest pixel.
def bilateral_filter(RADIUS=6):
    R, C = Parameter(Int, "R"), Parameter(Int, "C")
    img = Image(UChar, "img", [R, C])
    x, y, i, j = Variable(Int, "x"), Variable(Int, "y"), Variable(Int, "i"), Variable(Int, "j")
    rows, cols = Interval(Int, 0, R - 1), Interval(Int, 0, C - 1)
    window = Interval(Int, -RADIUS, RADIUS)
    sigma_d, sigma_r = RADIUS / 2, 16
    range_factor = 0.5 / (sigma_r * sigma_r)

    closeness = Function(([i, j], [window, window]), Float, "closeness")
    closeness.defn = [Exp(-Cast(Float, i * i + j * j) / (2.0 * sigma_d * sigma_d))]

    values, weights = 0.0, 0.0
    for di in range(-RADIUS, RADIUS + 1):
        for dj in range(-RADIUS, RADIUS + 1):
            pixel = Cast(Float, img(Min(Max(x + di, 0), R - 1), Min(Max(y + dj, 0), C - 1)))
            difference = pixel - img(x, y)
            weight = Exp(-range_factor * (difference * difference)) * closeness(di, dj)
            values = values + weight * pixel
            weights = weights + weight

    filtered = Function(([x, y], [rows, cols]), UChar, "filtered")
    filtered.defn = [values / weights + 0.5]
    return filtered
