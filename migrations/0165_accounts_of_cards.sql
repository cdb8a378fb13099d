-- A card that is stored at a provider belongs to one account there, and no other account can charge it.

alter table payment_method add column account_id text; -- null: the sandbox's provider, which has no accounts
update payment_method m set account_id = c.account_id
  from provider_customer c
 where c.merchant_id = m.merchant_id and c.provider = m.provider
   and c.reference = split_part(m.provider_token, '/', 1);
