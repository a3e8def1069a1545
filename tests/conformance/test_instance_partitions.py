"""User-managed configurations, instance partitions and moves, through the official client."""

import pytest
from google.api_core import exceptions
from google.cloud.spanner_admin_instance_v1 import types
from google.longrunning import operations_pb2
from google.protobuf.field_mask_pb2 import FieldMask
from google.rpc.error_details_pb2 import ResourceInfo

READ_ONLY = types.ReplicaInfo.ReplicaType.READ_ONLY
REPLICAS = [{"location": "europe-west1", "type_": READ_ONLY}]


@pytest.fixture
def api(client):
    return client.instance_admin_api


def ids(resources):
    return [each.name.rpartition("/")[2] for each in resources]


def operation_ids(operations):
    return [each.name.split("/")[-3] for each in operations]


def resource_info(caught):
    return next(each for each in caught.value.details if isinstance(each, ResourceInfo))


# ---------------------------------------------------------------------------- configurations


@pytest.fixture
def create_config(api, client, config_name):
    def run(config_id="custom-one", *, parent=None, validate_only=False, **changes):
        config = {
            "base_config": config_name,
            "display_name": "Custom one",
            "replicas": REPLICAS,
            **changes,
        }
        request = types.CreateInstanceConfigRequest(
            parent=parent or client.project_name,
            instance_config_id=config_id,
            instance_config=config,
            validate_only=validate_only,
        )
        return api.create_instance_config(request=request)

    return run


def test_a_configuration_is_created(api, config_name, create_config):
    operation = create_config(labels={"env": "dev"}, leader_options=["europe-west1"])
    assert operation.done()
    created = operation.result()
    assert operation.operation.name.startswith(f"{created.name}/operations/")
    assert operation.metadata.instance_config == created
    assert operation.metadata.progress.progress_percent == 100
    assert created.config_type == types.InstanceConfig.Type.USER_MANAGED
    assert created.state == types.InstanceConfig.State.READY
    assert (created.base_config, dict(created.labels)) == (config_name, {"env": "dev"})
    assert [each.location for each in created.replicas] == ["europe-west1"]
    assert list(created.leader_options) == ["europe-west1"]
    assert created.etag
    assert not created.reconciling
    assert api.get_instance_config(name=created.name) == created


def test_a_published_configuration_is_cloned_and_extended(api, client, create_config):
    base = api.get_instance_config(name=f"{client.project_name}/instanceConfigs/nam11")
    assert base.display_name == "United States (Iowa, South Carolina, Oklahoma)"
    assert base.config_type == types.InstanceConfig.Type.GOOGLE_MANAGED
    assert base.quorum_type == types.InstanceConfig.QuorumType.MULTI_REGION
    assert base.free_instance_availability.name == "UNSUPPORTED"
    assert [each.type_.name for each in base.replicas] == ["READ_WRITE"] * 4 + ["WITNESS"]
    assert base.replicas[0].default_leader_location
    replicas = [*base.replicas, base.optional_replicas[0]]
    created = create_config(base_config=base.name, replicas=replicas).result()
    assert list(created.replicas) == replicas
    assert (created.quorum_type, created.leader_options) == (base.quorum_type, base.leader_options)
    assert not created.optional_replicas


def test_configurations_are_listed_and_paged(api, client, create_config):
    for config_id in ("custom-b", "custom-a", "custom-c"):
        create_config(config_id)
    expected = ["custom-a", "custom-b", "custom-c", "emulator-config"]
    request = types.ListInstanceConfigsRequest(parent=client.project_name, page_size=1)
    assert ids(client.list_instance_configs()) == expected
    assert ids(api.list_instance_configs(request=request)) == expected
    assert ids(api.list_instance_configs(parent="projects/another")) == ["emulator-config"]


@pytest.mark.parametrize(
    ("config_id", "changes"),
    [
        ("", {}),
        ("one", {}),
        ("custom-", {}),
        ("custom-One", {}),
        ("custom-one-", {}),
        (f"custom-{'x' * 58}", {}),
        ("custom-one", {"name": "projects/p/instanceConfigs/custom-two"}),
        ("custom-one", {"base_config": ""}),
        ("custom-one", {"base_config": "emulator-config"}),
        ("custom-one", {"base_config": "projects/another/instanceConfigs/emulator-config"}),
        ("custom-one", {"replicas": [], "base_config": "{project}/instanceConfigs/nam3"}),
        ("custom-one", {"base_config": "{project}/instanceConfigs/nam3"}),
        ("custom-one", {"base_config": "{project}/instanceConfigs/dual-region-japan1"}),
        ("custom-one", {"replicas": [{"location": "europe-west1"}]}),
        ("custom-one", {"labels": {"Env": "dev"}}),
    ],
)
def test_invalid_configurations_are_refused(client, create_config, config_id, changes):
    if "base_config" in changes:
        changes["base_config"] = changes["base_config"].format(project=client.project_name)
    with pytest.raises(exceptions.InvalidArgument):
        create_config(config_id, **changes)
    assert ids(client.list_instance_configs()) == ["emulator-config"]


def test_a_configuration_needs_a_base_and_a_free_name(config_name, create_config):
    created = create_config().result()
    with pytest.raises(exceptions.AlreadyExists):
        create_config()
    with pytest.raises(exceptions.NotFound, match="Instance config"):
        create_config("custom-two", base_config=f"{config_name}x")
    with pytest.raises(exceptions.InvalidArgument, match="Google-managed"):
        create_config("custom-two", base_config=created.name)


def test_validation_alone_changes_nothing(api, client, create_config):
    validated = create_config(validate_only=True)
    assert validated.done()
    assert validated.result().display_name == "Custom one"
    assert ids(client.list_instance_configs()) == ["emulator-config"]
    created = create_config().result()
    with pytest.raises(exceptions.AlreadyExists):
        create_config(validate_only=True)
    request = types.UpdateInstanceConfigRequest(
        instance_config={"name": created.name, "display_name": "Other"},
        update_mask=FieldMask(paths=["display_name"]),
        validate_only=True,
    )
    assert api.update_instance_config(request=request).result().display_name == "Other"
    request = types.DeleteInstanceConfigRequest(name=created.name, validate_only=True)
    api.delete_instance_config(request=request)
    assert api.get_instance_config(name=created.name) == created


def test_a_configuration_is_updated_by_mask_and_etag(api, config_name, create_config):
    created = create_config().result()

    def update(*paths, **fields):
        config = types.InstanceConfig(name=created.name, **fields)
        return api.update_instance_config(
            instance_config=config, update_mask=FieldMask(paths=paths)
        ).result()

    changed = update("display_name", display_name="Other", labels={"env": "dev"})
    assert (changed.display_name, dict(changed.labels)) == ("Other", {})
    assert changed.etag != created.etag
    assert dict(update("labels", labels={"env": "dev"}, etag=changed.etag).labels)
    for etag in (created.etag, "made up"):
        with pytest.raises(exceptions.Aborted):
            update("display_name", display_name="Third", etag=etag)
    for paths in ([], ["replicas"], ["nonsense"]):
        with pytest.raises(exceptions.InvalidArgument):
            update(*paths, display_name="Third")
    with pytest.raises(exceptions.InvalidArgument, match="not user-managed"):
        api.update_instance_config(
            instance_config=types.InstanceConfig(name=config_name, display_name="Third"),
            update_mask=FieldMask(paths=["display_name"]),
        )


def test_a_configuration_in_use_cannot_be_deleted(api, client, config_name, create_config):
    created = create_config().result()
    instance = client.instance("on-custom", created.name)
    instance.create().result(timeout=60)
    with pytest.raises(exceptions.FailedPrecondition, match="on-custom"):
        api.delete_instance_config(name=created.name)
    instance.delete()
    with pytest.raises(exceptions.Aborted):
        api.delete_instance_config(request={"name": created.name, "etag": "0" * 16})
    api.delete_instance_config(request={"name": created.name, "etag": created.etag})
    with pytest.raises(exceptions.NotFound) as caught:
        api.delete_instance_config(name=created.name)
    assert resource_info(caught).resource_name == created.name
    with pytest.raises(exceptions.InvalidArgument):
        api.delete_instance_config(name=config_name)


def test_operations_on_configurations_are_listed(api, client, create_config):
    created = create_config("custom-one").result()
    create_config("custom-two")
    api.delete_instance_config(name=created.name)

    def listed(filter_=""):
        request = types.ListInstanceConfigOperationsRequest(
            parent=client.project_name, filter=filter_, page_size=1
        )
        return operation_ids(api.list_instance_config_operations(request=request))

    assert listed() == ["custom-two", "custom-one"]
    filter_ = "(metadata.@type:CreateInstanceConfigMetadata) (metadata.instance_config.name:two)"
    assert listed(filter_) == ["custom-two"]
    assert listed("error:*") == []


# ---------------------------------------------------------------------------- partitions


@pytest.fixture
def create_partition(api, instance, config_name):
    def run(partition_id="europe", *, parent=None, **changes):
        partition = {"config": config_name, "display_name": "Europe", **changes}
        if not {"node_count", "processing_units", "autoscaling_config"} & set(changes):
            partition["node_count"] = 1
        return api.create_instance_partition(
            parent=parent or instance.name,
            instance_partition_id=partition_id,
            instance_partition=types.InstancePartition(**partition),
        )

    return run


def test_a_partition_is_created(api, instance, config_name, create_partition):
    operation = create_partition(node_count=2)
    assert operation.done()
    created = operation.result()
    assert created.name == f"{instance.name}/instancePartitions/europe"
    assert operation.operation.name.startswith(f"{created.name}/operations/")
    assert operation.metadata.instance_partition == created
    assert operation.metadata.start_time <= operation.metadata.end_time
    assert (created.config, created.node_count) == (config_name, 2)
    assert created.state == types.InstancePartition.State.READY
    assert created.create_time == created.update_time
    assert created.etag
    assert not created.referencing_databases
    assert api.get_instance_partition(name=created.name) == created
    assert create_partition("units", processing_units=3000).result().processing_units == 3000


def test_partitions_are_listed_and_paged(api, client, config_name, instance, create_partition):
    other = client.instance("other", config_name)
    other.create().result(timeout=60)
    for partition_id in ("bb", "aa"):
        create_partition(partition_id)
    create_partition("cc", parent=other.name)
    request = types.ListInstancePartitionsRequest(parent=instance.name, page_size=1)
    assert ids(api.list_instance_partitions(request=request)) == ["aa", "bb"]
    everywhere = f"{client.project_name}/instances/-"
    assert ids(api.list_instance_partitions(parent=everywhere)) == ["aa", "bb", "cc"]
    with pytest.raises(exceptions.NotFound):
        api.list_instance_partitions(parent=f"{instance.name}x")
    other.delete()
    assert ids(api.list_instance_partitions(parent=everywhere)) == ["aa", "bb"]


@pytest.mark.parametrize(
    ("partition_id", "changes"),
    [
        ("", {}),
        ("E", {}),
        ("e-", {}),
        ("e" * 65, {}),
        ("europe", {"name": "projects/p/instances/i/instancePartitions/asia"}),
        ("europe", {"config": ""}),
        ("europe", {"display_name": "abc"}),
        ("europe", {"display_name": ""}),
        ("europe", {"node_count": 0}),
        ("europe", {"node_count": -1}),
        ("europe", {"processing_units": 500}),
        ("europe", {"processing_units": 1500}),
        ("europe", {"node_count": 1, "autoscaling_config": {}}),
        ("europe", {"autoscaling_config": {}}),
    ],
)
def test_invalid_partitions_are_refused(api, instance, create_partition, partition_id, changes):
    with pytest.raises(exceptions.InvalidArgument):
        create_partition(partition_id, **changes)
    assert list(api.list_instance_partitions(parent=instance.name)) == []


def test_a_partition_needs_a_config_a_free_name_and_a_node(
    client, config_name, instance, create_partition
):
    create_partition()
    with pytest.raises(exceptions.AlreadyExists):
        create_partition()
    with pytest.raises(exceptions.NotFound, match="Instance config"):
        create_partition("asia", config=f"{config_name}x")
    with pytest.raises(exceptions.NotFound, match="Instance not found"):
        create_partition("asia", parent=f"{instance.name}x")
    small = client.instance("small", config_name, processing_units=100)
    small.create().result(timeout=60)
    with pytest.raises(exceptions.FailedPrecondition):
        create_partition("asia", parent=small.name)
    for number in range(19):
        create_partition(f"partition-{number}")
    with pytest.raises(exceptions.ResourceExhausted):
        create_partition("asia")


def test_a_partition_is_updated_by_mask_and_etag(api, create_partition):
    created = create_partition().result()

    def update(*paths, **fields):
        partition = types.InstancePartition(name=created.name, **fields)
        return api.update_instance_partition(
            instance_partition=partition, field_mask=FieldMask(paths=paths)
        ).result()

    changed = update("node_count", node_count=3, display_name="Ignored", etag=created.etag)
    assert (changed.node_count, changed.display_name) == (3, "Europe")
    assert changed.update_time > created.update_time
    assert update("display_name", display_name="Renamed").display_name == "Renamed"
    assert update("processing_units", processing_units=1000).processing_units == 1000
    for paths in ([], ["config"], ["nonsense"], ["state"]):
        with pytest.raises(exceptions.InvalidArgument):
            update(*paths, display_name="Third one")
    with pytest.raises(exceptions.InvalidArgument):
        update("node_count", node_count=0)
    with pytest.raises(exceptions.Aborted):
        update("node_count", node_count=4, etag=created.etag)
    scaled = update(
        "autoscaling_config",
        autoscaling_config={
            "autoscaling_limits": {"min_nodes": 2, "max_nodes": 4},
            "autoscaling_targets": {
                "total_cpu_utilization_percent": 50,
                "storage_utilization_percent": 50,
            },
        },
    )
    assert scaled.autoscaling_config.autoscaling_limits.max_nodes == 4
    with pytest.raises(exceptions.InvalidArgument):
        update("node_count", node_count=4)


def test_a_partition_that_placements_name_cannot_be_deleted(api, instance, create_partition):
    created = create_partition().result()
    placement = "CREATE PLACEMENT eu OPTIONS (instance_partition = 'europe')"
    database = instance.database("placed", ddl_statements=[placement])
    database.create().result(timeout=60)
    result = api.get_instance_partition(name=created.name)
    assert list(result.referencing_databases) == [database.name]
    with pytest.raises(exceptions.FailedPrecondition, match="placed"):
        api.delete_instance_partition(name=created.name)
    database.update_ddl(["DROP PLACEMENT eu"]).result(timeout=60)
    with pytest.raises(exceptions.Aborted):
        api.delete_instance_partition(request={"name": created.name, "etag": "0" * 16})
    api.delete_instance_partition(request={"name": created.name, "etag": created.etag})
    with pytest.raises(exceptions.NotFound) as caught:
        api.get_instance_partition(name=created.name)
    info = resource_info(caught)
    assert info.resource_name == created.name
    assert info.resource_type.endswith("google.spanner.admin.instance.v1.InstancePartition")


def test_operations_on_partitions_are_listed(api, instance, create_partition):
    created = create_partition("europe").result()
    create_partition("asia")

    def listed(filter_=""):
        request = types.ListInstancePartitionOperationsRequest(
            parent=instance.name, filter=filter_, page_size=1
        )
        return operation_ids(api.list_instance_partition_operations(request=request))

    assert listed() == ["asia", "europe"]
    assert listed("metadata.instance_partition.name:europe") == ["europe"]
    assert listed('metadata.start_time > "2100-01-01T00:00:00Z"') == []
    request = operations_pb2.ListOperationsRequest(name=f"{created.name}/operations")
    (only,) = api.list_operations(request=request).operations
    assert api.get_operation(request=operations_pb2.GetOperationRequest(name=only.name)) == only
    with pytest.raises(exceptions.NotFound):
        api.list_instance_partition_operations(parent=f"{instance.name}x")


# ---------------------------------------------------------------------------- moves


def test_an_instance_is_moved(api, instance, database, create_config):
    target = create_config().result().name
    with database.batch():
        pass
    operation = api.move_instance(request={"name": instance.name, "target_config": target})
    assert operation.operation.name.startswith(f"{instance.name}/operations/")
    assert operation.metadata.target_config == target
    assert operation.metadata.progress.progress_percent == 100
    assert operation.result() == types.MoveInstanceResponse()
    assert api.get_instance(name=instance.name).config == target
    assert database.exists()


def test_invalid_moves_are_refused(
    api, client, config_name, instance, create_config, create_partition
):
    target = create_config().result().name

    def move(name=instance.name, target=target):
        api.move_instance(request={"name": name, "target_config": target})

    for refusal, arguments in (
        (exceptions.InvalidArgument, {"target": config_name}),
        (exceptions.InvalidArgument, {"target": ""}),
        (exceptions.InvalidArgument, {"name": "fresh"}),
        (exceptions.NotFound, {"target": f"{target}x"}),
        (exceptions.NotFound, {"name": f"{instance.name}x"}),
    ):
        with pytest.raises(refusal):
            move(**arguments)
    small = client.instance("small", config_name, processing_units=100)
    small.create().result(timeout=60)
    with pytest.raises(exceptions.FailedPrecondition, match="node"):
        move(small.name)
    create_partition()
    with pytest.raises(exceptions.FailedPrecondition, match="partitions"):
        move()
    assert api.get_instance(name=instance.name).config == config_name


def test_a_move_keeps_a_leader_region_of_the_target(api, client):
    prefix = f"{client.project_name}/instanceConfigs"
    travelling = client.instance("travelling", f"{prefix}/nam3")
    travelling.create().result(timeout=60)
    leader = "ALTER DATABASE `shop-db` SET OPTIONS (default_leader = 'us-east1')"
    shop = travelling.database("shop-db")
    shop.create().result(timeout=60)
    shop.update_ddl([leader]).result(timeout=60)
    for target, expected in (("nam6", "us-east1"), ("nam7", ""), ("regional-us-east1", "")):
        api.move_instance(request={"name": travelling.name, "target_config": f"{prefix}/{target}"})
        shop.reload()
        assert shop.default_leader == expected
