-- Percentiles of the figures of windows (docs/decisions/0264-percentiles.md).

alter table billable_metric
  add column percentile numeric check (percentile > 0 and percentile <= 100),
  add column sample_window text,
  add column sample_aggregation text check (sample_aggregation in ('SUM', 'MAX', 'COUNT', 'AVG')),
  drop constraint billable_metric_aggregation_check,
  add constraint billable_metric_aggregation_check check (
    aggregation in ('SUM', 'COUNT', 'AVG', 'MIN', 'MAX', 'UNIQUE_COUNT', 'LATEST', 'TIME_WEIGHTED', 'PERCENTILE')),
  drop constraint billable_metric_check,
  add constraint billable_metric_check check (
    value_property is not null or coalesce(sample_aggregation, aggregation) = 'COUNT'),
  add constraint billable_metric_percentile check (
    num_nonnulls(percentile, sample_window, sample_aggregation) = case aggregation when 'PERCENTILE' then 3 else 0 end);
