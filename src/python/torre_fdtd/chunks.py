"""Planes of a dataset, read by many threads at a time: HDF5 lets one thread read, of all its files.

The chunks' places in the file come from HDF5, their bytes from the file itself; each chunk's checksum is compared, as
HDF5 does. Datasets of other layouts, and all of them with older versions of h5py, are read by HDF5.
"""
from __future__ import annotations

import itertools
import math
import os
import threading
from typing import Any, Tuple

_FLETCHER32 = 3  # H5Z_FILTER_FLETCHER32
_MOST_BYTES = 1 << 24  # of a chunk: so the sums of its checksum fit 64 bits


class Planes:
    """A dataset of little-endian numbers whose planes [q, first:last] any number of threads may read.

    shape, dtype, chunks: as those of the dataset. To be closed, or used in a `with`.
    """

    def __init__(self, data: Any):
        self._data = data
        self.shape, self.dtype, self.chunks = data.shape, data.dtype, data.chunks
        self._buffers = threading.local()
        self._file = os.open(data.file.filename, os.O_RDONLY) if _is_plain(data) else None
        self._checked = self._file is not None and data.fletcher32

    def close(self) -> None:
        """Closes the file that it has opened for itself."""
        if self._file is not None:
            os.close(self._file)
        self._file = None

    def __enter__(self) -> Planes:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def read(self, q: int, first: int, last: int, out: Any) -> None:
        """[q, first:last] into `out`, an array of this shape and of the dataset's type. OSError: a wrong checksum."""
        import numpy

        if self._file is None:
            self._data.read_direct(out, numpy.s_[q, first:last])
            return
        begin = (q, first) + (0,) * (len(self.shape) - 2)
        end = (q + 1, last) + self.shape[2:]
        for at in itertools.product(*(range(b // c * c, e, c) for b, e, c in zip(begin, end, self.chunks))):
            chunk = self._chunk(at)
            low = [max(a, b) for a, b in zip(at, begin)]
            high = [min(a + c, e) for a, c, e in zip(at, self.chunks, end)]
            out[tuple(slice(lo - b, hi - b) for lo, hi, b in zip(low[1:], high[1:], begin[1:]))] = chunk[
                tuple(slice(lo - a, hi - a) for lo, hi, a in zip(low, high, at))][0]

    def _chunk(self, at: Tuple[int, ...]) -> Any:
        """The chunk at these indices, in memory of the thread that its next one overwrites."""
        import numpy

        where = self._data.id.get_chunk_info_by_coord(at)
        if where.filter_mask or where.byte_offset is None:
            begin = tuple(slice(a, a + c) for a, c in zip(at, self.chunks))
            whole = numpy.zeros(self.chunks, self.dtype)
            part = self._data[begin]
            whole[tuple(slice(0, n) for n in part.shape)] = part
            return whole
        raw = getattr(self._buffers, "raw", None)
        if raw is None or len(raw) != where.size:
            raw = self._buffers.raw = numpy.empty(where.size, numpy.uint8)
        done = 0
        while done < where.size:
            got = os.preadv(self._file, [memoryview(raw)[done:]], where.byte_offset + done)
            if not got:
                raise OSError(f"{self._data.file.filename}: {self._data.name} is cut short")
            done += got
        values = raw[:len(raw) - 4] if self._checked else raw
        if self._checked and not _agrees(values, int(raw[-4:].view("<u4")[0]), self._buffers):
            raise OSError(f"{self._data.file.filename}: the checksum of a part of {self._data.name} is wrong")
        return values.view(self.dtype).reshape(self.chunks)


def _is_plain(data: Any) -> bool:
    """Whether its chunks are in the file as they are in memory, with nothing but a checksum behind."""
    create = data.id.get_create_plist()
    filters = [create.get_filter(i)[0] for i in range(create.get_nfilters())]
    return (bool(data.chunks) and math.prod(data.chunks) * data.dtype.itemsize <= _MOST_BYTES
            and all(f == _FLETCHER32 for f in filters) and data.file.userblock_size == 0
            and data.dtype.str[0] == "<" and hasattr(data.id, "get_chunk_info_by_coord") and hasattr(os, "preadv"))


def _agrees(values: Any, checksum: int, buffers: Any) -> bool:
    """Whether bytes, an even number of them, have this checksum of HDF5's filter "fletcher32".

    It sums the words w[i] of two bytes, the first being the higher one, and (n - i) w[i], both modulo 65535. Words with
    the bytes the other way round have 256 times as large sums, modulo 65535.
    """
    import numpy

    words = values.view("<u2")
    weights = getattr(buffers, "weights", None)
    if weights is None or len(weights) != len(words):
        weights = buffers.weights = numpy.arange(len(words), 0, -1, numpy.uint64)
        buffers.words = numpy.empty(len(words), numpy.uint64)
    numpy.copyto(buffers.words, words)
    sums = [int(buffers.words.sum()), 0]
    buffers.words *= weights
    sums[1] = int(buffers.words.sum())
    return [256 * s % 65535 for s in sums] == [(checksum & 65535) % 65535, (checksum >> 16) % 65535]
