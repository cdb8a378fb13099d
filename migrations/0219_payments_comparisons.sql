-- Which merchants' payments were compared with their provider after a restore (docs/decisions/0250): what the provider
-- took in the lost time is listed for a person, once in each life of the database.

create table payment_comparison (
  merchant_id text not null,
  life int not null,
  compared_at timestamptz not null,
  primary key (merchant_id, life)
);
call tenant_table('payment_comparison');
