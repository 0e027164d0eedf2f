-- What seats tried and were refused. Outside the log: unproven, and forgotten after a while. `sealed` with the board's key.
CREATE TABLE tried (
    subject text NOT NULL,
    path text NOT NULL,
    tried_at timestamptz NOT NULL DEFAULT now(),
    sealed bytea NOT NULL
);
CREATE INDEX tried_of_board ON tried (subject, path);
CREATE INDEX tried_by_age ON tried (tried_at);
