-- Why referees recorded conduct: outside the log, each under a key of its own; the log holds a digest under another, without which
-- it tells nothing, however short a reason is.
CREATE TABLE reasons (
    championship text  NOT NULL,
    conduct      text  NOT NULL,
    digest       bytea NOT NULL,
    key          bytea NOT NULL,
    sealed       bytea NOT NULL,
    PRIMARY KEY (championship, conduct, digest)
);

CREATE TABLE reasons_keys (
    championship text  NOT NULL,
    conduct      text  NOT NULL,
    key          bytea NOT NULL,
    PRIMARY KEY (championship, conduct)
);
