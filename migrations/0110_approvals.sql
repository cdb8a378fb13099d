-- Approvals: a second person decides on an order or an invoice as it stands (§2 Approval; domain.md §6).

/* The moves of an approval's decision (src/approvals/states.ts); a test holds the two equal. */
create table approval_edge (
  from_decision text not null,
  to_decision text not null,
  primary key (from_decision, to_decision)
);
insert into approval_edge values
  ('pending', 'approved'),
  ('pending', 'rejected'),
  ('pending', 'cancelled'),
  ('approved', 'cancelled');
grant select on approval_edge to reckoner_app, reckoner_operator;

create table approval (
  merchant_id text not null,
  id text not null,
  seq bigint generated always as identity,
  resource_type text not null check (resource_type in ('order', 'invoice')),
  resource_id text not null, -- also of an order that was deleted since
  kind text not null check (kind in ('data_review', 'financial_review', 'push')),
  decision text not null check (decision in ('pending', 'approved', 'rejected', 'cancelled')),
  requester text not null,
  reviewer text,
  request_note text,
  decision_note text,
  data_snapshot_hash text not null,
  content jsonb not null,   -- what the hash is of
  pushed_at timestamptz,     -- of kind `push`: when its webhook was written
  decided_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (merchant_id, id),
  check (reviewer is distinct from requester),
  check ((decision = 'pending') = (decided_at is null)),
  check (decision not in ('approved', 'rejected') or reviewer is not null),
  check (pushed_at is null or kind = 'push')
);
call resource_table('approval');

/* One pending approval for each resource and kind. */
create unique index approval_pending on approval (merchant_id, resource_id, kind) where decision = 'pending';
create index approval_order on approval (merchant_id, seq desc);
create index approval_resource on approval (merchant_id, resource_id, seq desc);
create index approval_decision on approval (merchant_id, decision, seq desc);
create index approval_all on approval (seq desc);
call keep_list_count('approval', '{decision, kind}');

/* The second lock behind the state table: a decision moves along an edge, and what was asked stays as it was. */
create function guard_approval() returns trigger language plpgsql as $$
begin
  if new.decision <> old.decision
     and not exists (select from approval_edge
                      where from_decision = old.decision and to_decision = new.decision) then
    raise exception 'approval % cannot go from % to %', old.id, old.decision, new.decision;
  end if;
  if (new.resource_type, new.resource_id, new.kind, new.requester, new.data_snapshot_hash, new.content, new.created_at)
     is distinct from
     (old.resource_type, old.resource_id, old.kind, old.requester, old.data_snapshot_hash, old.content, old.created_at)
  then
    raise exception 'approval % keeps what was asked', old.id;
  end if;
  return new;
end $$;
create trigger guard before update on approval for each row execute function guard_approval();
