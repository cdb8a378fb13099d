-- A cancelled invoice counts as billed, unless it is to be billed again (domain.md §3, Owed less billed).
alter table invoice add column rebilled_from bigint; -- from this line in the order of billing on its lines do not count
