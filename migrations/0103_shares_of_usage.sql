-- A figure that is for a time (AVG, MIN, MAX, LATEST, UNIQUE_COUNT) counts for the part of the period in which the
-- usage was this subscription's. Both null: for all of it. In microseconds.
alter table invoice_usage
  add column share_numerator bigint,
  add column share_denominator bigint,
  add constraint invoice_usage_share check (
    (share_numerator is null) = (share_denominator is null) and (share_numerator is null or share_numerator between 1 and share_denominator));
