"""The arguments of spanner.ml_predict_row."""

from __future__ import annotations

import pytest

from spanemu.models.errors import BadRowArgument
from spanemu.models.predict_row import read_call
from spanemu.values.pg_jsonb import parse

ARGS = parse('{"instances": [{"a": 1}, {"a": 2.5}], "parameters": {"n": 3}}')


def test_a_text_names_the_endpoint():
    call = read_call("projects/p", ARGS)
    assert call.endpoints == ("projects/p",)
    assert call.instances == [{"a": 1}, {"a": 2.5}]
    assert call.parameters == {"n": 3}


def test_options_name_endpoints_and_batches():
    options = parse('{"endpoints": ["a", "b"], "default_batch_size": 10}')
    assert read_call(options, ARGS)[::3] == (("a", "b"), 10)
    assert read_call(parse('{"endpoint": "a"}'), ARGS).endpoints == ("a",)


@pytest.mark.parametrize(
    ("endpoint", "args", "words"),
    [
        (None, ARGS, "`model_endpoint` argument to ML_PREDICT_ROW cannot be NULL"),
        ("a", None, "`args` argument to ML_PREDICT_ROW cannot be NULL"),
        ("", ARGS, "name an endpoint"),
        (parse("[]"), ARGS, "object"),
        (parse("{}"), ARGS, "either `endpoint` or `endpoints`"),
        (parse('{"endpoint": 5}'), ARGS, "`endpoint` to contain value of type `string`"),
        (parse('{"endpoint": null}'), ARGS, "of type `string`"),
        (parse('{"endpoints": null}'), ARGS, "array of strings"),
        (parse('{"endpoints": [5]}'), ARGS, "array of strings"),
        (parse('{"endpoints": "a"}'), ARGS, "array of strings"),
        (parse('{"endpoint": "a", "endpoints": ["b"]}'), ARGS, "both"),
        (parse('{"endpoint": "a", "x": 1}'), ARGS, "not support key: `x`"),
        (
            parse('{"endpoint": "a", "default_batch_size": 11}'),
            ARGS,
            "value of 11 outside of allowed",
        ),
        (parse('{"endpoint": "a", "default_batch_size": 0}'), ARGS, "value of 0 outside"),
        (parse('{"endpoint": "a", "default_batch_size": 1.5}'), ARGS, "`integer`"),
        (parse('{"endpoint": "a", "default_batch_size": "1"}'), ARGS, "`integer`"),
        ("a", parse("[]"), "object"),
        ("a", parse("{}"), "instances"),
        ("a", parse('{"instances": []}'), "instances"),
        ("a", parse('{"instances": {}}'), "array of objects"),
        ("a", parse('{"instances": null}'), "array of objects"),
        ("a", parse('{"instances": [1]}'), "array of objects"),
        ("a", parse('{"instances": [{}], "parameters": 5}'), "type `object`"),
        ("a", parse('{"instances": [{}], "other": 5}'), "not support key: `other`"),
    ],
)
def test_other_arguments_are_refused(endpoint, args, words):
    with pytest.raises(BadRowArgument, match=words):
        read_call(endpoint, args)
