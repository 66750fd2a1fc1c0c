"""Rows, from the top, of the left and the right end of a line in a picture of spectra: `line_ends.py PNG RRGGBB`.

The legend, in the highest 80 rows, does not count. PNG of 8 bits a channel, not interlaced.
"""
import struct
import sys
import zlib


def pixels(path):
    """Rows of bytes, bytes a pixel."""
    with open(path, "rb") as file:
        data = file.read()
    at, packed = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, bits, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
            assert bits == 8
            channels = {2: 3, 6: 4}[colour]
        if kind == b"IDAT":
            packed += data[at + 8:at + 8 + size]
        at += 12 + size
    raw, line = zlib.decompress(packed), bytearray(width * channels)
    for y in range(height):
        start = y * (len(line) + 1)
        how, above, line = raw[start], line, bytearray(raw[start + 1:start + 1 + len(line)])
        for i, byte in enumerate(line):
            left = line[i - channels] if i >= channels else 0
            corner = above[i - channels] if i >= channels else 0
            near = min((left, above[i], corner), key=lambda x, p=left + above[i] - corner: abs(p - x))
            line[i] = (byte + (0, left, above[i], (left + above[i]) // 2, near)[how]) % 256
        yield line, channels


def main():
    colour, found = bytes.fromhex(sys.argv[2]), []
    for y, (line, channels) in enumerate(pixels(sys.argv[1])):
        if y >= 80:
            found += [(x, y) for x in range(len(line) // channels) if line[x * channels:x * channels + 3] == colour]
    print(min(found)[1], max(found)[1])


main()
