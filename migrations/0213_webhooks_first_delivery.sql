-- When an endpoint took its first webhook: deliveries are forgotten after 30 days, and the checklist of the overview
-- must not forget that one arrived.

alter table webhook_endpoint add column first_delivered_at timestamptz;
update webhook_endpoint w
   set first_delivered_at = (select min(a.created_at) from webhook_attempt a
                              where a.merchant_id = w.merchant_id and a.endpoint_id = w.id and a.status = 'delivered');
