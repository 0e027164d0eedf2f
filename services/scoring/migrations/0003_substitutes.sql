-- Who was given an entrant's seat without being of one: whoever has played sees nothing of open tables.
CREATE TABLE substitutes (
    epoch        text NOT NULL,
    championship text NOT NULL,
    person       text NOT NULL,
    PRIMARY KEY (epoch, championship, person)
);
