-- What a step writes with more than one table, or must draw one after the other, as functions: so that one statement can call them
-- for many records that are stepped side by side (src/db/together.ts).

/* An event for a merchant's webhooks, with the next number of its resource. Events of one resource wait for each other here. */
create function publish_event(
  merchant text, resource text, event_id text, event_type text, event_data jsonb, happened timestamptz) returns bigint
  language plpgsql
  as $$
declare
  place bigint;
begin
  insert into outbox_sequence as s (merchant_id, resource_id, last) values (merchant, resource, 1)
  on conflict (merchant_id, resource_id) do update set last = s.last + 1
  returning s.last into place;
  insert into outbox (merchant_id, id, type, data, created_at)
  values (merchant, event_id, event_type, event_data || jsonb_build_object('sequence', place), happened);
  return place;
end $$;

/* A transaction of the ledger with its entries; a second one under its key violates the unique index. */
create function book_transaction(
  merchant text, booking_id text, booking_key text, why text, invoice text, money text, happened timestamptz, entries jsonb) returns void
  language plpgsql
  as $$
begin
  insert into ledger_transaction (merchant_id, id, key, reason, invoice_id, currency, created_at)
  values (merchant, booking_id, booking_key, why, invoice, money, happened);
  insert into ledger_entry (merchant_id, transaction_id, position, account, customer_id, currency, amount)
  select merchant, booking_id, e.position, e.account, e.customer_id, money, e.amount
    from jsonb_to_recordset(entries) as e (position int, account text, customer_id text, amount numeric)
   order by e.position;
end $$;

/* The next number of a gapless series: its row stays locked until the transaction ends, and a rollback takes the number back. */
create function draw_number(merchant text, of_series text) returns bigint
  language plpgsql
  as $$
declare
  drawn bigint;
begin
  insert into merchant_counter as c (merchant_id, series, value) values (merchant, of_series, 1)
  on conflict (merchant_id, series) do update set value = c.value + 1
  returning c.value into drawn;
  return drawn;
end $$;

/* As before (0071), but never by reading all entries: the plan is kept, and may have been made when there were none. */
alter function balanced_ledger() set enable_seqscan = off;
