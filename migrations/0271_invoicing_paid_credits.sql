-- What was paid for a billing credit, net of tax; nothing for promotional ones.
alter table billing_credit add column price numeric check (price >= 0);
