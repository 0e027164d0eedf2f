"""The dealer's RPCs: parse, handle, reply."""

from __future__ import annotations

from typing import Any

from fupan.common.v1 import record_pb2
from fupan.dealer.v1 import events_pb2, service_pb2_grpc
from fupan.dealer.v1 import service_pb2 as pb
from services.dealer import model as m
from services.dealer.codec import EVENTS
from services.dealer.desk import Desk
from services.domain import Rejected
from services.runtime.errors import Malformed, NotFound
from services.runtime.log import Answer

MAX_DEALS = 1_000
"""Boards one GetDeals may ask for."""


class DealerApi(service_pb2_grpc.DealerServiceServicer):
    """Secrets, commitments, deals, keys held in trust."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def CommitDeals(self, request: pb.CommitDealsRequest, context: Any) -> Any:
        boards = tuple(map(_path, request.boards))
        answer, batch = await self._desk.commit(
            request.championship, request.command_id, request.purpose, boards, tuple(request.draws)
        )
        return pb.CommitDealsResponse(
            receipt=_receipt(answer), batch=batch.batch, merkle_root=batch.merkle_root
        )

    async def GetDeals(self, request: pb.GetDealsRequest, context: Any) -> Any:
        if not 1 <= len(request.boards) <= MAX_DEALS:
            raise Malformed("boards", f"must be 1 to {MAX_DEALS} boards")
        leaves = [
            await self._desk.leaf_for_table(
                one.championship, one.table, _path(one.path), one.stream, one.sequence
            )
            for one in request.boards
        ]
        return pb.GetDealsResponse(leaves=[pb.Leaf(leaf=leaf, entropy=entropy) for leaf, entropy in leaves])

    async def RevealBoard(self, request: pb.RevealBoardRequest, context: Any) -> Any:
        answer = await self._desk.reveal_board(request.championship, request.command_id, _path(request.path))
        return pb.RevealBoardResponse(receipt=_receipt(answer))

    async def RevealDraw(self, request: pb.RevealDrawRequest, context: Any) -> Any:
        answer, revealed = await self._desk.reveal_draw(
            request.championship, request.command_id, request.name, request.entrants_digest
        )
        state = self._desk.state(request.championship)
        batch = state.batch(revealed.batch)
        assert batch is not None
        assert state.secret is not None
        proof = self._desk.vault.proof(request.championship, state.secret, batch, f"draw/{request.name}")
        return pb.RevealDrawResponse(
            receipt=_receipt(answer),
            leaf=revealed.leaf,
            entropy=state.entropy_of(revealed.batch) or b"",
            proof=proof.siblings,
            batch=revealed.batch,
            index=proof.index,
            size=proof.size,
            merkle_root=proof.root,
        )

    async def GetCommitments(self, request: pb.GetCommitmentsRequest, context: Any) -> Any:
        await self._desk.reached(request.min_position)
        state = self._desk.state(request.championship)
        return pb.GetCommitmentsResponse(
            secret_commitment=state.secret.commitment if state.secret else b"",
            demo=state.secret.demo if state.secret else False,
            batches=[EVENTS.to_proto(one).deals_committed for one in state.batches],
            revealed=[EVENTS.to_proto(one).board_revealed for one in state.revealed],
            draws=[EVENTS.to_proto(one).draw_revealed for one in state.draws],
        )

    async def VerifyDeal(self, request: pb.VerifyDealRequest, context: Any) -> Any:
        state = self._desk.state(request.championship)
        path = _path(request.path)
        revealed = state.reveal_of(path)
        if revealed is None or state.secret is None:
            raise Rejected("BOARD_OPEN", "", "the board is not revealed: not all tables have closed it")
        batch = state.batch(revealed.batch)
        assert batch is not None
        proof = self._desk.vault.proof(request.championship, state.secret, batch, str(path))
        return pb.VerifyDealResponse(
            leaf=revealed.leaf,
            proof=proof.siblings,
            index=proof.index,
            size=proof.size,
            merkle_root=proof.root,
            entropy=state.entropy_of(revealed.batch) or b"",
        )

    async def NameEntropy(self, request: pb.NameEntropyRequest, context: Any) -> Any:
        command = m.NameEntropy(request.batch, request.source)
        answer = await self._desk.handle(request.championship, command, request.command_id)
        return pb.NameEntropyResponse(receipt=_receipt(answer))

    async def DrawEntropy(self, request: pb.DrawEntropyRequest, context: Any) -> Any:
        command = m.DrawEntropy(request.batch, request.value)
        answer = await self._desk.handle(request.championship, command, request.command_id)
        return pb.DrawEntropyResponse(receipt=_receipt(answer))

    async def RevealSecret(self, request: pb.RevealSecretRequest, context: Any) -> Any:
        state = self._desk.state(request.championship)
        if not self._desk.directory.get(request.championship).sealed_us or state.secret is None:
            raise Rejected("NOT_SEALED", "C10.8", "the secret is revealed when the championship is sealed")
        command = m.RevealSecret(self._desk.vault.master(request.championship, state.secret))
        answer = await self._desk.handle(request.championship, command, request.command_id)
        return pb.RevealSecretResponse(receipt=_receipt(answer))

    async def CreateAppealKey(self, request: pb.CreateAppealKeyRequest, context: Any) -> Any:
        championship, appeal = request.championship, request.appeal
        answer = None
        if self._desk.state(championship).appeal_key(appeal) is None:
            command = self._desk.vault.create_appeal_key(championship, appeal)
            answer = await self._desk.handle(championship, command, request.command_id)
        created = self._desk.state(championship).appeal_key(appeal)
        assert created is not None
        return pb.CreateAppealKeyResponse(
            receipt=_receipt(answer) if answer else None, public_key=created.public_key
        )

    async def ReleaseAppealKey(self, request: pb.ReleaseAppealKeyRequest, context: Any) -> Any:
        championship, appeal = request.championship, request.appeal
        created = self._desk.state(championship).appeal_key(appeal)
        if created is None:
            raise NotFound("appeal", appeal)
        await self._desk.check_voting_closed(championship, appeal)
        private = self._desk.vault.appeal_key(championship, created)
        answer = await self._desk.handle(
            championship, m.ReleaseAppealKey(appeal, private), request.command_id
        )
        return pb.ReleaseAppealKeyResponse(receipt=_receipt(answer), private_key=private)

    async def OpenBoardToPanel(self, request: pb.OpenBoardToPanelRequest, context: Any) -> Any:
        command = m.OpenBoardToPanel(request.appeal, _path(request.path), tuple(request.panel))
        answer = await self._desk.handle(request.championship, command, request.command_id)
        return pb.OpenBoardToPanelResponse(receipt=_receipt(answer))


def _path(path: events_pb2.BoardPath) -> m.BoardPath:
    return m.BoardPath(path.round, path.board, path.attempt)


def _receipt(answer: Answer[Any]) -> record_pb2.Receipt:
    return record_pb2.Receipt(hash=answer.hash, position=answer.position)
