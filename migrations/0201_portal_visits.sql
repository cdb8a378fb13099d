-- A visit lasts an hour from its last request, whatever its link was, and customers withdraw an end that they planned.

alter table portal_link drop column session_seconds;

/* The end of a plan that its customer has planned in the portal: the customer alone may withdraw it there. */
create table portal_planned_end (
  merchant_id text not null,
  subscription_id text not null,
  ending_at timestamptz not null,
  primary key (merchant_id, subscription_id),
  foreign key (merchant_id, subscription_id) references subscription (merchant_id, id)
);
call tenant_table('portal_planned_end');
