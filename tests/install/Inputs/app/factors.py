factor = FACTOR
