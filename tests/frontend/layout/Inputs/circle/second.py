a = 1
from first import f
