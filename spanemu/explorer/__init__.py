"""The exploration of transaction interleavings.

exploration   the entry: runs the search on one database, and says what it found
├── search        phases, race reversal, bounds
├── run           one schedule: whose turn it is, and the hooks of the engine
│   ├── actors        the threads of the functions under test
│   └── steps         the requests of a run, and the cells that each touched
├── outcomes      final rows and answers, with generated values named
├── diagnosis     the name of a failure
└── timeline      the text of a failure
"""
