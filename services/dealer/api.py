"""The dealer's RPCs: parse, handle, reply."""

from __future__ import annotations

from typing import Any

from fupan.dealer.v1 import events_pb2, service_pb2_grpc
from fupan.dealer.v1 import service_pb2 as pb
from services.dealer import model as m
from services.dealer.codec import EVENTS
from services.dealer.desk import Desk, Opened
from services.dealer.vault import Proof
from services.domain import Rejected
from services.runtime.answers import Waits, reached, receipt
from services.runtime.errors import Malformed

MAX_DEALS = 1_000
"""Boards one GetDeals may ask for."""


class DealerApi(service_pb2_grpc.DealerServiceServicer):
    """Secrets, commitments, deals, keys held in trust."""

    def __init__(self, desk: Desk, waits: Waits) -> None:
        self._desk = desk
        self._waits = waits

    async def CommitDeals(self, request: pb.CommitDealsRequest, context: Any) -> Any:
        boards = tuple(map(_path, request.boards))
        answer, batch = await self._desk.commit(
            request.championship, request.command_id, request.purpose, boards, tuple(request.draws)
        )
        return pb.CommitDealsResponse(
            receipt=receipt(answer), batch=batch.batch, merkle_root=batch.merkle_root
        )

    async def GetDeals(self, request: pb.GetDealsRequest, context: Any) -> Any:
        if not 1 <= len(request.boards) <= MAX_DEALS:
            raise Malformed("boards", f"must be 1 to {MAX_DEALS} boards")
        leaves = await self._desk.leaves_for_tables([_opened(one) for one in request.boards])
        return pb.GetDealsResponse(leaves=[pb.Leaf(leaf=leaf, entropy=entropy) for leaf, entropy in leaves])

    async def RevealBoard(self, request: pb.RevealBoardRequest, context: Any) -> Any:
        answer = await self._desk.reveal_board(request.championship, request.command_id, _path(request.path))
        return pb.RevealBoardResponse(receipt=receipt(answer))

    async def RevealDraw(self, request: pb.RevealDrawRequest, context: Any) -> Any:
        answer, revealed = await self._desk.reveal_draw(
            request.championship, request.command_id, request.name, request.entrants_digest
        )
        proof, entropy = self._proof(request.championship, f"draw/{request.name}", revealed.batch)
        return pb.RevealDrawResponse(
            receipt=receipt(answer),
            leaf=revealed.leaf,
            entropy=entropy,
            proof=proof.siblings,
            batch=revealed.batch,
            index=proof.index,
            size=proof.size,
            merkle_root=proof.root,
        )

    async def GetCommitments(self, request: pb.GetCommitmentsRequest, context: Any) -> Any:
        await reached(request.min_position, self._waits)
        state = self._desk.state(request.championship)
        return pb.GetCommitmentsResponse(
            secret_commitment=state.secret.commitment if state.secret else b"",
            demo=state.secret.demo if state.secret else False,
            batches=[EVENTS.to_proto(one).deals_committed for one in state.batches],
            revealed=[EVENTS.to_proto(one).board_revealed for one in state.revealed.values()],
            draws=[EVENTS.to_proto(one).draw_revealed for one in state.draws.values()],
        )

    async def VerifyDeal(self, request: pb.VerifyDealRequest, context: Any) -> Any:
        path = _path(request.path)
        revealed = self._desk.state(request.championship).revealed.get(path)
        if revealed is None:
            raise Rejected("BOARD_OPEN", "", "the board is not revealed: not all tables have closed it")
        proof, entropy = self._proof(request.championship, str(path), revealed.batch)
        return pb.VerifyDealResponse(
            leaf=revealed.leaf,
            proof=proof.siblings,
            index=proof.index,
            size=proof.size,
            merkle_root=proof.root,
            entropy=entropy,
        )

    def _proof(self, championship: str, path: str, number: int) -> tuple[Proof, bytes]:
        """The proof of a public leaf, and its batch's entropy."""
        state = self._desk.state(championship)
        batch = state.batch(number)
        assert batch is not None
        assert state.secret is not None
        proof = self._desk.vault.proof(championship, state.secret, batch, path)
        return proof, state.entropy_of(number) or b""

    async def NameEntropy(self, request: pb.NameEntropyRequest, context: Any) -> Any:
        answer = await self._desk.name_entropy(
            request.championship, request.command_id, request.batch, request.source
        )
        return pb.NameEntropyResponse(receipt=receipt(answer))

    async def DrawEntropy(self, request: pb.DrawEntropyRequest, context: Any) -> Any:
        answer = await self._desk.draw_entropy(
            request.championship, request.command_id, request.batch, request.value
        )
        return pb.DrawEntropyResponse(receipt=receipt(answer))

    async def RevealSecret(self, request: pb.RevealSecretRequest, context: Any) -> Any:
        state = self._desk.state(request.championship)
        if not self._desk.directory.get(request.championship).sealed_us or state.secret is None:
            raise Rejected("NOT_SEALED", "C10.8", "the secret is revealed when the championship is sealed")
        command = m.RevealSecret(self._desk.vault.master(request.championship, state.secret))
        answer = await self._desk.handle(request.championship, command, request.command_id)
        return pb.RevealSecretResponse(receipt=receipt(answer))

    async def CreateAppealKey(self, request: pb.CreateAppealKeyRequest, context: Any) -> Any:
        if not request.appeal:
            raise Malformed("appeal", "must name an appeal")
        answer, created = await self._desk.create_appeal_key(
            request.championship, request.command_id, request.appeal
        )
        return pb.CreateAppealKeyResponse(receipt=receipt(answer), public_key=created.public_key)

    async def ReleaseAppealKey(self, request: pb.ReleaseAppealKeyRequest, context: Any) -> Any:
        championship, appeal = request.championship, request.appeal
        created = await self._desk.voted_key(championship, appeal)
        private = self._desk.vault.appeal_key(championship, created)
        command = m.ReleaseAppealKey(appeal, private, created.public_key)
        answer = await self._desk.handle(championship, command, request.command_id)
        return pb.ReleaseAppealKeyResponse(receipt=receipt(answer), private_key=private)

    async def OpenBoardToPanel(self, request: pb.OpenBoardToPanelRequest, context: Any) -> Any:
        command = m.OpenBoardToPanel(request.appeal, _path(request.path), tuple(request.panel))
        answer = await self._desk.open_to_panel(request.championship, request.command_id, command)
        return pb.OpenBoardToPanelResponse(receipt=receipt(answer))


def _path(path: events_pb2.BoardPath) -> m.BoardPath:
    return m.BoardPath(path.round, path.board, path.attempt, path.match)


def _opened(one: pb.OpenedBoard) -> Opened:
    return Opened(one.championship, one.table, _path(one.path), one.stream, one.sequence)
