-- Case files as they were frozen. An appeal's log names the editions that count by their digests; a file it does not name is shown
-- to nobody.
CREATE TABLE cases (
    championship text  NOT NULL,
    appeal       text  NOT NULL,
    digest       bytea NOT NULL,
    file         bytea NOT NULL,
    PRIMARY KEY (championship, appeal, digest)
);
