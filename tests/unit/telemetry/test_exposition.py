"""The text format of Prometheus, as the parser of its own client reads it."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from spanemu.telemetry.exposition import Family, Histogram, Sample, text_of


def parsed(*families):
    return {family.name: family for family in text_string_to_metric_families(text_of(families))}


def test_values_and_labels_are_read_back():
    label = 'quote " backslash \\ line\nend é'
    samples = [Sample({"a": label, "b": ""}, 12), Sample({}, 0.25), Sample({"a": "big"}, 1e17)]
    (family,) = parsed(Family("x_total", "counter", "Help.", samples)).values()
    assert (family.type, family.documentation) == ("counter", "Help.")
    assert [(sample.labels, sample.value) for sample in family.samples] == [
        ({"a": label, "b": ""}, 12.0),
        ({}, 0.25),
        ({"a": "big"}, 1e17),
    ]


def test_a_histogram_has_cumulative_buckets():
    histogram = Histogram.with_bounds((0.001, 1.0))
    for seconds in (0.0, 0.001, 0.5, 7.0):
        histogram.observe(seconds)
    family = Family("d", "histogram", "Help.", histogram.samples({"method": "Commit"}))
    samples = {
        (each.name, each.labels.get("le")): each.value for each in parsed(family)["d"].samples
    }
    assert samples == {
        ("d_bucket", "0.001"): 2,
        ("d_bucket", "1"): 3,
        ("d_bucket", "+Inf"): 4,
        ("d_sum", None): 7.501,
        ("d_count", None): 4,
    }


def test_a_family_without_samples_is_announced():
    assert parsed(Family("nothing", "gauge", "Help.", []))["nothing"].samples == []
