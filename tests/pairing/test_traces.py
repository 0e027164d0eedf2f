"""A trace goes on over NATS: what a service does about another's record belongs to the trace of who caused that record."""

from __future__ import annotations

import pytest
from opentelemetry import propagate, trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from fupan.pairing.v1 import service_pb2 as pb
from tests.cup import CHIEF, SEALABLE_US, Cup
from tests.platform import Platform


async def test_the_dealers_reaction_to_a_seal_is_of_the_trace_of_who_sealed(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr("opentelemetry.trace._TRACER_PROVIDER", provider)
    services = await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    platform.clock.stand(await cup.ended() + SEALABLE_US)
    with provider.get_tracer("test").start_as_current_span("client") as client:
        carrier: dict[str, str] = {}
        propagate.inject(carrier)
    # What else a client says of its trace is not passed on.
    chief = platform.of(CHIEF).pairing.telling(*carrier.items(), ("baggage", "secret=s3cret"))
    await chief.SealChampionship(pb.SealChampionshipRequest(command_id="s", championship="cup"))
    revealed = await platform.events.wait("secret_revealed")
    ours = trace.format_trace_id(client.get_span_context().trace_id)
    sealed = (await platform.events.of("championship_sealed"))[0]
    assert [one.stored.trace.split("-")[1] for one in (sealed, revealed)] == [ours, ours]
    assert sealed.stored.trace != revealed.stored.trace
    await services.stop()
    spans = [
        span for span in exporter.get_finished_spans() if trace.format_trace_id(span.context.trace_id) == ours
    ]
    assert {"fupan.pairing.v1.PairingService/SealChampionship", "reveal a secret"} <= {
        one.name for one in spans
    }
    assert b"s3cret" not in b"".join(one.data + one.trace.encode() for one in await platform.events.stored())


async def test_without_an_exporter_a_record_tells_of_no_trace(platform: Platform) -> None:
    await platform.start()
    await Cup.create(platform, entrants=3)
    assert {one.trace for one in await platform.events.stored()} == {""}
