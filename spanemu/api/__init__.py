"""The Python API: what a test or a program holds of an emulator.

In reading order: `handles` (what every emulator offers, wherever it runs), `embedded` (an emulator
in this process), `remote` (an emulator in another process), `context` (an emulator around a piece
of code), `client` (the official client pointed at an emulator), `endpoint_file` (the file that
tells other programs where an emulator listens).
"""
