-- why: two acts without lines, as an empty invoice and a reissue, each need a place of their own in the order of billing
grant usage on sequence invoice_line_seq_seq to reckoner_app;
