-- Invoices and credit notes are found by the beginning of their number (docs/decisions/0240), and the overview of a
-- merchant reads few rows: sums of unpaid invoices from their index alone, and the first line of usage.

create index invoice_by_number on invoice (merchant_id, (lower(invoice_number) collate "C"))
  where invoice_number is not null;
create index credit_note_by_number on credit_note (merchant_id, (lower(number) collate "C"));

/* At most `most` invoices and as many credit notes of a merchant whose number begins with a text, in any case, in the
   order of the numbers. Rank 1: the whole number; 2: its beginning. It runs as the owner, because behind row-level
   security no index serves the search; its callers see the merchant. */
create function numbers_found(merchant text, asked text, most int)
  returns table (type text, id text, number text, status text, customer_id text, invoice_id text, rank int)
  language sql stable security definer rows 50
  set search_path = public, pg_temp set plan_cache_mode = force_custom_plan set jit = off
  as $$
    (select 'invoice', i.id, i.invoice_number, i.status, i.customer_id, i.id,
            case when lower(i.invoice_number) = lower(asked) then 1 else 2 end
       from invoice i
      where i.merchant_id = merchant and i.invoice_number is not null
        and lower(i.invoice_number) collate "C" >= lower(asked)
        and lower(i.invoice_number) collate "C" <= lower(asked) || chr(1114111)
        and (current_setting('role') = 'reckoner_operator'
             or merchant = any (string_to_array(current_setting('reckoner.merchants', true), ',')))
      order by lower(i.invoice_number) collate "C" limit most)
    union all
    (select 'refund', c.id, c.number, c.status, i.customer_id, c.invoice_id,
            case when lower(c.number) = lower(asked) then 1 else 2 end
       from credit_note c
       join invoice i on i.merchant_id = c.merchant_id and i.id = c.invoice_id
      where c.merchant_id = merchant
        and lower(c.number) collate "C" >= lower(asked) and lower(c.number) collate "C" <= lower(asked) || chr(1114111)
        and (current_setting('role') = 'reckoner_operator'
             or merchant = any (string_to_array(current_setting('reckoner.merchants', true), ',')))
      order by lower(c.number) collate "C" limit most)
  $$;

/* As before, with the columns that the sums read. */
drop index invoice_unpaid;
create index invoice_unpaid on invoice (merchant_id, seq desc)
  include (due_at, clock_id, status, currency, unpaid_amount)
  where status in ('ISSUED', 'PAYMENT_FAILED') and unpaid_amount > 0 and not lives_by_session;

create index invoice_line_priced on invoice_line (merchant_id, seq) where event_type = 'usage' and total_price > 0;
