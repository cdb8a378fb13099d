-- Lists by the time of the last change (docs/decisions/0194-lists-after-a-row.md). `updated_at` is the time of a
-- record's own clock; `changed_at` is the time of the world, whatever clock a record is on. A trigger sets it, so no
-- statement can forget it.

create function set_changed_at() returns trigger language plpgsql as $$
begin
  new.changed_at := clock_timestamp();
  return new;
end $$;

/* Gives a table the time of each row's last change. Rows that stand count as changed now. */
create procedure keep_changed_at(name regclass)
  language plpgsql
  as $$
begin
  execute format('alter table %s add column changed_at timestamptz not null default now()', name);
  execute format('alter table %s alter column changed_at set default clock_timestamp()', name);
  execute format(
    'create trigger changed before insert or update on %s for each row execute function set_changed_at()', name);
  execute format('create index %I on %s (merchant_id, changed_at)', name::text || '_changed', name);
end $$;

call keep_changed_at('customer');
call keep_changed_at('organization');    -- a customer shows its organization
call keep_changed_at('tax_id_check');    -- and the check of its tax id
call keep_changed_at('subscription');
call keep_changed_at('invoice');         -- a subscription that waits for its first payment shows it
call keep_changed_at('payment_session'); -- an invoice, a payment link and a waiting subscription show theirs
call keep_changed_at('payment_link');
call keep_changed_at('payment_receipt');
call keep_changed_at('payment_dispute'); -- a payment shows its dispute

create index payment_link_session on payment_link (merchant_id, session_id);

/* Events lie about in the order of their acceptance: the blocks tell where those since an instant begin. */
create index event_accepted on event using brin (accepted_at) with (pages_per_range = 32, autosummarize = on);
