-- `handed_by` and `handed_call` name the tool call whose result held a message that came while its agent
-- worked; `actor` is the person's peer that gave it. A result proves nothing: it may never have arrived.
ALTER TABLE messages ADD COLUMN handed_by INTEGER REFERENCES executions (number);
ALTER TABLE messages ADD COLUMN handed_call INTEGER;
ALTER TABLE messages ADD COLUMN actor TEXT;
