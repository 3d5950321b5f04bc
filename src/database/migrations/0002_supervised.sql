-- Whether a supervisor was started and has not been seen to end. It may outlive its execution's end by
-- the moment in which it hears of it, and a store that opens in that moment must wait for it.
ALTER TABLE executions ADD COLUMN supervised INTEGER NOT NULL DEFAULT 0;
UPDATE executions SET supervised = 1 WHERE state <> 'ended';
CREATE INDEX executions_supervised ON executions (number) WHERE supervised = 1;
