-- Names and contacts: outside the log and its archive, each person under a key of its own, so that erasing a key erases the person.
CREATE TABLE person_keys (
    championship text NOT NULL,
    person_id    text NOT NULL,
    key          bytea NOT NULL,
    PRIMARY KEY (championship, person_id)
);

CREATE TABLE persons (
    championship text NOT NULL,
    person_id    text NOT NULL,
    sealed       bytea NOT NULL,
    PRIMARY KEY (championship, person_id)
);
