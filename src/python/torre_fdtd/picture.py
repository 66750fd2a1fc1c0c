"""Pictures that the program draws."""
from __future__ import annotations

import os
from pathlib import Path
from typing import Any


class Picture:
    """A picture in PNG; notebooks show it. png: its bytes."""

    def __init__(self, png: bytes):
        self.png = png

    def _repr_png_(self) -> bytes:
        return self.png

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes it to a file of this name, in PNG."""
        target = Path(path)
        target.write_bytes(self.png)
        return target

    def show(self, ax: Any = None) -> Any:
        """Draws it with matplotlib, into these axes or into a figure of its own; the axes."""
        import io

        import matplotlib.pyplot as plt

        image = plt.imread(io.BytesIO(self.png))
        if ax is None:
            height, width = image.shape[:2]
            ax = plt.figure(figsize=(width / 150, height / 150)).add_axes([0, 0, 1, 1])
        ax.imshow(image)
        ax.axis("off")
        return ax
