"""Administration: instances, their databases, backups, and long-running operations.

    instances               all instances of an emulator and their contents
    published_configs       the instance configurations that Google publishes, as data
    instance, instance_config, instance_partition
                            an instance and its parts as data, with the rules for their fields
    offers                  what an instance offers to its databases; `edition_checks` for the rest
    catalogs                the backups, backup schedules, partitions and access policies by name
    access_rules            the rules for access policies
    backup                  the content of a database at a time
    encryption              the encryption of databases and backups that callers request
    backup_schedule         when backups are created automatically; `backup_runs` creates them
    clock_moves             setting the clock to another time, for all databases
    instance_administration, database_administration, backup_administration
                            the admin calls, beyond lookups
    operations              long-running operations; `operation_kinds`
    errors                  errors of administrative requests

A single database, with its sessions, transactions and statements, is in `spanemu.database`.
"""
