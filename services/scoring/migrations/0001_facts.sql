-- What standings are computed from, as the streams tell it. `sequence` is the stream sequence that made a row count, so that any
-- cut can be asked for. A championship's name is one within its epoch.
CREATE TABLE results (
    epoch        text     NOT NULL,
    championship text     NOT NULL,
    round        int      NOT NULL,
    board        int      NOT NULL,
    attempt      int      NOT NULL,
    tbl          text     NOT NULL,
    stream       text     NOT NULL,
    sequence     bigint   NOT NULL,
    scores       int[]    NOT NULL,
    thinking_us  bigint[] NOT NULL,
    playing_us   bigint[] NOT NULL,
    taken_over   int[]    NOT NULL,
    PRIMARY KEY (epoch, championship, round, board, attempt, tbl)
);

CREATE TABLE entrants (
    epoch        text   NOT NULL,
    championship text   NOT NULL,
    number       int    NOT NULL,
    import_id    text   NOT NULL,
    sequence     bigint,
    PRIMARY KEY (epoch, championship, number, import_id)
);

CREATE TABLE seats (
    epoch        text   NOT NULL,
    championship text   NOT NULL,
    round        int    NOT NULL,
    tbl          text   NOT NULL,
    grp          int    NOT NULL,
    entrants     int[]  NOT NULL,
    sequence     bigint,
    PRIMARY KEY (epoch, championship, round, tbl)
);

-- Counted as the rows above are written, so that nobody has to count them to see whether anything changed: the last record of
-- pairing that matters, tables of a round, tables that have closed a board.
CREATE TABLE fields (
    epoch        text   NOT NULL,
    championship text   NOT NULL,
    sequence     bigint NOT NULL,
    PRIMARY KEY (epoch, championship)
);

CREATE TABLE rounds (
    epoch        text NOT NULL,
    championship text NOT NULL,
    round        int  NOT NULL,
    tables       int  NOT NULL,
    PRIMARY KEY (epoch, championship, round)
);

CREATE TABLE closings (
    epoch        text NOT NULL,
    championship text NOT NULL,
    round        int  NOT NULL,
    board        int  NOT NULL,
    closed       int  NOT NULL,
    PRIMARY KEY (epoch, championship, round, board)
);
