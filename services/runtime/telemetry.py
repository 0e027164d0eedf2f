"""What a service tells its operators: log lines (structlog, JSON on stderr), metrics (Prometheus), traces (OpenTelemetry).

No deal, key, token or hidden card may reach any of them: messages are never logged, spans carry no payload, and a value whose
key looks like a secret is replaced before a line is written.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from importlib.metadata import entry_points
from typing import Any

import structlog
from opentelemetry import propagate, trace
from opentelemetry.context import Context, attach, detach
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from services.runtime.config import ConfigError

SECRET_WORDS = (
    "token",
    "key",
    "secret",
    "leaf",
    "leaves",
    "hand",
    "deal",
    "password",
    "authorization",
    "credential",
    "dsn",
    "opening",
    "ballot",
    "seed",
)
REDACTED = "[redacted]"

_PARENT = "traceparent"

# Keys that hold a secret word and no secret.
_HARMLESS = frozenset({"key_id", "handler", "dealer"})


def configure_logging(level: str = "info") -> None:
    """Send structlog's and the standard library's lines to stderr as JSON, one object a line."""
    shared: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        redact,
    ]
    structlog.configure(
        processors=[*shared, structlog.processors.JSONRenderer(ensure_ascii=False)],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.add_logger_name],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(ensure_ascii=False),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())


def redact(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Replace every value whose key looks like a secret's, at any depth; bytes are never shown."""
    return {name: _redacted(name, value) for name, value in event.items()}


def _redacted(name: str, value: Any) -> Any:
    if is_secret(name) or isinstance(value, bytes | bytearray | memoryview):
        return REDACTED
    if isinstance(value, Mapping):
        return {inner: _redacted(str(inner), item) for inner, item in value.items()}
    if isinstance(value, list | tuple):
        return [_redacted("", item) for item in value]
    return value


def is_secret(name: str) -> bool:
    """Whether a key's name says that its value must not be shown."""
    lower = name.lower()
    return lower not in _HARMLESS and any(word in lower for word in SECRET_WORDS)


class Metrics:
    """What every service counts. One registry serves all services of a process, told apart by the label `service`."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry or CollectorRegistry()
        self.calls = Counter(
            "fupan_rpc_total", "Calls ended", ("service", "rpc", "code"), registry=self.registry
        )
        self.seconds = Histogram(
            "fupan_rpc_seconds",
            "Time a unary call took",
            ("service", "rpc"),
            buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
            registry=self.registry,
        )
        self.open = Gauge("fupan_rpc_open", "Calls open now", ("service", "rpc"), registry=self.registry)
        self.refused = Counter(
            "fupan_refusals_total", "Calls refused, by reason", ("service", "reason"), registry=self.registry
        )
        self.alarms = Counter(
            "fupan_alarms_total", "What people must look at", ("service", "alarm"), registry=self.registry
        )


def configure_tracing(build: str, environ: Mapping[str, str]) -> TracerProvider | None:
    """Export spans as OTEL_TRACES_EXPORTER says (`console`, `otlp`, …); nothing without it. Raises ConfigError.

    Exporters other than `console` come with their own package (`opentelemetry-exporter-otlp`), which reads the rest of OTEL_*.
    """
    name = environ.get("OTEL_TRACES_EXPORTER", "none")
    if name == "none":
        # Without any, whoever asks for the provider would look for one in the environment, each time.
        trace.set_tracer_provider(trace.NoOpTracerProvider())
        return None
    found = [entry for entry in entry_points(group="opentelemetry_traces_exporter") if entry.name == name]
    if not found:
        raise ConfigError(f"OTEL_TRACES_EXPORTER={name}: no such exporter is installed")
    exporter = found[0].load()
    provider = TracerProvider(
        resource=Resource.create({"service.namespace": "fupan", "service.version": build})
    )
    provider.add_span_processor(
        BatchSpanProcessor(exporter(out=sys.stderr) if name == "console" else exporter())
    )
    trace.set_tracer_provider(provider)
    return provider


def traced() -> bool:
    """Whether spans are exported; nothing is spent on them otherwise."""
    return isinstance(trace.get_tracer_provider(), TracerProvider)


def outgoing_trace() -> list[tuple[str, str]]:
    """Metadata that lets a peer go on with the current trace."""
    carrier: dict[str, str] = {}
    propagate.inject(carrier)
    return list(carrier.items())


def traceparent() -> str:
    """The current trace as a record carries it: ids and a flag, nothing that a client could have put there; empty without one."""
    if not traced():
        return ""
    carrier: dict[str, str] = {}
    propagate.inject(carrier)
    return carrier.get(_PARENT, "")


@contextmanager
def following(parent: str) -> Iterator[None]:
    """Go on with the trace of a record that was read: what is done about it, or put off, belongs to it."""
    token = attach(propagate.extract({_PARENT: parent} if parent else {}, context=Context()))
    try:
        yield
    finally:
        detach(token)


@contextmanager
def working(name: str, context: Context) -> Iterator[None]:
    """A span of work that was put off, in the trace of what made it due."""
    if not traced():
        yield
        return
    with trace.get_tracer("fupan").start_as_current_span(
        name, context=context, record_exception=False, set_status_on_exception=False
    ):
        yield
