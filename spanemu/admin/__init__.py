"""What administrators see: instances, the databases in them, their backups, and operations.

    instances               all instances of an emulator, and what they hold (catalogs: `named`)
    instance, instance_config, published_configs, instance_partition, autoscaling,
    replica_topology
                            an instance and its parts as data, with the rules for their fields
    backup, backups         what was kept of a database; `policies`, who may do what
    encryption              the encryption of databases and backups, as callers ask for it
    backup_schedule, cron   when that is done by itself; `backup_runs` does it
    clock_moves             the clock set to another time, for all databases
    instance_administration, database_administration, backup_administration
                            what an admin call does, beyond looking something up
    operations              long-running work, done or going on; `operation_kinds`, `ddl_actions`
    errors                  what is wrong with an administrative request

One database by itself, its sessions, transactions and statements, is `spanemu.database`.
"""
