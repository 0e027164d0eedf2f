-- Reasons are kept before the record that names them. Since when a copy waits for that; nothing any more once the record was found. Each
-- attempt to record has a copy of its own, which its key tells from another's: what is refused takes back its own alone.
ALTER TABLE reasons ADD COLUMN since timestamptz DEFAULT now();
ALTER TABLE reasons DROP CONSTRAINT reasons_pkey;
ALTER TABLE reasons ADD PRIMARY KEY (championship, conduct, digest, key);
