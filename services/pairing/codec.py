"""Pairing's events and commands as they are stored."""

from __future__ import annotations

from fupan.pairing.v1 import events_pb2
from services.ledger.codec import Codec
from services.pairing.model import commands as c
from services.pairing.model import events as e

EVENTS: Codec[e.Event] = Codec(
    events_pb2.Event,
    {
        e.ChampionshipCreated: "championship_created",
        e.EntrantsImported: "entrants_imported",
        e.EntrantsImportClosed: "entrants_import_closed",
        e.EntrantWithdrawn: "entrant_withdrawn",
        e.OfficialAppointed: "official_appointed",
        e.OfficialSuspended: "official_suspended",
        e.RegulationsPublished: "regulations_published",
        e.RegistrationClosed: "registration_closed",
        e.RoundSeated: "round_seated",
        e.RoundPaired: "round_paired",
        e.RoundStarted: "round_started",
        e.RoundClosed: "round_closed",
        e.SeatingOverridden: "seating_overridden",
        e.CompetitionEnded: "competition_ended",
        e.SealAnnounced: "seal_announced",
        e.SealWithdrawn: "seal_withdrawn",
        e.ChampionshipSealed: "championship_sealed",
        e.VenueConfirmed: "venue_confirmed",
        e.PersonErased: "person_erased",
        e.ForkDecided: "fork_decided",
        e.ReplaySeated: "replay_seated",
        e.BoardReplayed: "board_replayed",
        e.ReseatingRefused: "reseating_refused",
        e.SeatsConfirmed: "seats_confirmed",
        e.ConductRecorded: "conduct_recorded",
        e.RulingOverturned: "ruling_overturned",
    },
)

COMMANDS: Codec[c.Command] = Codec(
    events_pb2.Command,
    {
        c.CreateChampionship: "create_championship",
        c.ImportEntrants: "import_entrants",
        c.CloseImport: "close_import",
        c.WithdrawEntrant: "withdraw_entrant",
        c.AppointOfficial: "appoint_official",
        c.SuspendOfficial: "suspend_official",
        c.PublishRegulations: "publish_regulations",
        c.CloseRegistration: "close_registration",
        c.SeatTables: "seat_tables",
        c.PairRound: "pair_round",
        c.StartRound: "start_round",
        c.CloseRound: "close_round",
        c.EndCompetition: "end_competition",
        c.OverrideSeating: "override_seating",
        c.AnnounceSeal: "announce_seal",
        c.WithdrawSeal: "withdraw_seal",
        c.SealChampionship: "seal_championship",
        c.ConfirmVenue: "confirm_venue",
        c.ErasePerson: "erase_person",
        c.DecideFork: "decide_fork",
        c.SeatReplay: "seat_replay",
        c.EndReplay: "end_replay",
        c.ReseatRound: "reseat_round",
        c.ConfirmSeats: "confirm_seats",
        c.OrderPlayoff: "order_playoff",
        c.RecordConduct: "record_conduct",
        c.OverturnRuling: "overturn_ruling",
    },
)
