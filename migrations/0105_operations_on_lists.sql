-- What an operation on a list writes with more than one table, as functions that take the whole list: one is a list of one.
-- They replace those of 0079, which took one each.

/* Events for webhooks, each with the next number of its resource, in their order. Events of one resource wait for each other here. */
create function publish_events(events jsonb, happened timestamptz) returns bigint
  language plpgsql
  as $$
declare
  published bigint;
begin
  with event as (
    select e.* from jsonb_to_recordset(events) as e (place int, merchant text, resource text, id text, type text, data jsonb)
  ), counted as (
    insert into outbox_sequence as s (merchant_id, resource_id, last)
    select e.merchant, e.resource, count(*) from event e group by e.merchant, e.resource order by e.merchant, e.resource
    on conflict (merchant_id, resource_id) do update set last = s.last + excluded.last
    returning s.merchant_id, s.resource_id, s.last
  )
  insert into outbox (merchant_id, id, type, data, created_at)
  select e.merchant, e.id, e.type,
         e.data || jsonb_build_object('sequence', c.last + 1
           - row_number() over (partition by e.merchant, e.resource order by e.place desc)),
         happened
    from event e join counted c on c.merchant_id = e.merchant and c.resource_id = e.resource
   order by e.place;
  get diagnostics published = row_count;
  return published;
end $$;

/* Transactions of the ledger with their entries; a second one under a key violates the unique index. */
create function book_transactions(transactions jsonb, entries jsonb, happened timestamptz) returns void
  language plpgsql
  as $$
begin
  insert into ledger_transaction (merchant_id, id, key, reason, invoice_id, currency, created_at)
  select t.merchant_id, t.id, t.key, t.reason, t.invoice_id, t.currency, happened
    from jsonb_to_recordset(transactions)
      as t (merchant_id text, id text, key text, reason text, invoice_id text, currency text);
  insert into ledger_entry (merchant_id, transaction_id, position, account, customer_id, currency, amount)
  select e.merchant_id, e.transaction_id, e.position, e.account, e.customer_id, e.currency, e.amount
    from jsonb_to_recordset(entries)
      as e (merchant_id text, transaction_id text, position int, account text, customer_id text, currency text, amount numeric);
end $$;

/* The first of the next numbers of a gapless series: its row stays locked until the transaction ends, and a rollback takes
   the numbers back. */
create function draw_numbers(merchant text, of_series text, many bigint) returns bigint
  language plpgsql
  as $$
declare
  last_one bigint;
begin
  insert into merchant_counter as c (merchant_id, series, value) values (merchant, of_series, many)
  on conflict (merchant_id, series) do update set value = c.value + many
  returning c.value into last_one;
  return last_one - many + 1;
end $$;

drop function publish_event(text, text, text, text, jsonb, timestamptz);
drop function book_transaction(text, text, text, text, text, text, timestamptz, jsonb);
drop function draw_number(text, text);
