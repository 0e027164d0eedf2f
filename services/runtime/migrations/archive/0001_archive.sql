-- Every stored record, byte for byte, as it came first. version is NULL where the bytes are no record.
CREATE TABLE records (
    stream      text NOT NULL,
    sequence    bigint NOT NULL,
    subject     text NOT NULL,
    version     bigint,
    data        bytea NOT NULL,
    archived_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (stream, sequence),
    UNIQUE (subject, version)
);

-- Records that came later for a place or a version that was already taken by another.
CREATE TABLE forks (
    stream   text NOT NULL,
    sequence bigint NOT NULL,
    subject  text NOT NULL,
    version  bigint,
    data     bytea NOT NULL,
    digest   bytea NOT NULL GENERATED ALWAYS AS (sha256(data)) STORED,
    found_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (stream, sequence, digest)
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the archive is only ever added to';
END
$$;

CREATE TRIGGER records_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON records
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER forks_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON forks
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
