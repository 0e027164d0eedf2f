-- What standings of pairs, teams and the points format also depend on: byes, and matches with deals of their own.
CREATE TABLE byes (
    epoch        text   NOT NULL,
    championship text   NOT NULL,
    round        int    NOT NULL,
    entrant      int    NOT NULL,
    sequence     bigint NOT NULL,
    PRIMARY KEY (epoch, championship, round, entrant)
);

-- `winner` is a side, null where nothing decided the match.
CREATE TABLE matches (
    epoch        text   NOT NULL,
    championship text   NOT NULL,
    round        int    NOT NULL,
    tbl          text   NOT NULL,
    stream       text   NOT NULL,
    sequence     bigint NOT NULL,
    winner       int,
    levels       text[] NOT NULL,
    clause       text   NOT NULL,
    deals        int    NOT NULL,
    PRIMARY KEY (epoch, championship, round, tbl)
);
