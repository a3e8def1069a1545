"""The exploration of transaction interleavings.

exploration   the entry: runs the search on one database, and says what it found
├── settings      the options, and the functions to explore
├── search        race reversal, ordered by preemptions
│   └── histories     the order of dependent steps of finished runs, as bytes
├── watching      the hooks of the endpoints and of the engine, while an exploration runs
├── threads       Python's functions that wait, start threads or draw bytes, meanwhile
├── run           one schedule: whose turn it is
│   ├── actors        the functions under test, the threads that they start, and `point`
│   ├── schedules     whose turn it is and which fault a run meets, as data and as text
│   ├── steps         the steps of a run, and which of them depend on each other
│   ├── footprints    the cells that each step touches, as the engine reports them
│   ├── requests      which requests are scheduled, and their lines in a timeline
│   └── coroutines    the event loop of actors that are coroutine functions
├── repeating     the check that actors repeat themselves
├── judging       whether some serial order explains an outcome
│   ├── outcomes      final rows and answers, with generated values named
│   ├── diagnosis     the name of a failure
│   │   ├── dependencies  who reads or writes what another writes, and a diagnosis as data
│   │   └── cycles        the name of a cycle of dependencies
│   ├── timeline      the steps and outcomes of a failure, as data and as text
│   └── cells         rows as text
├── shortening    the same failure with fewer interruptions
├── remote        explorations of functions in other processes
│   └── mailbox       queues between the explorer and a server
└── errors        what an exploration raises
"""
