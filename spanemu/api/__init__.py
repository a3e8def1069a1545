"""The Python API: the objects through which a test or a program uses an emulator.

In reading order: `handles` (the interface of every emulator, wherever it runs), `embedded` (an
emulator in this process), `running` (its servers) with `operations` (what they serve to other
processes), `remote` (an emulator in another process), `exploring` (explorations of its databases),
`context` (an emulator for the duration of a piece of code), `change_streams` (the records of change
streams), `client` (the official client connected to an emulator), `calls` (the connection to the
control service of another process), `endpoint_file` (the file that publishes an emulator's
address), `probe` (whether a server answers), `tls` (certificates, and channels that trust them),
`variables` (environment variables, and misspelt ones). `data_connection` is a database that
`interchange` dumps and loads, and `saving` keeps the state of an emulator on disk; `transfers`
offers dumps and loads as operations.
"""
