"""The console: pages in the browser about the emulator, below `/console/` on the REST port.

`site` answers the requests for its three files: `index.html`, the style sheet that all pages share
(`spanemu.web`), and one script. The script stands in the folder `script` in parts, which `site`
joins. All data come from the APIs that any client has: Spanner's own below `/v1/`, and the control
API below `/spanemu/v1/`.
"""
