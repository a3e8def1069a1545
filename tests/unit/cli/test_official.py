"""Command lines of Google's emulator, as `spanemu serve` gets them."""

import re
import socket

import pytest

from spanemu.cli import official
from spanemu.cli.official import (
    InvalidFlag,
    emulator_arguments,
    gateway_arguments,
    parse_emulator,
    parse_gateway,
)
from spanemu.cli.serve import serve


def gateway(*arguments):
    return gateway_arguments(parse_gateway(arguments))


def emulator(*arguments):
    return emulator_arguments(parse_emulator(arguments))


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), ["--host-port=localhost:9010", "--rest-host-port=localhost:9020"]),
        (
            ("--hostname", "0.0.0.0"),
            ["--host-port=0.0.0.0:9010", "--rest-host-port=0.0.0.0:9020"],
        ),
        (
            ("-hostname=::1", "-grpc_port", "1", "--http_port=2"),
            ["--host-port=[::1]:1", "--rest-host-port=[::1]:2"],
        ),
        # gcloud passes an empty last argument; Go reads no flags behind it.
        (("--grpc_port", "1", "", "--nonsense"), ["--host-port=localhost:1"]),
        (("--grpc_port", "1", "--", "--grpc_port", "2"), ["--host-port=localhost:1"]),
        (("--enable_fault_injection",), ["--abort-share=0.05"]),
        (("--override_max_databases_per_instance=7",), ["--max-databases-per-instance=7"]),
        (
            ("--copy_emulator_stdout", "--copy_emulator_stderr=false"),
            ["--ready-lines=gateway_main"],
        ),
    ],
)
def test_flags_of_the_gateway(arguments, expected):
    assert set(expected) <= set(gateway(*arguments))


def test_a_boolean_of_the_gateway_takes_no_argument():
    assert "--host-port=localhost:9010" in gateway("--log_requests", "false", "--grpc_port", "1")
    assert not any("abort" in each for each in gateway("--enable_fault_injection=F"))
    assert "--log-requests" not in gateway("--log_requests=F")


@pytest.mark.parametrize(
    "arguments",
    [
        ("--nonsense",),
        ("--grpc_port",),
        ("--grpc_port", "many"),
        ("--enable_fault_injection=maybe",),
        ("--grpc_port", "99999"),
        ("--http_port=-1",),
        ("--hostname", "http://localhost"),
        ("--noenable_fault_injection",),
    ],
)
def test_flags_that_the_gateway_refuses(arguments):
    with pytest.raises(InvalidFlag):
        gateway(*arguments)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), ["--host-port=localhost:10007", "--rest-host-port=off"]),
        (("positional", "--host_port", "localhost:0"), ["--host-port=localhost:0"]),
        (("--enable_fault_injection", "--host_port=h:1"), ["--abort-share=0.05"]),
    ],
)
def test_flags_of_the_emulator_alone(arguments, expected):
    assert set(expected) <= set(emulator(*arguments))


def test_the_emulator_alone_negates_booleans():
    assert not parse_emulator(["--log_requests", "--nolog_requests"])["log_requests"]
    for arguments in (["--nonsense"], ["--nohost_port"], ["--host_port"], ["--log_requests=2"]):
        with pytest.raises(InvalidFlag):
            parse_emulator(arguments)


@pytest.mark.parametrize(
    ("main", "arguments", "options"),
    [
        (
            official.gateway_main,
            ["--hostname=127.0.0.1", "--grpc_port={taken}", "--http_port=0"],
            ["--grpc_port"],
        ),
        (
            official.gateway_main,
            ["--hostname=127.0.0.1", "--grpc_port=0", "--http_port={taken}"],
            ["--http_port"],
        ),
        (official.emulator_main, ["--host_port=127.0.0.1:{taken}"], ["--host_port"]),
        (official.gateway_main, ["--grpc_port=99999"], ["-grpc_port"]),
        (official.gateway_main, ["--hostname=http://localhost"], ["-hostname"]),
        (official.emulator_main, ["--host_port=localhost"], ["-host_port"]),
    ],
)
@pytest.mark.usefixtures("untuned")
def test_a_message_names_options_that_the_program_has(main, arguments, options, capsys):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        given = [each.format(taken=other.getsockname()[1]) for each in arguments]
        with pytest.raises(SystemExit):
            main(given)
    assert re.findall(r"(?<!\w)--?\w[\w-]+", capsys.readouterr().err) == options


@pytest.mark.parametrize(
    ("main", "code"), [(official.gateway_main, 2), (official.emulator_main, 1)]
)
def test_an_unknown_flag_has_the_exit_code_of_the_program(main, code, capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--nonsense"])
    assert caught.value.code == code
    assert "nonsense" in capsys.readouterr().err


def test_notices_are_printed_instead_of_a_start(capsys):
    with pytest.raises(SystemExit) as caught:
        official.gateway_main(["--notices"])
    assert caught.value.code == 0
    assert "Apache" in capsys.readouterr().out


def test_variables_override_flags_and_flags_without_effect_are_named(monkeypatch, capsys):
    started = []
    monkeypatch.setattr(serve, "main", lambda arguments, **_: started.extend(arguments))
    monkeypatch.setenv("MAX_DATABASES_PER_INSTANCE", "3")
    with pytest.raises(SystemExit):
        official.gateway_main(
            [
                "--override_max_databases_per_instance=5",
                "--override_change_stream_partition_token_alive_seconds=9",
                "--log_requests",
            ]
        )
    assert {"--max-databases-per-instance=3", "--log-requests"} <= set(started)
    assert "partition_token_alive_seconds" in capsys.readouterr().err
    monkeypatch.setenv("MAX_DATABASES_PER_INSTANCE", "many")
    with pytest.raises(SystemExit) as caught:
        official.gateway_main([])
    assert caught.value.code == 2


@pytest.mark.parametrize("flag", ["--help", "-h"])
@pytest.mark.parametrize("main", [official.gateway_main, official.emulator_main])
def test_help_lists_the_flags(main, flag, capsys):
    with pytest.raises(SystemExit) as caught:
        main([flag])
    assert caught.value.code == 0
    assert "--log_requests=false" in capsys.readouterr().out
