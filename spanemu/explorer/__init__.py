"""The exploration of transaction interleavings.

exploration   the entry: runs the search on one database, and says what it found
├── search        race reversal, ordered by preemptions
├── watching      the hooks of the endpoints and of the engine, while an exploration runs
├── run           one schedule: whose turn it is, and what each hook means for it
│   ├── actors        the threads of the functions under test
│   ├── steps         the steps of a run, and the cells that each touched
│   ├── requests      which requests are scheduled, and their lines in a timeline
│   └── points        stops that code under test names itself
├── outcomes      final rows and answers, with generated values named
├── diagnosis     the name of a failure
├── timeline      the text of a failure
└── errors        what an exploration raises
"""
