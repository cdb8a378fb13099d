-- The language in which a customer reads pages, documents and mails; null where nobody has said.
alter table customer add column locale text check (locale in ('en', 'de', 'fr', 'es'));
