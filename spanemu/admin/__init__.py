"""What administrators see: instances, the databases in them, their backups, and operations.

    instances               all instances of an emulator, and what they hold
    *_administration        what an admin call does, beyond looking something up
    backup, backup_schedule what was kept of a database, and when that is done by itself
    operations              long-running work, done or going on

One database by itself, its sessions, transactions and statements, is `spanemu.database`.
"""
