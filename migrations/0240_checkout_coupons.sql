-- Coupons of sign-up links (docs/decisions/0261-coupons.md).

alter table checkout_link
  add column coupons jsonb not null default '[]',                    -- ids or codes, which everybody gets
  add column allow_promotion_codes boolean not null default false;   -- the page has a field for a code

/* The coupons of the shown price, the typed code among them. */
alter table checkout add column coupons jsonb not null default '[]';
