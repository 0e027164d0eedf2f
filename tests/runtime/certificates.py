"""An authority and certificates for tests, as `FUPAN_TLS_DIR` wants them."""

from __future__ import annotations

import datetime
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


class Authority:
    """Signs certificates."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("authority")
        self._certificate = (
            self._builder(self._name, self._key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .sign(self._key, SHA256())
        )

    def folder(self, path: Path, name: str) -> Path:
        """A folder with key, certificate for `name` on this machine, and this authority."""
        path.mkdir()
        key = ec.generate_private_key(ec.SECP256R1())
        names = [x509.DNSName(name), x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))]
        certificate = (
            self._builder(_name(name), key)
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .sign(self._key, SHA256())
        )
        pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        (path / "tls.key").write_bytes(pem)
        (path / "tls.crt").write_bytes(certificate.public_bytes(Encoding.PEM))
        (path / "ca.crt").write_bytes(self._certificate.public_bytes(Encoding.PEM))
        return path

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        now = datetime.datetime.now(datetime.UTC)
        day = datetime.timedelta(days=1)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - day)
            .not_valid_after(now + day)
        )


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])
