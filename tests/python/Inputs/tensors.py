"""The package beside PyTorch, in either order: tensors are arguments and outputs, by DLPack: tensors.py ours|theirs"""
import multiprocessing
import sys

if sys.argv[1] == "theirs":
    import torch
import numpy as np
import pm
from programs import blur, blurred, error, picture

if sys.argv[1] == "ours":
    f = blur(fp="strict").build()
    f(picture(900, 700))
    import torch
f = blur(fp="strict").build()
torch.set_num_threads(2)

img = picture(900, 700)
expected = f(img)
tensor = torch.from_numpy(img.copy())
pointer = tensor.data_ptr()
assert np.array_equal(f(tensor), expected)

out = torch.empty(expected.shape)
assert f(tensor, out=out) is out and np.array_equal(out.numpy(), expected)
for view in (tensor[3:90, 5:80], tensor.t(), tensor[::2, ::3], tensor[:1].expand(9, 700)):
    assert np.array_equal(f(view), f(view.numpy())), view.shape
apart = torch.zeros(898, 2 * 698)[:, ::2]
f(tensor, out=apart)
assert np.array_equal(apart.numpy(), expected)
assert f.shapes(img=tensor) == {"blur": (898, 698)} and f.needs(blur=np.s_[0:2, 0:2], img=tensor) == {"img": ((0, 4), (0, 4))}
assert tensor.data_ptr() == pointer and np.array_equal(tensor.numpy(), img)

print(error(lambda: f(tensor.double())))
print(error(lambda: f(tensor.bfloat16())))
print(error(lambda: f(tensor[0])))
print(error(lambda: f(tensor.clone().requires_grad_())))
print(error(lambda: f(tensor, out=torch.zeros(1, 698).expand(898, 698))))
print(error(lambda: f(tensor, out=tensor[1:-1, 1:-1])))
print(error(lambda: f(torch.empty(900, 700, device="meta"))))

# Threads of both, in turn, and in a forked child.
first = (tensor @ tensor.t()).sum()
for _ in range(20):
    assert np.array_equal(f(tensor), expected)
    assert abs((tensor @ tensor.t()).sum() / first - 1) < 1e-5
with multiprocessing.get_context("fork").Pool(1) as pool:
    assert np.array_equal(pool.apply(f, (img,)), expected)
result = torch.from_numpy(f(tensor))
assert np.allclose(result.numpy(), blurred(img), rtol=1e-5)
print("together")
