-- GET /v0/search finds customers while somebody types (docs/decisions/0240): by the beginning of a name, of the first
-- address or of an externalId from an index, and by a part of name or address as the list of customers does.

-- An index takes no long text, so the beginning of a text stands in it.
create index customer_by_name on customer (merchant_id, (left(consumer_name, 100) collate "C"), seq)
  where deleted_at is null;
create index customer_by_email on customer (merchant_id, (left(consumer_emails, 100) collate "C"), seq)
  where deleted_at is null;
create index customer_by_external_id on customer (merchant_id, (lower(external_id) collate "C"), seq)
  where deleted_at is null and external_id is not null;

/* At most `most` customers of a merchant for a text in any case, the best first. Rank 1: the whole externalId or
   address; 2: the beginning of the name; 3: the beginning of the address or of the externalId; 4: a part of the name or
   of an address, of at least three characters, newest first. A part is looked for among the newest and the oldest
   customers first: one that many have is found there, and one that few have in the index of parts. The beginning of an
   address with its `@` is no part. It runs as the owner, because behind row-level security no index serves these
   searches; its callers see the merchant. */
create function customers_found(merchant text, asked text, most int)
  returns table (id text, name text, email text, external_id text, rank int)
  language plpgsql stable security definer
  set search_path = public, pg_temp set plan_cache_mode = force_custom_plan set jit = off
  as $$
declare
  part text := lower(asked);
  low text := left(part, 100);
  high text := low || chr(1114111); -- the last character of all
  places bigint[];
  ranks int[];
  parts bigint[] := '{}';
  missing int;
begin
  if current_setting('role') <> 'reckoner_operator'
     and not coalesce(merchant = any (string_to_array(current_setting('reckoner.merchants', true), ',')), false) then
    return;
  end if;
  select coalesce(array_agg(best.seq order by best.place), '{}'),
         coalesce(array_agg(best.rank order by best.place), '{}')
    into places, ranks
    from (
      select d.seq, d.rank, row_number() over (order by d.rank, d.word, d.seq) as place
        from (
          select distinct on (u.seq) u.seq, u.rank, u.word
            from (
              (select c.seq, 2 as rank, left(c.consumer_name, 100) collate "C" as word from customer c
                where c.merchant_id = merchant and c.deleted_at is null
                  and left(c.consumer_name, 100) collate "C" >= low and left(c.consumer_name, 100) collate "C" <= high
                  and starts_with(c.consumer_name, part)
                order by left(c.consumer_name, 100) collate "C", c.seq limit most)
              union all
              (select c.seq, case when starts_with(c.consumer_emails || e'\n', part || e'\n') then 1 else 3 end,
                      left(c.consumer_emails, 100) collate "C" from customer c
                where c.merchant_id = merchant and c.deleted_at is null
                  and left(c.consumer_emails, 100) collate "C" >= low
                  and left(c.consumer_emails, 100) collate "C" <= high
                  and starts_with(c.consumer_emails, part)
                order by left(c.consumer_emails, 100) collate "C", c.seq limit most)
              union all
              (select c.seq, case when lower(c.external_id) = part then 1 else 3 end,
                      lower(c.external_id) collate "C" from customer c
                where c.merchant_id = merchant and c.deleted_at is null and c.external_id is not null
                  and lower(c.external_id) collate "C" >= part
                  and lower(c.external_id) collate "C" <= part || chr(1114111)
                order by lower(c.external_id) collate "C", c.seq limit most)
            ) u
           order by u.seq, u.rank, u.word
        ) d
       order by place limit most
    ) best;
  missing := most - cardinality(places);
  if missing > 0 and char_length(part) >= 3 and not (strpos(part, '@') > 0 and cardinality(places) > 0) then
    parts := array(
      select seq
        from (select seq, consumer_name, consumer_emails from customer
               where merchant_id = merchant and deleted_at is null order by seq desc limit 3000) newest
       where (strpos(consumer_name, part) > 0 or strpos(consumer_emails, part) > 0) and seq <> all (places)
       union
      select seq
        from (select seq, consumer_name, consumer_emails from customer
               where merchant_id = merchant and deleted_at is null order by seq limit 3000) oldest
       where (strpos(consumer_name, part) > 0 or strpos(consumer_emails, part) > 0) and seq <> all (places)
       order by seq desc limit missing);
    if cardinality(parts) < missing then
      parts := array(
        select f.seq
          from (select c.seq from customer c
                 where c.merchant_id = merchant and c.deleted_at is null
                   and (search_keys(c.merchant_id, 'name', c.consumer_name)
                          || search_keys(c.merchant_id, 'email', c.consumer_emails)
                          @> search_keys(merchant, 'name', part)
                        or search_keys(c.merchant_id, 'name', c.consumer_name)
                          || search_keys(c.merchant_id, 'email', c.consumer_emails)
                          @> search_keys(merchant, 'email', part))
                   and (strpos(c.consumer_name, part) > 0 or strpos(c.consumer_emails, part) > 0)
                   and c.seq <> all (places)
                offset 0) f
         order by f.seq desc limit missing);
    end if;
  end if;
  return query
  select c.id, o.name, coalesce(o.email, o.billing_emails[1]), c.external_id, f.rank
    from unnest(places || parts, ranks || array_fill(4, array[cardinality(parts)]))
           with ordinality f (seq, rank, place)
    join customer c on c.merchant_id = merchant and c.seq = f.seq and c.deleted_at is null
    join organization o on o.merchant_id = c.merchant_id and o.id = c.consumer_id
   order by f.place;
end $$;
