-- The platform key of a setting: when another one is set, it is not valid any more.

/* `current`: the key that the last start was given. `former`: one before it. Null: a key from the API. */
alter table api_key add column setting text check (setting in ('current', 'former'));

update api_key set setting = 'current'
 where name = 'First platform key' and merchant_id = (select platform_organization());
