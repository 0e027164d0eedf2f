-- Grounds are kept before the record that names them. Since when a copy waits for that; nothing any more once the record was found. Each
-- attempt to file has a copy of its own, which its key tells from another's: what is refused takes back its own alone.
ALTER TABLE grounds ADD COLUMN since timestamptz DEFAULT now();
ALTER TABLE grounds DROP CONSTRAINT grounds_pkey;
ALTER TABLE grounds ADD PRIMARY KEY (championship, appeal, digest, key);
