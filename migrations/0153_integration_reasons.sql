-- Why an integration does not work, as its provider said when the connection was tried (api.md, merchantIntegrations).

alter table merchant_integration add column status_reason text;
alter table merchant_integration add check (status_reason is null or status = 'error');
