-- Lines of credit notes say which line of the invoice they credit, and how many units at which price
-- (docs/decisions/0218). Lines from before say their amount as the price of one.

alter table unused_credit
  add column quantity numeric,   -- of a correction: its units at one price; null: no price tells its amount
  add column unit_price numeric,
  add constraint unused_credit_units check ((quantity is null) = (unit_price is null));

alter table credit_note_line
  add column id text,
  add column price_id text,
  add column applies_to_line_id text, -- null: from before, and no line of the invoice has its charge
  add column quantity numeric not null default 1,
  add column unit_price numeric,
  add column is_amount boolean not null default true; -- it is no quantity of anything

update credit_note_line l
   set id = 'li_' || substr(md5(l.credit_note_id || '/' || l.position), 1, 24),
       price_id = coalesce(c.price_id, o.price_id),
       applies_to_line_id = coalesce(o.id, b.id),
       unit_price = case when i.terms ->> 'taxBehavior' = 'inclusive' then l.amount + l.tax_amount else l.amount end
  from credit_note n
  join invoice i on i.merchant_id = n.merchant_id and i.id = n.invoice_id
  join credit_note_line k on k.merchant_id = n.merchant_id and k.credit_note_id = n.id
  left join unused_credit c on c.merchant_id = k.merchant_id and c.id = k.credit_id
  left join lateral (
    select x.id from invoice_line x
     where c.id is not null and x.merchant_id = n.merchant_id and x.invoice_id = n.invoice_id
       and x.price_id is not distinct from c.price_id and x.source_key is not distinct from c.source_key
       and x.period_start = c.charged_from and x.period_end = c.charged_to and x.type not in ('credit', 'grants')
     order by array_position(array['adjustment', 'maximum', 'minimum'], x.type) nulls first, x.position
     limit 1) b on true
  left join lateral (
    select x.id, x.price_id from invoice_line x
     where c.id is null and x.merchant_id = n.merchant_id and x.invoice_id = n.invoice_id
       and x.display_name = k.display_name and x.period_start = k.period_start and x.period_end = k.period_end
     order by x.position
     limit 1) o on true
 where n.merchant_id = l.merchant_id and n.id = l.credit_note_id and k.position = l.position;

alter table credit_note_line
  alter column id set not null,
  alter column unit_price set not null,
  alter column quantity drop default,
  alter column is_amount drop default;
