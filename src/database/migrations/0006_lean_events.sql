-- Every tool call writes an event, and each page it dirties is written to the disk before the call is answered:
-- without `AUTOINCREMENT`'s table and an index that nobody reads there are two fewer. A place is never given
-- twice as long as the last event is never deleted.
CREATE TABLE events_rebuilt (
    seq       INTEGER PRIMARY KEY,
    at        INTEGER NOT NULL,
    task      INTEGER NOT NULL REFERENCES tasks (number),
    execution INTEGER REFERENCES executions (number),
    kind      TEXT    NOT NULL,
    text      TEXT    NOT NULL,
    actor     TEXT
) STRICT;
INSERT INTO events_rebuilt SELECT seq, at, task, execution, kind, text, actor FROM events;
DROP TABLE events;
ALTER TABLE events_rebuilt RENAME TO events;
