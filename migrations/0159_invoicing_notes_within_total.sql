-- Until version 0.1.0 the credit notes of an invoice could come to more than its total: to what its charges came to,
-- though credit lines had paid a part of them. Those stay, and the auditor holds them to the rule of then.
alter table credit_note add column is_within_total boolean not null default false;
alter table credit_note alter column is_within_total set default true;
