"""Files as each version of spanemu wrote them, which every later version reads or refuses by name.

`kept` names the folders and files of a version; `python -m tests.upgrades` writes those of this
version, once, when it is released.
"""
