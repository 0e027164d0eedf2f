-- The key by which an appeal's grounds are digested: without it their digest in the log tells nothing, however short they are.
CREATE TABLE grounds_keys (
    championship text  NOT NULL,
    appeal       text  NOT NULL,
    key          bytea NOT NULL,
    PRIMARY KEY (championship, appeal)
);
