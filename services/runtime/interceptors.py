"""The gate every call passes, in this order: span and count, ready, token, deadline, rate, access, request; errors on the way out.

Health and reflection pass untouched. A stream's first message is read and checked here, before its handler runs, so that no
handler works for somebody who may not call it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, asynccontextmanager, contextmanager
from typing import Any, Protocol

import grpc
from google.protobuf.message import DecodeError
from grpc import StatusCode
from opentelemetry import propagate, trace
from opentelemetry.context import attach

from services.runtime.errors import Denied, Malformed, Refusal, Unauthenticated, Unavailable, explain
from services.runtime.identity import ANONYMOUS, Caller, Identity, set_caller
from services.runtime.limits import Limits, check_request, check_size
from services.runtime.telemetry import Metrics, traced

UNTOUCHED = ("/grpc.health.v1.", "/grpc.reflection.")

FIRST_MESSAGE_SECONDS = 30.0

_SCHEME = "bearer "

Parse = Callable[[bytes], Any]
"""An RPC's request from its bytes. Raises DecodeError."""


class Admission(Protocol):
    """Who may call what (`services.access.Access`)."""

    async def admit(self, method: str, caller: Caller, request: Any) -> None:
        """Return when the call may be made. Raises Denied, Unauthenticated, Malformed, NotFound."""

    def unsaid(self, method: str) -> bool:
        """Whether it is for nobody but the caller to know by which rule a call was refused."""


class Gate(grpc.aio.ServerInterceptor):  # type: ignore[type-arg]  # generic in its stubs alone
    """The one interceptor of a service.

    `proven`: services must show their certificate (mutual TLS is configured). `shut` is a reason of UNAVAILABLE while the
    service does not serve, empty while it does.
    """

    def __init__(
        self,
        service: str,
        access: Admission,
        identity: Identity,
        limits: Limits,
        metrics: Metrics,
        log: Any,
        proven: bool = False,
    ) -> None:
        self.shut = "STARTING"
        self._service = service
        self._access = access
        self._identity = identity
        self._limits = limits
        self._metrics = metrics
        self._log = log
        self._proven = proven
        self._guarded: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}
        self._tracer = trace.get_tracer("fupan")

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler[Any, Any]]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> grpc.RpcMethodHandler[Any, Any]:
        """The handler with the gate before it."""
        method = handler_call_details.method
        guarded = self._guarded.get(method)
        if guarded is not None:
            return guarded
        handler: Any = await continuation(handler_call_details)
        if handler is None or method.startswith(UNTOUCHED):
            return handler  # type: ignore[no-any-return]
        guarded = self._guarded[method] = self._guard(method, handler)
        return guarded

    def _guard(self, method: str, handler: Any) -> grpc.RpcMethodHandler[Any, Any]:
        # Bytes come in as they are: what cannot be parsed is refused here, in our own words, like all that is malformed.
        codecs, parse = (None, _written(handler.response_serializer)), handler.request_deserializer
        if handler.request_streaming and handler.response_streaming:
            return grpc.stream_stream_rpc_method_handler(
                self._many(method, handler.stream_stream, self._uploading(method, parse, pace=True)), *codecs
            )
        if handler.request_streaming:
            return grpc.stream_unary_rpc_method_handler(
                self._one(method, handler.stream_unary, self._uploading(method, parse, pace=False)), *codecs
            )
        if handler.response_streaming:
            return grpc.unary_stream_rpc_method_handler(
                self._many(method, handler.unary_stream, self._request(method, parse)), *codecs
            )
        return grpc.unary_unary_rpc_method_handler(
            self._one(method, handler.unary_unary, self._request(method, parse), deadline=True), *codecs
        )

    # What the handler gets: the checked request, or the checked messages.

    def _request(self, method: str, parse: Parse) -> Callable[[Any, Caller], Awaitable[Any]]:
        async def checked(data: bytes, caller: Caller) -> Any:
            request = _parsed(parse, data)
            await self._access.admit(method, caller, request)
            check_request(request)
            return request

        return checked

    def _uploading(self, method: str, parse: Parse, pace: bool) -> Callable[[Any, Caller], Awaitable[Any]]:
        async def checked(messages: Any, caller: Caller) -> AsyncIterator[Any]:
            incoming = aiter(messages)
            try:
                async with asyncio.timeout(FIRST_MESSAGE_SECONDS):
                    first = _parsed(parse, await anext(incoming))
            except (TimeoutError, StopAsyncIteration):
                raise Malformed("stream", "must begin with a message") from None
            await self._access.admit(method, caller, first)
            check_request(first)
            if pace:
                return self._messages(first, incoming, parse, caller)
            return _chain(first, incoming, parse)

        return checked

    async def _messages(
        self, first: Any, rest: AsyncIterator[bytes], parse: Parse, caller: Caller
    ) -> AsyncIterator[Any]:
        """A stream's messages, each checked and none faster than its caller's rate. An upload's rows are its handler's to check,
        since the handler can name the line."""
        yield first
        async for data in rest:
            message = _parsed(parse, data)
            check_request(message)
            if not caller.service:
                while wait := self._limits.take(caller.subject):  # noqa: ASYNC110  # what is awaited is time
                    await asyncio.sleep(wait)
            yield message

    # The handler behind the gate, answering once or many times.

    def _one(
        self,
        method: str,
        handler: Callable[[Any, Any], Awaitable[Any]],
        prepare: Callable[[Any, Caller], Awaitable[Any]],
        deadline: bool = False,
    ) -> Callable[[Any, Any], Awaitable[Any]]:
        async def call(request: Any, context: Any) -> Any:
            async with self._call(method, context, unary=deadline) as caller:
                return await handler(await prepare(request, caller), context)

        return call

    def _many(
        self,
        method: str,
        handler: Callable[[Any, Any], Any],
        prepare: Callable[[Any, Caller], Awaitable[Any]],
    ) -> Callable[[Any, Any], Awaitable[None]]:
        async def call(request: Any, context: Any) -> None:
            async with (
                self._call(method, context, unary=False) as caller,
                aclosing(handler(await prepare(request, caller), context)) as responses,
            ):
                async for response in responses:
                    await context.write(response)

        return call

    @asynccontextmanager
    async def _call(self, method: str, context: Any, unary: bool) -> AsyncIterator[Caller]:
        started = time.perf_counter()
        labels = (self._service, method)
        opened = self._metrics.open.labels(*labels)
        opened.inc()
        code, reason, caller = StatusCode.OK, "", ANONYMOUS
        with self._span(method, context) as span:
            try:
                with self._counted(context) as caller:
                    if unary and context.time_remaining() is None:
                        raise Refusal("DEADLINE_REQUIRED")
                    yield caller
            except (asyncio.CancelledError, GeneratorExit):
                code = StatusCode.CANCELLED
                raise
            except grpc.aio.AbortError:
                code = context.code()
                raise
            except Exception as error:
                told = explain(error)
                code, reason = told.code, told.reason
                if told.clause and self._access.unsaid(method):
                    reason = ""
                if code is StatusCode.INTERNAL:
                    self._log.error(
                        "internal_error", rpc=method, caller=caller.subject, **told.facts, exc_info=error
                    )
                await context.abort(code, told.message, told.trailers())
            finally:
                opened.dec()
                span.set_attribute("rpc.grpc.status_code", code.value[0])
                self._ended(method, code, reason, caller, time.perf_counter() - started, unary)

    def _ended(
        self, method: str, code: StatusCode, reason: str, caller: Caller, seconds: float, unary: bool
    ) -> None:
        self._metrics.calls.labels(self._service, method, code.name).inc()
        if unary:
            self._metrics.seconds.labels(self._service, method).observe(seconds)
        if reason:
            self._metrics.refused.labels(self._service, reason).inc()
        self._log.info(
            "call",
            rpc=method,
            caller=caller.subject,
            code=code.name,
            reason=reason,
            ms=round(seconds * 1000, 2),
        )

    @contextmanager
    def _counted(self, context: Any) -> Iterator[Caller]:
        """Ready, known, and not too often: the caller, who is the handler's from here on."""
        if self.shut:
            raise Unavailable(self.shut)
        caller = self._authenticate(context)
        set_caller(caller)
        if caller.service:
            yield caller
            return
        with self._limits.call(caller.subject or _host(context)):
            yield caller

    def _authenticate(self, context: Any) -> Caller:
        header = next(
            (value for name, value in context.invocation_metadata() if name == "authorization"), None
        )
        if header is None:
            return ANONYMOUS
        if not isinstance(header, str) or header[: len(_SCHEME)].lower() != _SCHEME:
            raise Unauthenticated("TOKEN_INVALID", "authorization must be `Bearer` and a token")
        caller = self._identity.verify(header[len(_SCHEME) :].strip())
        if caller.service and self._proven and caller.service not in _certified(context):
            raise Denied("SERVICE_NOT_PROVEN")
        return caller

    @contextmanager
    def _span(self, method: str, context: Any) -> Iterator[trace.Span]:
        if not traced():
            yield trace.INVALID_SPAN
            return
        carrier = {name: value for name, value in context.invocation_metadata() if isinstance(value, str)}
        # No exception is recorded: its text may tell what a span must not.
        span = self._tracer.start_span(
            method.lstrip("/"),
            context=propagate.extract(carrier),
            kind=trace.SpanKind.SERVER,
            attributes={"rpc.system": "grpc"},
        )
        # Never detached: the task is this call's own, and a stream that is left may be ended in another one.
        attach(trace.set_span_in_context(span))
        try:
            yield span
        finally:
            span.end()


def _parsed(parse: Parse, data: bytes) -> Any:
    check_size(data)
    try:
        return parse(data)
    except DecodeError:
        raise Malformed("request", "is no message of this RPC") from None


def _written(serialise: Callable[[Any], bytes]) -> Callable[[Any], bytes]:
    """A response's bytes; a handler may give them itself, where it has them at hand."""
    return lambda response: response if isinstance(response, bytes) else serialise(response)


async def _chain(first: Any, rest: AsyncIterator[bytes], parse: Parse) -> AsyncIterator[Any]:
    yield first
    async for data in rest:
        yield _parsed(parse, data)


def _host(context: Any) -> str:
    """The other end without its port: what stands for a caller without a token."""
    return f"host {context.peer().rpartition(':')[0]}"


def _certified(context: Any) -> set[str]:
    """Service names that the other end's certificate proves: the first labels of its names."""
    proven = context.auth_context()
    names = [
        name for key in ("x509_common_name", "x509_subject_alternative_name") for name in proven.get(key, ())
    ]
    return {name.decode("ascii", "replace").partition(".")[0] for name in names}
