-- The key of the places in lists (docs/decisions/0194-lists-after-a-row.md). A place that a page names is encrypted,
-- because the number in it would tell how many rows all merchants together have. The key belongs to the data, like that
-- of the ids of events, and is another one.
create function list_place_key() returns bytea
  language sql stable
  as $$ select sha256(event_id_key() || convert_to('places in lists', 'UTF8')) $$;
