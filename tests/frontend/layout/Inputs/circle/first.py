import second as s
