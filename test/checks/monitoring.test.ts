import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dashboardExpressions, dashboardFile } from '../../scripts/checks/dashboard.ts';
import { unknownNames } from '../../scripts/checks/expressions.ts';
import { alertsFile, type MetricTable, monitoringPage, rulesOf } from '../../scripts/checks/monitoring.ts';
import { home } from '../../scripts/checks/project.ts';
import { Metrics } from '../../src/http/index.ts';
import { METRICS } from '../../src/http/metrics/table.ts';

const table: MetricTable = METRICS;
const textOf = (path: string): string => readFileSync(home + path, 'utf8');

/** Metrics with a value for each of them. */
function everyMetric(): Metrics {
  const metrics = new Metrics({
    database: { load: { total: 2, idle: 1, waiting: 0 }, isAway: false } as never,
    countParked: async () => [{ kind: 'invoice', parked: 1 }],
    countUnbilled: async () => [{ reason: 'NO_PERIOD', events: 1 }],
    countWebhooks: async () => ({ pending: 1, failing: 1, disabled: 1 }),
    countExceptions: async () => [{ kind: 'charge', status: 'unresolved', exceptions: 1 }],
    alertsLate: async () => 1,
    clockBehind: () => 0,
    dueLag: async () => 1,
    ingest: () => ({ held: 1, requests: 1, oldestSeconds: 1 }),
    slots: () => ({ working: 1, waiting: 1, refused: 1 }),
    droppedSpans: () => 1,
    reports: { standby: 1 },
  });
  onTestFinished(() => metrics.close());
  metrics.request('GET', '/v0/me', 200, 0.1);
  metrics.step({ kind: 'invoice', outcome: 'done', records: 2, seconds: 0.1 });
  metrics.webhook('delivered', 0.1);
  return metrics;
}

describe('the metrics', () => {
  it('are those of the table, each with its kind, help text and labels', async () => {
    const text = await everyMetric().text();
    const heads = [...text.matchAll(/^# HELP (\S+) (.+)\n# TYPE \S+ (\S+)$/gm)];
    const found = heads.map(([, name = '', help, kind]) => ({ name, help, kind }));
    const wanted = Object.entries(table).map(([name, { help, kind }]) => ({ name, help, kind }));
    const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);
    expect(found.toSorted(byName)).toEqual(wanted.toSorted(byName));
    for (const [, sample = '', inner = ''] of text.matchAll(/^([a-z_]+)(?:\{(.*)\})? \S+$/gm)) {
      const name = table[sample] ? sample : sample.replace(/_(?:bucket|sum|count)$/, '');
      const labels = [...inner.matchAll(/([a-z_]+)="([^"]*)"/g)].filter(([, label]) => label !== 'le');
      expect(labels.map(([, label]) => label)).toEqual(Object.keys(table[name]?.labels ?? {}));
      for (const [, label = '', value] of labels) {
        const values = table[name]?.labels[label];
        if (typeof values === 'object') expect(values).toContain(value);
      }
    }
  });

  it('are exported as they are in the text', async () => {
    const readings = await everyMetric().readings();
    expect(readings.map(({ name }) => name).toSorted()).toEqual(Object.keys(table).toSorted());
    expect(readings.find(({ name }) => name === 'reckoner_due_steps_total')?.points).toEqual([
      { labels: { kind: 'invoice', outcome: 'done' }, figure: 2 },
    ]);
  });
});

describe('the files of the metrics (npm run docs:metrics makes them)', () => {
  it.each([
    { path: 'docs/monitoring.md', text: monitoringPage() },
    { path: 'deploy/prometheus/alerts.yaml', text: alertsFile() },
    { path: 'deploy/grafana/reckoner.json', text: dashboardFile() },
  ])('$path is as the table has it', ({ path, text }) => expect(textOf(path)).toBe(text));

  it('name metrics and labels that exist', () => {
    const expressions = [...dashboardExpressions(), ...rulesOf().map(({ expression }) => expression)];
    expect(expressions.flatMap((each) => unknownNames(each, table).map((name) => `${name} in ${each}`))).toEqual([]);
    expect(expressions.length).toBeGreaterThan(40);
  });

  it('have every metric on the dashboard, and every alert as a heading of the page', () => {
    const all = dashboardExpressions().join('\n');
    expect(Object.keys(table).filter((name) => !all.includes(name))).toEqual([]);
    const alerts = rulesOf().map(({ watch }) => watch.alert);
    expect(alerts).toEqual([...new Set(alerts)]);
    const page = textOf('docs/monitoring.md');
    expect(alerts.filter((alert) => !page.includes(`\n### ${alert}\n`))).toEqual([]);
  });
});

describe('the check of expressions sees', () => {
  it.each([
    { expression: 'sum(reckoner_gone_total)', unknown: ['the metric reckoner_gone_total'] },
    { expression: 'reckoner_due_parked{reason="a"}', unknown: ['the label reason of reckoner_due_parked'] },
    { expression: 'max by (route) (reckoner_due_parked)', unknown: ['the label route'] },
    {
      expression: 'reckoner_due_steps_total{outcome="lost"}',
      unknown: ['the value lost of reckoner_due_steps_total{outcome}'],
    },
    { expression: 'median(reckoner_due_parked)', unknown: ['the function median'] },
    {
      expression: 'rate(reckoner_due_step_duration_seconds[5m])',
      unknown: ['the metric reckoner_due_step_duration_seconds'],
    },
    { expression: 'reckoner_due_parked{kind=a}', unknown: ['the selector {kind=a}'] },
  ])('$unknown in: $expression', ({ expression, unknown }) => expect(unknownNames(expression, table)).toEqual(unknown));

  it.each([
    'histogram_quantile(0.95, sum by (kind, le) (rate(reckoner_due_step_duration_seconds_bucket[5m]))) > 1',
    'max by (environment) (reckoner_due_parked{kind=~"mail|invoice",instance="$instance"}) > 0',
    'sum(rate(reckoner_due_steps_total{outcome="failed"}[$__rate_interval])) / sum(rate(reckoner_due_steps_total[5m]))',
  ])('nothing in: %s', (expression) => expect(unknownNames(expression, table)).toEqual([]));
});
