"""Ways for Python into parts of kernels, which have none of their own."""

from cellval.compiled import kernel
from cellval.knn import row_values as rows_
from cellval.knn import sorting


@kernel
def row_values(dist, near, point, out):
    rows_.row_values(dist, near, point, out)


@kernel
def order_few(bits, items, spare, counts):
    sorting.order_few(bits, items, spare, counts)


@kernel
def order_many(bits, agree, items, spare, counts):
    return sorting.order_many(bits, agree, items, spare, counts)


@kernel
def radix_sort(items, spare, counts):
    return sorting.radix_sort(items, spare, counts)
