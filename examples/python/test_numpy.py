import convict
from numpy_kernel import conv_transpose2d


def test_mine():
    convict.trial(conv_transpose2d, like="torch.conv_transpose2d", cases=500, seed=1)
