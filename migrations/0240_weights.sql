-- Weights of records: how much work a step holds, so that lists of steps are bounded by it.

/* How many cells the prices of a subscription have in all. */
create function matrix_cells(merchant text, of_subscription text) returns bigint
  language sql stable
  as $$
    select sum(jsonb_array_length(p.properties -> 'cells'))
      from subscription s
      join plan_version_price v on v.merchant_id = s.merchant_id and v.version_id = s.plan_version_id
      join price p on p.merchant_id = v.merchant_id and p.id = v.price_id and p.model = 'matrix'
     where s.merchant_id = merchant and s.id = of_subscription
  $$;
