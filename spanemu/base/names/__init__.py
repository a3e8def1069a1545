"""What resources are called: their paths, the ids that callers pick for them, and their labels.

    projects/P
    ├─ instanceConfigs/C
    └─ instances/I
       ├─ instancePartitions/N
       ├─ backups/B
       └─ databases/D
          ├─ backupSchedules/E
          └─ sessions/S

Most of them have long-running operations, `<path>/operations/O`.
"""
