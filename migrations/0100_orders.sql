-- Orders and their lines: what a customer has agreed to buy over a term (§2; domain.md §6). Billing schedules
-- invoice it.

/* The moves of an order's approval status (src/orders/states.ts); a test holds the two equal. */
create table order_edge (
  from_status text not null,
  to_status text not null,
  primary key (from_status, to_status)
);
insert into order_edge values
  ('draft', 'pending'),
  ('pending', 'approved'),
  ('pending', 'rejected'),
  ('pending', 'draft'),
  ('rejected', 'draft'),
  ('approved', 'draft');
grant select on order_edge to reckoner_app, reckoner_operator;

create table sales_order (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  customer_id text not null,
  reseller_id text,
  tax_exempt boolean not null,
  selling_entity text,
  currency text not null,
  approval_status text not null check (approval_status in ('draft', 'pending', 'approved', 'rejected')),
  cancelled_at timestamptz,
  type text check (type in ('new_business', 'renewal', 'expansion')),
  term_start_date timestamptz not null,
  term_end_date timestamptz not null,
  close_date timestamptz,
  named_total numeric check (named_total >= 0), -- null: the total is the sum of the lines
  default_payment_term_days int not null check (default_payment_term_days between 0 and 365),
  metadata jsonb not null,
  clock_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, customer_id) references customer (merchant_id, id),
  foreign key (merchant_id, clock_id) references test_clock (merchant_id, id),
  check (term_start_date < term_end_date)
);
call resource_table('sales_order');
create index sales_order_order on sales_order (merchant_id, seq desc);
create index sales_order_status on sales_order (merchant_id, approval_status, seq desc) where cancelled_at is null;
create index sales_order_cancelled on sales_order (merchant_id, seq desc) where cancelled_at is not null;
create index sales_order_customer on sales_order (merchant_id, customer_id, seq desc);
create index sales_order_clock on sales_order (merchant_id, clock_id) where clock_id is not null;
create index sales_order_all on sales_order (seq desc);
call keep_list_count('sales_order', array['case when cancelled_at is null then approval_status else ''cancelled'' end',
  'type']);

create table order_line_item (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  order_id text not null,
  item_id text,
  description text,
  quantity numeric not null check (quantity >= 0),
  list_unit_price numeric not null check (list_unit_price >= 0),
  discount_unit_amount numeric not null check (discount_unit_amount between 0 and list_unit_price),
  unit_price numeric not null,
  total_price numeric not null check (total_price >= 0),
  term_start_date timestamptz, -- null: the order's
  term_end_date timestamptz,
  metadata jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, order_id) references sales_order (merchant_id, id) on delete cascade,
  foreign key (merchant_id, item_id) references item (merchant_id, id),
  check (unit_price = list_unit_price - discount_unit_amount),
  check (term_start_date < term_end_date)
);
call resource_table('order_line_item');
create index order_line_item_order on order_line_item (merchant_id, order_id, seq desc);
create index order_line_item_item on order_line_item (merchant_id, item_id) where item_id is not null;

/* The second lock behind the state table: a status moves along an edge, a cancelled order stays as it is. */
create function guard_order() returns trigger language plpgsql as $$
begin
  if old.cancelled_at is not null then
    raise exception 'order % is cancelled and does not change', old.id;
  end if;
  if new.approval_status <> old.approval_status
     and not exists (select from order_edge
                      where from_status = old.approval_status and to_status = new.approval_status) then
    raise exception 'order % cannot go from % to %', old.id, old.approval_status, new.approval_status;
  end if;
  if (new.customer_id, new.currency, new.clock_id) is distinct from (old.customer_id, old.currency, old.clock_id) then
    raise exception 'order % keeps its customer, its currency and its clock', old.id;
  end if;
  return new;
end $$;
create trigger guard before update on sales_order for each row execute function guard_order();

create function guard_order_deletion() returns trigger language plpgsql as $$
begin
  if old.approval_status <> 'draft' or old.cancelled_at is not null then
    raise exception 'order % is no draft and is not deleted', old.id;
  end if;
  return old;
end $$;
create trigger guard_delete before delete on sales_order for each row execute function guard_order_deletion();

create function guard_order_line() returns trigger language plpgsql as $$
declare
  touched record;
begin
  if tg_op = 'INSERT' then touched := new; else touched := old; end if;
  if exists (select from sales_order
              where merchant_id = touched.merchant_id and id = touched.order_id and cancelled_at is not null) then
    raise exception 'order % is cancelled; its lines do not change', touched.order_id;
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
create trigger guard before insert or update or delete on order_line_item
  for each row execute function guard_order_line();
