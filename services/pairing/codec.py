"""Pairing's events and commands as they are stored."""

from __future__ import annotations

from fupan.pairing.v1 import events_pb2
from services.ledger.codec import Codec
from services.pairing import model as m

EVENTS: Codec[m.Event] = Codec(
    events_pb2.Event,
    {
        m.ChampionshipCreated: "championship_created",
        m.EntrantsImported: "entrants_imported",
        m.EntrantsImportClosed: "entrants_import_closed",
        m.EntrantWithdrawn: "entrant_withdrawn",
        m.OfficialAppointed: "official_appointed",
        m.OfficialSuspended: "official_suspended",
        m.RegulationsPublished: "regulations_published",
        m.RegistrationClosed: "registration_closed",
        m.RoundSeated: "round_seated",
        m.RoundPaired: "round_paired",
        m.RoundStarted: "round_started",
        m.RoundClosed: "round_closed",
        m.SeatingOverridden: "seating_overridden",
        m.CompetitionEnded: "competition_ended",
        m.ChampionshipSealed: "championship_sealed",
        m.VenueConfirmed: "venue_confirmed",
        m.PersonErased: "person_erased",
        m.ForkDecided: "fork_decided",
        m.ReplaySeated: "replay_seated",
        m.BoardReplayed: "board_replayed",
    },
)

COMMANDS: Codec[m.Command] = Codec(
    events_pb2.Command,
    {
        m.CreateChampionship: "create_championship",
        m.ImportEntrants: "import_entrants",
        m.CloseImport: "close_import",
        m.WithdrawEntrant: "withdraw_entrant",
        m.AppointOfficial: "appoint_official",
        m.SuspendOfficial: "suspend_official",
        m.PublishRegulations: "publish_regulations",
        m.CloseRegistration: "close_registration",
        m.SeatTables: "seat_tables",
        m.PairRound: "pair_round",
        m.StartRound: "start_round",
        m.CloseRound: "close_round",
        m.EndCompetition: "end_competition",
        m.OverrideSeating: "override_seating",
        m.SealChampionship: "seal_championship",
        m.ConfirmVenue: "confirm_venue",
        m.ErasePerson: "erase_person",
        m.DecideFork: "decide_fork",
        m.SeatReplay: "seat_replay",
        m.EndReplay: "end_replay",
    },
)
