-- A VAT number is checked by its own country now, and not by that of the address: numbers that nobody was asked about
-- are described again (docs/decisions/0216-numbers-by-their-own-country.md).
update tax_id_check
   set next_action_at = now()
 where status = 'unchecked' and next_action_at is null and tax_id ~ '^[A-Za-z]{2}';
