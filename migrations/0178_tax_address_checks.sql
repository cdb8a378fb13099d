-- Addresses of customers are checked with the merchant's tax provider (docs/decisions/0119).

/* One row for each customer whose address is to be checked, or was. A new customer, and one whose address changes, is due at
   once where the merchant has a provider outside our database. Customers are on no test clock. */
create table tax_address_check (
  merchant_id text not null,
  id text not null,                      -- the customer
  look_ups int not null default 0,
  asked_at timestamptz not null,
  clock_id text check (clock_id is null),
  next_action_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, id) references customer (merchant_id, id)
);
call tenant_table('tax_address_check');
call due_table('tax_address', 'tax_address_check');
revoke delete on tax_address_check from reckoner_app;

/* Triggers, so that no domain must know of tax providers. */
create function ask_for_tax_addresses(merchant text, consumer text, at timestamptz) returns void
  language plpgsql
  as $$
begin
  insert into tax_address_check (merchant_id, id, asked_at, next_action_at)
  select c.merchant_id, c.id, at, at
    from customer c
   where c.merchant_id = merchant and c.consumer_id = consumer and c.deleted_at is null
     and exists (select from organization o
                  where o.merchant_id = merchant and o.id = merchant
                    and coalesce(o.settings ->> 'taxProvider', 'internal') <> 'internal')
      on conflict (merchant_id, id) do update set look_ups = 0, asked_at = at, next_action_at = at;
end $$;

create function ask_for_tax_address_of_customer() returns trigger
  language plpgsql
  as $$
begin
  perform ask_for_tax_addresses(new.merchant_id, new.consumer_id, new.created_at);
  return null;
end $$;
create trigger ask_for_tax_address after insert on customer
  for each row execute function ask_for_tax_address_of_customer();

create function ask_for_tax_address_of_consumer() returns trigger
  language plpgsql
  as $$
begin
  perform ask_for_tax_addresses(new.merchant_id, new.id, new.updated_at);
  return null;
end $$;
create trigger ask_for_tax_address after update on organization
  for each row when (new.type = 'consumer' and new.address is distinct from old.address)
  execute function ask_for_tax_address_of_consumer();
