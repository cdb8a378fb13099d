-- Customers are found by a part of a name or of an e-mail address from an index (docs/decisions/0153). Each customer has a copy of its
-- consumer's name and addresses in lower case, and the index holds every three characters in a row of them.

alter table customer
  add column consumer_name text not null default '',
  add column consumer_emails text not null default ''; -- one a line

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
create function search_keys(merchant text, kind text, content text) returns int[] language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct hashtext(concat(merchant, kind, substr(content, n, 3)))), '{}')
    from generate_series(1, char_length(content) - 2) n
$$;
create index customer_search on customer
  using gin ((search_keys(merchant_id, 'name', consumer_name) || search_keys(merchant_id, 'email', consumer_emails)))
  where deleted_at is null;

/* Where the customers of a merchant stand in the list whose name and whose e-mail addresses have these parts, in any case (null: any).
   It runs as the owner, because behind row-level security no index serves a search in arrays; its callers see the merchant. */
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
