-- Levels over time (docs/decisions/0257-prices-on-each-event-and-figures-over-time.md).

alter table billable_metric
  add column time_unit text check (time_unit in ('hour', 'day', 'period')),
  drop constraint billable_metric_aggregation_check,
  add constraint billable_metric_aggregation_check check (
    aggregation in ('SUM', 'COUNT', 'AVG', 'MIN', 'MAX', 'UNIQUE_COUNT', 'LATEST', 'TIME_WEIGHTED')),
  add constraint billable_metric_time_unit check ((time_unit is not null) = (aggregation = 'TIME_WEIGHTED'));

alter table cost
  add column time_unit text check (time_unit in ('hour', 'day', 'period')),
  drop constraint cost_aggregation_check,
  add constraint cost_aggregation_check check (
    aggregation in ('SUM', 'COUNT', 'AVG', 'MIN', 'MAX', 'UNIQUE_COUNT', 'LATEST', 'TIME_WEIGHTED')),
  add constraint cost_time_unit check ((time_unit is not null) = (aggregation is not distinct from 'TIME_WEIGHTED'));
