-- A fee that a change takes up again after a gap is a new service interval (docs/decisions/0179). Changes from before
-- this file were billed less what earlier bills of the fee left; that stays, so that nothing of it is billed twice.

alter table subscription_version add column takes_up_anew boolean not null default false;
alter table subscription_version alter column takes_up_anew set default true;
