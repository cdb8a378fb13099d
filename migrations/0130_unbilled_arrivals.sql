-- Usage that came too late is told on the day on which it came (docs/decisions/0080): its own day was looked at long before.

/* Up to which event the merchant's events were looked at with this day. Null: before there was such a mark. */
alter table unbilled_day add column mark bigint;
