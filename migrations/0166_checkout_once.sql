-- The same details on one link are one person (docs/decisions/0186). The shown tax is the tax that is paid.
alter table checkout
  add column details_print bytea, -- SHA-256 of the typed details; null: none were typed, or they are older
  add column tax numeric;         -- of what is due now; null: older
create index checkout_details on checkout (merchant_id, link_id, details_print);
