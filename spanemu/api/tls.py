"""TLS: the certificate of a server, and the channels of clients that trust it.

The files are in PEM format. A client trusts a file of certificates: that of the server itself if
the certificate is self-signed, otherwise that of its authority.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from spanemu.config import InvalidConfig

Options = tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class ServerTls:
    """A certificate with its key, as the gRPC servers and the REST server take them."""

    credentials: Any
    context: ssl.SSLContext
    http2_context: ssl.SSLContext


def load_tls(certificate: str, key: str) -> ServerTls:
    """Return the TLS of a server from its files. Raises InvalidConfig."""
    try:
        context = _server_context("http/1.1", certificate, key)
        http2_context = _server_context("h2", certificate, key)
        chain, secret = Path(certificate).read_bytes(), Path(key).read_bytes()
    except ssl.SSLError as problem:
        reason = problem.reason or "they are not PEM files of a certificate and its key"
        raise InvalidConfig(f"tls_cert {certificate}, tls_key {key}: {reason}") from problem
    except OSError as problem:
        raise InvalidConfig(f"tls_cert, tls_key: {problem}") from problem
    return ServerTls(grpc.ssl_server_credentials([(secret, chain)]), context, http2_context)


def _server_context(protocol: str, certificate: str, key: str) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.set_alpn_protocols([protocol])
    # The password keeps OpenSSL from asking a person for one.
    context.load_cert_chain(certificate, key, password="")
    return context


def open_channel(uri: str, tls_ca: str | None, options: Options = ()) -> Any:
    """Return a gRPC channel to `uri`, with TLS if there is a file of certificates to trust.

    Raises OSError if the file cannot be read.
    """
    if tls_ca is None:
        return grpc.insecure_channel(uri, options=options)
    credentials = grpc.ssl_channel_credentials(Path(tls_ca).read_bytes())
    return grpc.secure_channel(uri, credentials, options=options)


def client_context(tls_ca: str | None) -> ssl.SSLContext:
    """Return the context of an HTTPS client; None trusts the authorities of this machine.

    Raises OSError if the file cannot be read.
    """
    return ssl.create_default_context(cafile=tls_ca)
