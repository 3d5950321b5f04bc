-- What the state directory knows of itself: `generation` counts the stores that opened it,
-- `version` names the callbox that opened it last.
CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,
    value ANY  NOT NULL
) STRICT, WITHOUT ROWID;

-- What is to be done. `state` repeats the name within `state_data` for the indexes.
CREATE TABLE tasks (
    number      INTEGER PRIMARY KEY AUTOINCREMENT,
    id          TEXT    NOT NULL UNIQUE,
    name        TEXT    NOT NULL,
    spec        TEXT    NOT NULL,
    parent      INTEGER REFERENCES tasks (number),
    root        INTEGER REFERENCES tasks (number),
    depth       INTEGER NOT NULL,
    author      TEXT    NOT NULL,
    spawn_base  TEXT,
    variables   TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    state_data  TEXT    NOT NULL,
    failures    INTEGER NOT NULL DEFAULT 0,
    losses      INTEGER NOT NULL DEFAULT 0,
    rate_limits INTEGER NOT NULL DEFAULT 0,
    sandboxes   INTEGER NOT NULL DEFAULT 0,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX tasks_by_state ON tasks (state);
CREATE INDEX tasks_by_root ON tasks (root);
CREATE UNIQUE INDEX tasks_by_parent ON tasks (parent, name) WHERE parent IS NOT NULL;

-- `task` runs only after `predecessor` is completed; `place` keeps the order they were named in.
CREATE TABLE dependencies (
    task        INTEGER NOT NULL REFERENCES tasks (number),
    place       INTEGER NOT NULL,
    predecessor INTEGER NOT NULL REFERENCES tasks (number),
    PRIMARY KEY (task, predecessor)
) STRICT, WITHOUT ROWID;
CREATE INDEX dependencies_by_predecessor ON dependencies (predecessor);

-- One run of a task by one agent process. Secrets stand here by their SHA-256 only.
CREATE TABLE executions (
    number          INTEGER PRIMARY KEY AUTOINCREMENT,
    task            INTEGER NOT NULL REFERENCES tasks (number),
    attempt         INTEGER NOT NULL,
    state           TEXT    NOT NULL,
    outcome         TEXT,
    session         TEXT,
    sandbox         TEXT,
    token_hash      BLOB    UNIQUE,
    supervisor_hash BLOB    UNIQUE,
    last_report     INTEGER NOT NULL DEFAULT 0,
    turn_taken      INTEGER NOT NULL DEFAULT 0,
    hello_seen      INTEGER NOT NULL DEFAULT 0,
    created_at      INTEGER NOT NULL,
    started_at      INTEGER,
    ended_at        INTEGER,
    cost_usd        REAL,
    tokens_in       INTEGER,
    tokens_out      INTEGER,
    details         TEXT    NOT NULL
) STRICT;
CREATE INDEX executions_by_task ON executions (task);
CREATE INDEX executions_alive ON executions (state) WHERE state <> 'ended';

-- The buffer: what agents said, each committed before its tool call was answered.
CREATE TABLE signals (
    execution INTEGER NOT NULL REFERENCES executions (number),
    seq       INTEGER NOT NULL,
    key       TEXT    NOT NULL,
    tool      TEXT    NOT NULL,
    body      TEXT    NOT NULL,
    reply     TEXT    NOT NULL,
    at        INTEGER NOT NULL,
    PRIMARY KEY (execution, seq),
    UNIQUE (execution, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE questions (
    number      INTEGER PRIMARY KEY AUTOINCREMENT,
    task        INTEGER NOT NULL REFERENCES tasks (number),
    execution   INTEGER NOT NULL REFERENCES executions (number),
    ordinal     INTEGER NOT NULL,
    question    TEXT    NOT NULL,
    options     TEXT    NOT NULL,
    context     TEXT,
    state       TEXT    NOT NULL,
    answer      TEXT,
    asked_at    INTEGER NOT NULL,
    answered_at INTEGER,
    UNIQUE (task, ordinal)
) STRICT;
CREATE INDEX questions_open ON questions (state) WHERE state = 'open';

-- What is still to be said to an agent: undelivered until `taken_at` is set. `question` and `subtask`
-- name what a message came from, so that an answer can be replaced while nothing carries it.
CREATE TABLE messages (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    task       INTEGER NOT NULL REFERENCES tasks (number),
    kind       TEXT    NOT NULL,
    body       TEXT    NOT NULL,
    question   INTEGER UNIQUE REFERENCES questions (number),
    subtask    INTEGER REFERENCES tasks (number),
    carried_by INTEGER REFERENCES executions (number),
    taken_at   INTEGER,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX messages_unsaid ON messages (task) WHERE taken_at IS NULL;

-- What happened, in order, for those who follow.
CREATE TABLE events (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    at        INTEGER NOT NULL,
    task      INTEGER NOT NULL REFERENCES tasks (number),
    execution INTEGER REFERENCES executions (number),
    kind      TEXT    NOT NULL,
    text      TEXT    NOT NULL,
    actor     TEXT
) STRICT;
CREATE INDEX events_by_task ON events (task, seq);
