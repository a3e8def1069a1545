"""The heatmap of a load: rows from top to bottom, commits from left to right.

In reading order: `heatmap` (the figures, and the splits and servers over them), `patterns` (the
pattern of a picture, in words), `files` (PNG images, and HTML with the comparison of two
runs).
"""
