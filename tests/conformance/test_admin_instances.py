"""Instance configs and instances, through the official client."""

import pytest
from google.api_core import exceptions
from google.cloud.spanner_admin_instance_v1 import types
from google.protobuf.field_mask_pb2 import FieldMask
from google.rpc.error_details_pb2 import ResourceInfo

from spanemu import Emulator, EmulatorConfig


def ids(resources):
    return [each.name.rpartition("/")[2] for each in resources]


def create(client, config_name, instance_id, **fields):
    request = types.CreateInstanceRequest(
        parent=client.project_name,
        instance_id=instance_id,
        instance=types.Instance(config=config_name, **fields),
    )
    return client.instance_admin_api.create_instance(request=request)


def resource_info(error):
    return next(each for each in error.details if isinstance(each, ResourceInfo))


def test_there_is_one_instance_config(client, config_name):
    (listed,) = client.list_instance_configs()
    assert listed.name == config_name
    result = client.instance_admin_api.get_instance_config(name=config_name)
    assert result.display_name == "Emulator Instance Config"
    with pytest.raises(exceptions.NotFound, match=r"Instance config .* not found"):
        client.instance_admin_api.get_instance_config(name=f"{config_name}-2")
    with pytest.raises(exceptions.InvalidArgument):
        client.instance_admin_api.get_instance_config(name="emulator-config")


def test_an_instance_is_created_with_a_finished_operation(client, config_name):
    operation = create(
        client, config_name, "inst-1", display_name="Number one", labels={"env": "dev"}
    )
    assert operation.done()
    name = f"{client.project_name}/instances/inst-1"
    assert operation.operation.name.startswith(f"{name}/operations/_auto")
    created = operation.result()
    assert (created.name, created.config) == (name, config_name)
    assert (created.node_count, created.processing_units) == (1, 1000)
    assert created.state == types.Instance.State.READY
    assert dict(created.labels) == {"env": "dev"}
    assert created.create_time == created.update_time
    metadata = operation.metadata
    assert metadata.instance.name == name
    assert metadata.start_time <= metadata.end_time
    assert client.instance_admin_api.get_instance(name=name) == created


def test_a_field_mask_narrows_get_instance(client, instance):
    request = types.GetInstanceRequest(
        name=instance.name, field_mask=FieldMask(paths=["display_name"])
    )
    result = client.instance_admin_api.get_instance(request=request)
    assert result == types.Instance(display_name="Fresh one")
    request.field_mask = FieldMask(paths=["colour"])
    with pytest.raises(exceptions.InvalidArgument):
        client.instance_admin_api.get_instance(request=request)


@pytest.mark.parametrize(
    ("instance_id", "fields"),
    [
        ("Bad", {}),
        ("b", {}),
        ("b" * 65, {}),
        ("bad-", {}),
        ("good", {"node_count": 1, "processing_units": 1000}),
        ("good", {"processing_units": 150}),
        ("good", {"processing_units": 1500}),
        ("good", {"node_count": -1}),
        ("good", {"labels": {"Env": "dev"}}),
        ("good", {"labels": {"env": "DEV"}}),
        ("good", {"labels": {f"k{n}": "" for n in range(65)}}),
        ("good", {"name": "projects/p/instances/other"}),
    ],
)
def test_invalid_instances_are_refused(client, config_name, instance_id, fields):
    with pytest.raises(exceptions.InvalidArgument):
        create(client, config_name, instance_id, **fields)
    assert list(client.list_instances()) == []


def test_instances_that_clients_create_for_emulators_may_have_any_display_name(client, config_name):
    for number, name in enumerate(("a", "Instance that was generated automatically")):
        made = create(client, config_name, f"made-up-{number}", display_name=name).result()
        assert made.display_name == name


@pytest.mark.parametrize("name", ["abc", "x" * 31])
def test_display_names_are_checked_with_other_configurations(name):
    settings = EmulatorConfig(instance_configs={"regional-europe-west1": "Belgium"})
    with Emulator(settings) as emulator:
        client = emulator.client("p")
        (config,) = client.list_instance_configs()
        with pytest.raises(exceptions.InvalidArgument):
            create(client, config.name, "good", display_name=name)
        create(client, config.name, "good", display_name="x" * 30)


@pytest.mark.parametrize(
    ("given", "listed"),
    [
        ("{project}/instanceConfigs/regional-us-central1", "regional-us-central1"),
        ("{project}/instanceConfigs/nam3", "nam3"),
        ("{project}/instanceConfigs/made-up", "made-up"),
        ("nam3", "nam3"),
        ("emulator-config", None),
        ("", None),
        ("{project}/instanceConfigs/", None),
    ],
)
def test_an_instance_may_name_any_config(client, given, listed):
    given = given.format(project=client.project_name)
    name = create(client, given, "inst-1").result().name
    assert client.instance_admin_api.get_instance(name=name).config == given
    expected = sorted({"emulator-config", listed} - {None})
    configs = list(client.list_instance_configs())
    assert ids(configs) == expected
    for config in configs:
        assert client.instance_admin_api.get_instance_config(name=config.name) == config


def test_a_failed_request_does_not_mark_a_config_as_used(client, instance):
    with pytest.raises(exceptions.AlreadyExists):
        create(client, f"{client.project_name}/instanceConfigs/made-up", instance.instance_id)
    assert ids(client.list_instance_configs()) == ["emulator-config"]


@pytest.mark.parametrize(
    ("config", "error"),
    [
        ("projects/p/instanceConfigs/made-up", exceptions.NotFound),
        ("nam3", exceptions.InvalidArgument),
        ("", exceptions.InvalidArgument),
        ("projects/p/instanceConfigs/nam3", None),
        ("projects/p/instanceConfigs/dual-region-japan1", None),
        ("projects/p/instanceConfigs/emulator-config", None),
    ],
)
def test_a_strict_emulator_refuses_configs_that_google_does_not_publish(config, error):
    with Emulator(strict_instance_configs=True) as emulator:
        client = emulator.client("p")
        if error is None:
            assert create(client, config, "inst-1").result().config == config
        else:
            with pytest.raises(error):
                create(client, config, "inst-1")


@pytest.mark.parametrize(
    ("config", "edition", "allowed"),
    [
        ("nam3", "STANDARD", False),
        ("dual-region-japan1", "ENTERPRISE", False),
        ("nam3", "ENTERPRISE_PLUS", True),
        ("nam3", "EDITION_UNSPECIFIED", True),
        ("regional-us-east1", "STANDARD", True),
        ("made-up", "STANDARD", True),
    ],
)
def test_several_regions_need_the_edition_enterprise_plus(client, config, edition, allowed):
    name = f"{client.project_name}/instanceConfigs/{config}"
    if allowed:
        assert create(client, name, "inst-1", edition=edition).result().edition.name == edition
    else:
        with pytest.raises(exceptions.FailedPrecondition, match="ENTERPRISE_PLUS"):
            create(client, name, "inst-1", edition=edition)


def test_an_instance_needs_a_free_name(client, config_name, instance):
    with pytest.raises(exceptions.AlreadyExists, match="Instance already exists"):
        create(client, config_name, instance.instance_id)


def test_capacity_comes_in_units_and_in_nodes(client, config_name):
    assert create(client, config_name, "inst-1", processing_units=300).result().node_count == 0
    assert create(client, config_name, "inst-2", node_count=3).result().processing_units == 3000


def test_an_instance_is_updated_through_the_client(client, instance):
    instance.display_name = "Renamed"
    instance.processing_units = 2000
    instance.labels = {"team": "shop"}
    instance.update().result(timeout=60)
    result = client.instance_admin_api.get_instance(name=instance.name)
    assert (result.display_name, result.node_count) == ("Renamed", 2)
    assert dict(result.labels) == {"team": "shop"}
    assert result.update_time > result.create_time


def test_only_fields_in_the_mask_are_updated(client, instance):
    api = client.instance_admin_api
    change = types.Instance(name=instance.name, display_name="Ignored", node_count=4)
    operation = api.update_instance(instance=change, field_mask=FieldMask(paths=["node_count"]))
    assert operation.result().display_name == "Fresh one"
    assert operation.result().node_count == 4
    assert operation.metadata.instance.name == instance.name
    for paths in ([], ["name"], ["state"], ["node_count", "processing_units"], ["nonsense"]):
        with pytest.raises(exceptions.InvalidArgument):
            api.update_instance(instance=change, field_mask=FieldMask(paths=paths))
    change.name += "-2"
    with pytest.raises(exceptions.NotFound):
        api.update_instance(instance=change, field_mask=FieldMask(paths=["node_count"]))


def test_instances_are_listed_filtered_and_paged(client, config_name):
    for instance_id, env in [("shop-1", "dev"), ("shop-2", "prod"), ("blog", "dev")]:
        create(client, config_name, instance_id, labels={"env": env}, display_name="Display it")
    assert ids(client.list_instances()) == ["blog", "shop-1", "shop-2"]
    assert ids(client.list_instances(page_size=1)) == ["blog", "shop-1", "shop-2"]
    assert ids(client.list_instances(filter_="name:SHOP")) == ["shop-1", "shop-2"]
    assert ids(client.list_instances(filter_="labels.env:dev")) == ["blog", "shop-1"]
    assert ids(client.list_instances(filter_="name:shop labels.env:dev")) == ["shop-1"]
    assert ids(client.list_instances(filter_="name:blog OR labels.env:prod")) == ["blog", "shop-2"]
    assert ids(client.list_instances(filter_="display_name:display")) == ids(
        client.list_instances()
    )
    assert ids(client.list_instances(filter_="labels.team:*")) == []
    for bad in ("colour:red", "name:", "(name:shop"):
        with pytest.raises(exceptions.InvalidArgument):
            list(client.list_instances(filter_=bad))


def test_page_tokens_are_checked(client, config_name):
    for instance_id in ("inst-1", "inst-2"):
        create(client, config_name, instance_id)
    request = types.ListInstancesRequest(parent=client.project_name, page_size=1)
    first = next(client.instance_admin_api.list_instances(request=request).pages)
    assert ids(first.instances) == ["inst-1"]
    request.page_token = first.next_page_token
    second = next(client.instance_admin_api.list_instances(request=request).pages)
    assert (ids(second.instances), second.next_page_token) == (["inst-2"], "")
    request.page_token = "made up"
    with pytest.raises(exceptions.InvalidArgument):
        client.instance_admin_api.list_instances(request=request)


def test_deleting_an_instance_deletes_its_contents(client, config_name, instance, database):
    instance.delete()
    assert not instance.exists()
    with pytest.raises(exceptions.NotFound, match="Instance not found") as caught:
        instance.delete()
    info = resource_info(caught.value)
    assert info.resource_type == "type.googleapis.com/google.spanner.admin.instance.v1.Instance"
    assert info.resource_name == instance.name
    instance.create().result(timeout=60)
    assert not database.exists()


def autoscaling(**targets):
    limits = types.AutoscalingConfig.AutoscalingLimits(min_nodes=2, max_nodes=10)
    targets = {
        "high_priority_cpu_utilization_percent": 65,
        "storage_utilization_percent": 90,
        **targets,
    }
    return types.AutoscalingConfig(autoscaling_limits=limits, autoscaling_targets=targets)


def test_unsupported_settings_are_refused_by_name(client, config_name):
    asymmetric = autoscaling()
    asymmetric.asymmetric_autoscaling_options.append({"replica_selection": {"location": "eu"}})
    with pytest.raises(exceptions.MethodNotImplemented, match="Asymmetric autoscaling"):
        create(client, config_name, "inst-1", autoscaling_config=asymmetric)
    with pytest.raises(exceptions.MethodNotImplemented, match="Free trial"):
        create(
            client, config_name, "inst-1", instance_type=types.Instance.InstanceType.FREE_INSTANCE
        )


def test_an_autoscaled_instance_has_its_lowest_capacity(client, config_name):
    created = create(client, config_name, "inst-1", autoscaling_config=autoscaling()).result()
    assert (created.node_count, created.processing_units) == (2, 2000)
    assert created.autoscaling_config == autoscaling()
    api = client.instance_admin_api

    def update(paths, **fields):
        instance = types.Instance(name=created.name, **fields)
        request = types.UpdateInstanceRequest(instance=instance, field_mask=FieldMask(paths=paths))
        return api.update_instance(request=request).result()

    with pytest.raises(exceptions.InvalidArgument):
        update(["node_count"], node_count=4)
    fixed = update(["node_count", "autoscaling_config"], node_count=4)
    assert fixed.node_count == 4
    assert not fixed.autoscaling_config
    assert update(["autoscaling_config"], autoscaling_config=autoscaling()).node_count == 4


@pytest.mark.parametrize(
    ("limits", "targets"),
    [
        ({"min_nodes": 0}, {}),
        ({"min_nodes": 11}, {}),
        ({"max_nodes": 21}, {}),
        ({"max_processing_units": 10_000}, {}),
        ({"min_processing_units": 1500, "max_processing_units": 3000}, {}),
        ({}, {"high_priority_cpu_utilization_percent": 0}),
        ({}, {"high_priority_cpu_utilization_percent": 9}),
        ({}, {"total_cpu_utilization_percent": 91}),
        ({}, {"storage_utilization_percent": 0}),
        ({}, {"storage_utilization_percent": 100}),
    ],
)
def test_invalid_autoscaling_configs_are_refused(client, config_name, limits, targets):
    scaled = autoscaling(**targets)
    for field, value in limits.items():
        setattr(scaled.autoscaling_limits, field, value)
    with pytest.raises(exceptions.InvalidArgument):
        create(client, config_name, "inst-1", autoscaling_config=scaled)


@pytest.mark.parametrize("name", ["", "projects/p", "projects/p/instances/", "instances/i"])
def test_malformed_instance_names_are_refused(client, name):
    with pytest.raises(exceptions.InvalidArgument):
        client.instance_admin_api.get_instance(name=name)
