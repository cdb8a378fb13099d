-- Several customers of a merchant may share an e-mail address: an externalId is the identity of a customer that has
-- one. Only a consumer that was made to be found by its address is unique for it; the others are told apart by their
-- customers.

drop index consumer_email;
alter table organization add column found_by_email boolean not null default true; -- consumers: false where an externalId made it
create unique index consumer_email on organization (merchant_id, email) where type = 'consumer' and found_by_email;
create index consumers_of_email on organization (merchant_id, email) where type = 'consumer';
