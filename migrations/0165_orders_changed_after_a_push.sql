-- A pushed order whose content is changed waits for a new approval (domain.md §6).
insert into order_edge values ('approved', 'pending');
