-- A card that a customer stores in the portal is the one that is charged from then on.

alter table payment_session
  add column becomes_default boolean not null default false, -- of a setup: the card is the default from then on
  add constraint payment_session_default_is_of_setup check (not becomes_default or mode = 'setup');
