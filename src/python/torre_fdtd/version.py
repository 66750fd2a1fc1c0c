"""The version of the package: that of the program it belongs to."""

VERSION = "0.2.0"
