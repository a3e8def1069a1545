"""The coverage table's chapters on the admin APIs and on INFORMATION_SCHEMA."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tests.conformance.coverage import Item

SECTIONS: Mapping[str, str] = {
    "10.1": "INFORMATION_SCHEMA: access and form of queries",
    "10.4": "INFORMATION_SCHEMA: content",
    "11.1": "Admin: instance configurations",
    "11.2": "Admin: instances",
    "11.3": "Admin: databases",
    "11.4": "Admin: long-running operations",
    "11.6": "Admin: backups",
    "11.7": "Admin: backup schedules",
    "11.8": "Admin: instance partitions",
    "11.9": "Admin: roles, policies, split points",
}

# fmt: off
_CATALOGS: Mapping[str, Sequence[tuple[str, str]]] = {
    "10.1": (
        ("names are not case-sensitive", "information_schema::test_names_have_no_case_and_parameters_work"),
        ("tables can be joined with each other and with user tables", "information_schema::test_tables_of_the_schema_can_be_joined_with_users_tables"),
        ("unknown tables are refused", "information_schema::test_unknown_names_are_refused"),
        ("it can be read by SQL only", "information_schema::test_system_tables_cannot_be_read_by_key_or_mutated"),
        ("it cannot be written", "information_schema::test_system_tables_cannot_be_written"),
        ("read-write transactions cannot see it", "information_schema::test_read_write_transactions_cannot_see_them"),
        ("a stale read sees the schema at its timestamp", "information_schema::test_an_old_timestamp_shows_the_old_schema"),
        ("schemas are listed", "information_schema::test_schemas_are_listed"),
    ),
    "10.4": (
        ("the same rows as in the official emulator", "information_schema::test_rows_are_those_of_the_official_emulator"),
        ("the same columns as in the official emulator", "information_schema::test_columns_are_those_of_the_official_emulator"),
        ("changes are visible at once", "information_schema::test_changes_show_at_once"),
        ("the dialect is shown", "information_schema::test_the_client_asks_for_the_dialect"),
        ("table sizes", "information_schema::test_table_sizes"),
    ),
}

_INSTANCES: Mapping[str, Sequence[tuple[str, str]]] = {
    "11.1": (
        ("Google-managed configurations are offered", "admin_instances::test_there_is_one_instance_config"),
        ("published ones have Google's replicas and are a base", "instance_partitions::test_a_published_configuration_is_cloned_and_extended"),
        ("they offer the leader regions of databases", "admin_databases::test_the_configuration_offers_the_leader_regions"),
        ("they need an edition", "admin_instances::test_several_regions_need_the_edition_enterprise_plus"),
        ("a user-managed configuration is created", "instance_partitions::test_a_configuration_is_created"),
        ("its id, base and replicas have rules", "instance_partitions::test_configurations_that_cannot_be_created"),
        ("its base is Google-managed, its name free", "instance_partitions::test_a_configuration_needs_a_base_and_a_free_name"),
        ("validate_only changes nothing", "instance_partitions::test_validation_alone_changes_nothing"),
        ("display name and labels are updated, by etag", "instance_partitions::test_a_configuration_is_updated_by_mask_and_etag"),
        ("a configuration in use cannot be deleted", "instance_partitions::test_a_configuration_in_use_cannot_be_deleted"),
        ("they are listed and paged", "instance_partitions::test_configurations_are_listed_and_paged"),
        ("their operations are listed, newest first", "instance_partitions::test_operations_on_configurations_are_listed"),
    ),
    "11.2": (
        ("an instance is created with an operation", "admin_instances::test_an_instance_is_created_with_a_finished_operation"),
        ("id, capacity, labels, display name have rules", "admin_instances::test_instances_that_cannot_be_created"),
        ("config and free name", "admin_instances::test_an_instance_needs_a_free_name"),
        ("nodes and processing units", "admin_instances::test_capacity_comes_in_units_and_in_nodes"),
        ("autoscaling: limits and targets have rules", "admin_instances::test_autoscaling_that_makes_no_sense"),
        ("autoscaling: capacity cannot be set beside it", "admin_instances::test_an_autoscaled_instance_has_its_lowest_capacity"),
        ("GetInstance with a field mask", "admin_instances::test_what_get_instance_returns_can_be_narrowed"),
        ("UpdateInstance by mask", "admin_instances::test_only_what_the_mask_names_is_updated"),
        ("ListInstances filters and pages", "admin_instances::test_instances_are_listed_filtered_and_paged"),
        ("page tokens are checked", "admin_instances::test_page_tokens_are_checked"),
        ("deleting an instance deletes its databases", "admin_instances::test_a_deleted_instance_takes_everything_along"),
        ("an instance with backups cannot be deleted", "backups::test_an_instance_with_backups_cannot_be_deleted"),
        ("MoveInstance", "instance_partitions::test_an_instance_is_moved"),
        ("conditions that prevent a move", "instance_partitions::test_instances_that_cannot_be_moved"),
        ("default backup schedules", "backup_schedules::test_an_instance_may_have_its_new_databases_backed_up"),
        ("free trial instances", "UNIMPLEMENTED: Free trial instances"),
        ("asymmetric autoscaling", "UNIMPLEMENTED: Asymmetric autoscaling of replicas"),
        ("both are refused by name", "admin_instances::test_settings_that_spanemu_lacks_are_refused_by_name"),
    ),
    "11.8": (
        ("a partition is created", "instance_partitions::test_a_partition_is_created"),
        ("id, display name and capacity have rules", "instance_partitions::test_partitions_that_cannot_be_created"),
        ("config, free name, an instance of a node, twenty at most", "instance_partitions::test_a_partition_needs_a_config_a_free_name_and_a_node"),
        ("it is updated by mask and etag", "instance_partitions::test_a_partition_is_updated_by_mask_and_etag"),
        ("a partition that placements name cannot be deleted", "instance_partitions::test_a_partition_that_placements_name_cannot_be_deleted"),
        ("backups name and keep it", "backups::test_a_backup_names_the_instance_partitions_of_its_placements"),
        ("they are listed, of all instances too", "instance_partitions::test_partitions_are_listed_and_paged"),
        ("their operations are listed, newest first", "instance_partitions::test_operations_on_partitions_are_listed"),
    ),
}

_DATABASES: Mapping[str, Sequence[tuple[str, str]]] = {
    "11.3": (
        ("a database is created with its schema", "admin_databases::test_a_database_is_created_with_its_schema"),
        ("the fields of a database", "admin_databases::test_what_a_database_says_of_itself"),
        ("an invalid first schema creates no database", "admin_databases::test_a_bad_first_schema_leaves_no_database"),
        ("the create statement", "admin_databases::test_create_statements_that_are_not"),
        ("instance and free name", "admin_databases::test_a_database_needs_an_instance_and_a_free_name"),
        ("they are listed and paged", "admin_databases::test_databases_are_listed_and_paged"),
        ("dropping is idempotent", "admin_databases::test_dropping_is_idempotent_and_missing_databases_are_named"),
        ("drop protection", "admin_databases::test_drop_protection"),
        ("nothing else can be updated", "admin_databases::test_nothing_else_of_a_database_can_be_updated"),
        ("large requests are refused", "backups::test_a_large_request_is_refused"),
        ("the PostgreSQL dialect", "admin_databases::test_a_postgresql_database_tells_its_dialect"),
        ("customer-managed keys are kept and reported", "encryption::test_a_database_reports_its_keys_and_their_versions"),
        ("names of keys have a form", "encryption::test_keys_that_are_no_names_of_keys_are_refused"),
        ("ChangeQuorum", "UNIMPLEMENTED: Quorum changes (ChangeQuorum)"),
    ),
    "11.4": (
        ("a schema update and its operation", "admin_databases::test_a_schema_is_updated_under_an_operation"),
        ("a failed operation", "admin_databases::test_what_data_refuses_fails_the_operation_and_keeps_what_came_before"),
        ("they are listed, filtered, deleted", "admin_databases::test_operations_are_listed_filtered_and_deleted"),
        ("those of an instance and of its databases", "admin_databases::test_operations_of_an_instance_do_not_include_those_of_its_databases"),
        ("those of backups, newest first, for a week", "backups::test_operations_on_backups_are_listed_newest_first_and_filtered"),
        ("operations of restores and of the optimization that follows", "backups::test_a_restore_is_followed_by_an_optimization"),
    ),
    "11.6": (
        ("a backup is created with an operation", "backups::test_a_backup_is_created_with_a_finished_operation"),
        ("it holds the rows of its version time", "backups::test_a_backup_holds_what_there_was_at_its_version_time"),
        ("it holds the schema of its version time", "backups::test_the_schema_is_that_of_the_version_time"),
        ("it holds tables dropped since", "backups::test_a_table_dropped_since_the_version_time_is_restored"),
        ("it outlives old versions and the database", "backups::test_a_backup_outlives_old_versions_and_the_database"),
        ("expire_time: six hours to 366 days", "backups::test_expire_times_that_are_refused"),
        ("version_time: within the retention period", "backups::test_version_times_that_cannot_be_read"),
        ("id, database, name, encryption have rules", "backups::test_backups_that_cannot_be_created"),
        ("encryption by Google", "backups::test_encryption_by_google_is_accepted"),
        ("customer-managed keys of backups", "encryption::test_a_backup_has_the_keys_of_its_database_unless_others_are_given"),
        ("customer-managed keys of copies", "encryption::test_a_copy_has_the_keys_of_its_source_unless_others_are_given"),
        ("customer-managed keys of restored databases", "encryption::test_a_restored_database_has_the_keys_of_its_backup_unless_others_are_given"),
        ("instance, database, free name", "backups::test_a_backup_needs_its_instance_its_database_and_a_free_name"),
        ("a missing resource is named, with ResourceInfo", "backups::test_a_missing_backup_is_named"),
        ("they are listed newest first, filtered and paged", "backups::test_backups_are_listed_newest_first_filtered_and_paged"),
        ("only expire_time is updated", "backups::test_only_the_expire_time_can_be_changed"),
        ("a deleted backup leaves its operations", "backups::test_a_deleted_backup_is_gone_and_its_operations_are_not"),
        ("it expires", "backups::test_a_backup_expires_by_the_emulators_clock"),
        ("it is copied to another instance", "backups::test_a_backup_is_copied_to_another_instance"),
        ("copies that cannot be made", "backups::test_copies_that_cannot_be_made"),
        ("a restored database and its restore_info", "backups::test_what_a_restored_database_says_of_itself"),
        ("a restored database is independent of its source", "backups::test_a_restored_database_is_one_by_itself"),
        ("it has no row deletion policies", "backups::test_row_deletion_policies_are_not_restored"),
        ("it has the database options", "backups::test_options_are_restored"),
        ("it has no split points", "backups::test_split_points_are_not_restored"),
        ("a restored database has no earlier versions", "backups::test_the_time_before_a_restore_cannot_be_read"),
        ("restores that cannot be made", "backups::test_restores_that_cannot_be_made"),
        ("another project needs a copy", "backups::test_a_backup_of_another_project_cannot_be_restored"),
        ("sequences continue", "backups::test_sequences_go_on_where_they_were"),
    ),
    "11.7": (
        ("a schedule is created", "backup_schedules::test_a_schedule_is_created"),
        ("id, cron, retention, kind have rules", "backup_schedules::test_schedules_that_cannot_be_created"),
        ("cron expressions that are refused", "backup_schedules::test_cron_expressions_that_are_refused"),
        ("full backups: twelve hours apart", "backup_schedules::test_cron_expressions_that_do"),
        ("increments: four hours apart", "backup_schedules::test_increments_may_be_made_every_four_hours"),
        ("four per database", "backup_schedules::test_a_database_has_four_schedules_at_most"),
        ("they are listed and paged", "backup_schedules::test_schedules_are_listed_and_paged"),
        ("a schedule is updated by mask", "backup_schedules::test_a_schedule_is_updated_by_mask"),
        ("a missing resource is named, with ResourceInfo", "backup_schedules::test_a_missing_schedule_is_named"),
        ("backups are made in time", "backup_schedules::test_backups_are_made_as_the_clock_passes"),
        ("they have operations", "backup_schedules::test_scheduled_backups_leave_operations_behind"),
        ("increments form chains", "backup_schedules::test_increments_form_a_chain"),
        ("a dropped database has no schedules", "backup_schedules::test_a_schedule_that_is_gone_makes_no_backups"),
    ),
    "11.9": (
        ("database roles are listed", "admin_databases::test_roles_are_listed"),
        ("policies and their etags", "admin_databases::test_policies_are_kept"),
        ("policies of backups", "backups::test_a_backup_has_a_policy"),
        ("policies of backup schedules", "backup_schedules::test_a_schedule_has_a_policy"),
        ("split points", "split_points::test_points_of_a_table_an_index_and_a_child"),
        ("split points of a queue: refused", "split_points::test_queues_take_none"),
        ("split points: limits", "split_points::test_limits"),
        ("split points expire", "split_points::test_points_expire"),
    ),
}
# fmt: on

ITEMS: tuple[Item, ...] = tuple(
    Item(section, text, proof)
    for chapter in (_CATALOGS, _INSTANCES, _DATABASES)
    for section, items in chapter.items()
    for text, proof in items
)
