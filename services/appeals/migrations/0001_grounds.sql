-- The written grounds of appeals: outside the log, each under a key of its own; the log holds their digest.
CREATE TABLE grounds (
    championship text  NOT NULL,
    appeal       text  NOT NULL,
    digest       bytea NOT NULL,
    key          bytea NOT NULL,
    sealed       bytea NOT NULL,
    PRIMARY KEY (championship, appeal, digest)
);
