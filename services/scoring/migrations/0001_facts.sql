-- What standings are computed from, as the streams tell it. `sequence` is the stream sequence that made a row count, so that any
-- cut can be asked for.
CREATE TABLE results (
    championship text     NOT NULL,
    round        int      NOT NULL,
    board        int      NOT NULL,
    attempt      int      NOT NULL,
    tbl          text     NOT NULL,
    stream       text     NOT NULL,
    sequence     bigint   NOT NULL,
    time_us      bigint   NOT NULL,
    scores       int[]    NOT NULL,
    thinking_us  bigint[] NOT NULL,
    playing_us   bigint[] NOT NULL,
    taken_over   int[]    NOT NULL,
    PRIMARY KEY (championship, round, board, attempt, tbl)
);

CREATE TABLE entrants (
    championship text   NOT NULL,
    number       int    NOT NULL,
    import_id    text   NOT NULL,
    sequence     bigint,
    PRIMARY KEY (championship, number, import_id)
);

CREATE TABLE seats (
    championship text   NOT NULL,
    round        int    NOT NULL,
    chunk        int    NOT NULL,
    tbl          text   NOT NULL,
    grp          int    NOT NULL,
    entrants     int[]  NOT NULL,
    sequence     bigint,
    PRIMARY KEY (championship, round, tbl)
);
