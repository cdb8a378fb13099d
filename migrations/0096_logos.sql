-- Merchants upload a logo, which is drawn on their documents; it was checked and written anew before it is kept.

create table organization_logo (
  merchant_id text primary key,
  content_type text not null check (content_type in ('image/png', 'image/svg+xml')),
  width int not null check (width > 0),
  height int not null check (height > 0),
  content bytea not null check (length(content) <= 524288),
  updated_at timestamptz not null
);
call tenant_table('organization_logo');
alter table organization_logo alter column content set storage external; -- PNGs are compressed already
