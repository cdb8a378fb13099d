-- An answer that shows the outcome of a call to a provider comes after its intent (docs/decisions/0103). Until then the
-- claim holds the intent, from which the answer is made.

alter table idempotency_key
  add column intent jsonb,
  add column answer_due_at timestamptz, -- from then on another request may wait in place of the first
  add check ((intent is null) = (answer_due_at is null)),
  add check (intent is null or status is null);
