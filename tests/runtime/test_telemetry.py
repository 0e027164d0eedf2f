"""What operators are told, and what never leaves the process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import propagate, trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from fupan.table.v1 import service_pb2
from services.runtime.config import ConfigError
from services.runtime.identity import create_keys
from services.runtime.telemetry import configure_tracing, outgoing_trace, redact
from tests.runtime.serving import created, entered, serving
from tests.servers import SECONDS

ROOT = Path(__file__).resolve().parents[2]
CALL = "/fupan.table.v1.TableService/CallReferee"


@pytest.mark.parametrize(
    "key",
    [
        "token",
        "bearer_token",
        "api_key",
        "leaf",
        "leaves",
        "hand",
        "Authorization",
        "password",
        "postgres_dsn",
        "deal",
    ],
)
def test_what_is_called_like_a_secret_is_not_shown_at_any_depth(key: str) -> None:
    event = redact(
        None, "info", {"event": "e", key: "s3cret", "inner": {key: ["s3cret"]}, "list": [{key: 1}]}
    )
    assert "s3cret" not in json.dumps(event)
    assert event["event"] == "e"


def test_bytes_are_never_shown_and_the_rest_is() -> None:
    event = redact(
        None, "info", {"event": "e", "data": b"s3cret", "key_id": "k1", "service": "dealer", "n": 1}
    )
    assert event == {"event": "e", "data": "[redacted]", "key_id": "k1", "service": "dealer", "n": 1}


def test_lines_are_json_on_stderr_from_structlog_and_the_standard_library_alike() -> None:
    code = """
import logging, structlog
from services.runtime.telemetry import configure_logging
configure_logging("info")
structlog.get_logger().bind(service="table").info("sat_down", seat=1, token="s3cret", name="王伟")
structlog.get_logger().debug("unseen")
logging.getLogger("nats").warning("went %s", "away", extra={"password": "s3cret"})
try:
    raise KeyError("lost")
except KeyError:
    structlog.get_logger().exception("failed")
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == ""
    assert "s3cret" not in done.stderr
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert [(line["event"], line["level"]) for line in lines] == [
        ("sat_down", "info"),
        ("went away", "warning"),
        ("failed", "error"),
    ]
    assert (lines[0]["service"], lines[0]["name"], lines[0]["token"]) == ("table", "王伟", "[redacted]")
    assert lines[1]["logger"] == "nats"
    assert "KeyError: 'lost'" in lines[2]["exception"]


async def test_a_call_is_a_span_of_its_callers_trace_without_payload(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("test")
    monkeypatch.setattr("services.runtime.interceptors.traced", lambda: True)
    inside: dict[str, str] = {}

    async def call_referee(request: Any, context: Any) -> Any:
        inside.update(outgoing_trace())
        raise KeyError("s3cret")

    create_keys(tmp_path)
    async with serving(tmp_path, CallReferee=call_referee) as running:
        running.gate._tracer = tracer
        await running.log.write("open", created("open"), *entered("i1", {1: ["player"]}))
        with tracer.start_as_current_span("client") as client:
            carrier: dict[str, str] = {}
            propagate.inject(carrier)
        start = running.channel.unary_unary(
            CALL,
            request_serializer=service_pb2.CallRefereeRequest.SerializeToString,
            response_deserializer=service_pb2.CallRefereeResponse.FromString,
        )
        request = service_pb2.CallRefereeRequest(championship="open", command_id="c", reason="s3cret")
        metadata = (("authorization", f"Bearer {running.token('player')}"), *carrier.items())
        with pytest.raises(Exception, match="INTERNAL"):
            await start(request, metadata=metadata, timeout=SECONDS)
    spans = {span.name: span for span in exporter.get_finished_spans()}
    span = spans[CALL.lstrip("/")]
    context = client.get_span_context()
    assert span.parent is not None
    assert (span.parent.trace_id, span.parent.span_id) == (context.trace_id, context.span_id)
    assert inside["traceparent"].split("-")[1] == trace.format_trace_id(context.trace_id)
    assert span.kind is trace.SpanKind.SERVER
    assert dict(span.attributes or {}) == {"rpc.system": "grpc", "rpc.grpc.status_code": 13}
    assert "s3cret" not in span.to_json()


def test_traces_go_nowhere_unless_told_and_an_unknown_exporter_is_named() -> None:
    assert configure_tracing("b", {}) is None
    with pytest.raises(ConfigError, match="OTEL_TRACES_EXPORTER=nowhere: no such exporter is installed"):
        configure_tracing("b", {"OTEL_TRACES_EXPORTER": "nowhere"})
