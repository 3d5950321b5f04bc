-- What is known of agent programs beyond single tasks: whether they are of use now.
CREATE TABLE agents (
    name   TEXT NOT NULL PRIMARY KEY,
    health TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- For what was spent on one day.
CREATE INDEX executions_by_time ON executions (created_at);
