-- Customers: a consumer organization as one merchant's customer (§2; api.md, Customers and wallet).
-- Deleting marks the row and keeps it: documents that were issued to the customer go on naming it.

create table customer (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  consumer_id text not null,
  -- A copy of the consumer's name and addresses in lower case: customers are found by a part of them (customer_search).
  consumer_name text not null default '',
  consumer_emails text not null default '', -- one a line
  external_id text check (char_length(external_id) between 1 and 255),
  -- What a customer wants its invoices to say so that they reach the right desk (EN 16931, BT-10); German authorities
  -- give a Leitweg-ID. Copied onto each invoice with the buyer when it is issued.
  buyer_reference text check (length(buyer_reference) between 1 and 200),
  tax_id text,
  tax_rates jsonb not null default '{}',    -- plan id, metric id or 'default' → percent
  -- What the merchant's tax provider has said of an address: `address`, `message` (null: there is a rate for it),
  -- `checkedAt`. It holds while the customer has this address.
  tax_verdict jsonb,
  currency text,
  -- the language of its pages, documents and mails; null: nobody has said
  locale text check (locale in ('en', 'de', 'fr', 'es')),
  notification_settings jsonb not null default '{}', -- as set; a kind that is absent is on
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  primary key (merchant_id, id),
  foreign key (merchant_id, consumer_id) references organization (merchant_id, id)
);
call resource_table('customer');
create unique index customer_pair on customer (merchant_id, consumer_id) where deleted_at is null;
create unique index customer_external_id on customer (merchant_id, external_id) where deleted_at is null;
create index customer_order on customer (merchant_id, seq desc) where deleted_at is null;
create index customer_all on customer (seq desc) where deleted_at is null;
call keep_list_count('customer', condition => 'deleted_at is null');

/* What is known of the tax id of each customer (docs/decisions/0112): one row for each customer that has one. */
create table tax_id_check (
  merchant_id text not null,
  id text not null,                       -- the customer's
  tax_id text,                            -- what was checked; null: nothing yet
  country text,                           -- the country of the address for which it was checked
  status text not null check (status in ('valid', 'invalid', 'unchecked')),
  reason text,                            -- why it is not valid, as a sentence
  name text,                              -- whose number it is, as the register says
  address text,
  checked_at timestamptz,                 -- when the check digits or a register last gave an answer
  attempts int not null default 0,        -- calls to the register since its last answer
  clock_id text check (clock_id is null), -- registers know no test clocks
  next_action_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  foreign key (merchant_id, id) references customer (merchant_id, id),
  check (status = 'unchecked' or checked_at is not null)
);
call tenant_table('tax_id_check');
call due_table('tax_id_check', 'tax_id_check');

/* Customers of a merchant to whom is written at an address, the oldest first. It runs as the owner, because behind
   row-level security no index serves a search in arrays. */
create function customers_mailed_at(of_merchant text, mailbox text, most int) returns setof text
  language sql stable security definer set search_path = public, pg_temp
  as $$
    select customer.id
      from organization
      join customer on customer.merchant_id = organization.merchant_id and customer.consumer_id = organization.id
     where organization.merchant_id = of_merchant and organization.type = 'consumer' and customer.deleted_at is null
       and mailboxes_of(organization.billing_emails, organization.email) @> array[lower(mailbox)]
     order by customer.seq limit most
  $$;

-- Customers are found by a part of a name or of an e-mail address from an index (docs/decisions/0153). Each customer
-- has a copy of its consumer's name and addresses in lower case; the index holds every three characters in a row of
-- them.

create function lower_emails(email text, billing_emails text[]) returns text language sql stable parallel safe as $$
  select lower(array_to_string(array[email] || billing_emails, e'\n'))
$$;

/* The consumer is locked against changes until the customer is there: the trigger below would not see it. */
create function copy_consumer() returns trigger language plpgsql as $$
begin
  select lower(name), lower_emails(email, billing_emails) into new.consumer_name, new.consumer_emails
    from organization where merchant_id = new.merchant_id and id = new.consumer_id for share;
  return new;
end $$;
create trigger copy_consumer before insert on customer for each row execute function copy_consumer();

create function copy_changed_consumer() returns trigger language plpgsql as $$
begin
  update customer set consumer_name = lower(new.name), consumer_emails = lower_emails(new.email, new.billing_emails)
   where merchant_id = new.merchant_id and consumer_id = new.id;
  return null;
end $$;
create trigger copy_changed_consumer after update on organization for each row
  when (new.type = 'consumer'
        and (new.name, new.email, new.billing_emails) is distinct from (old.name, old.email, old.billing_emails))
  execute function copy_changed_consumer();

/* Every three characters in a row of a text, as numbers of a merchant and a kind of text. */
create function search_keys(merchant text, kind text, content text) returns int[]
  language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct hashtext(concat(merchant, kind, substr(content, n, 3)))), '{}')
    from generate_series(1, char_length(content) - 2) n
$$;

create index customer_search on customer
  using gin ((search_keys(merchant_id, 'name', consumer_name) || search_keys(merchant_id, 'email', consumer_emails)))
  where deleted_at is null;

/* Where the customers of a merchant stand in the list whose name and whose e-mail addresses have these parts, in any
   case (null: any). It runs as the owner, because behind row-level security no index serves a search in arrays; its
   callers see the merchant. */
create function customers_with(merchant text, name_part text, email_part text) returns setof bigint
  language sql stable security definer rows 1000
  set search_path = public, pg_temp set plan_cache_mode = force_custom_plan
  as $$
    select seq from customer
     where merchant_id = merchant and deleted_at is null
       and (current_setting('role') = 'reckoner_operator'
            or merchant = any (string_to_array(current_setting('reckoner.merchants', true), ',')))
       and search_keys(merchant_id, 'name', consumer_name) || search_keys(merchant_id, 'email', consumer_emails)
           @> (search_keys(merchant, 'name', lower(name_part)) || search_keys(merchant, 'email', lower(email_part)))
       and (name_part is null or strpos(consumer_name, lower(name_part)) > 0)
       and (email_part is null or strpos(consumer_emails, lower(email_part)) > 0 and strpos(email_part, e'\n') = 0)
  $$;
