-- Merchants upload a logo, which is drawn on their documents; it was checked and written anew before it is kept.

create table organization_logo (
  merchant_id text not null,
  content_type text not null check (content_type in ('image/png', 'image/svg+xml')),
  width int not null check (width > 0),
  height int not null check (height > 0),
  content bytea storage external not null check (length(content) <= 524288), -- PNGs are compressed already
  updated_at timestamptz not null,
  primary key (merchant_id)
);
call tenant_table('organization_logo');
