-- What a customer wants its invoices to say so that they reach the right desk (EN 16931, BT-10); German authorities give
-- a Leitweg-ID. Copied onto each invoice with the buyer when it is issued.
alter table customer add column buyer_reference text check (length(buyer_reference) between 1 and 200);
