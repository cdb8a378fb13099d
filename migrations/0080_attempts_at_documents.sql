-- A document that no attempt could make is tried again later, so many times (domain.md §4, Document).

/* How often the due work has failed to make it. */
alter table document_job add column attempts int not null default 0;
alter table credit_note_job add column attempts int not null default 0;
