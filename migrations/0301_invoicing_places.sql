-- why: Acts without lines, as an empty invoice and a reissue, need places of their own in the order of billing.
grant usage on sequence invoice_line_seq_seq to reckoner_app;
