-- What the state directory knows of itself: `generation` counts the stores that opened it,
-- `version` names the callbox that opened it last.
CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,
    value ANY  NOT NULL
) STRICT, WITHOUT ROWID;
