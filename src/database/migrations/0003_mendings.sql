-- How often the work of a task has failed its `verify` command since a person last acted.
ALTER TABLE tasks ADD COLUMN mendings INTEGER NOT NULL DEFAULT 0;
