/** One panel: a title, a unit of Grafana, and its lines with their legends. */
interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly (readonly [expression: string, legend: string])[];
  readonly description?: string;
}

const HERE = 'environment=~"$environment",instance=~"$instance"';
const of = (name: string, more = ''): string => `${name}{${HERE}${more === '' ? '' : `,${more}`}}`;
const rate = (by: string, name: string, more = ''): string =>
  `sum by (${by}) (rate(${of(name, more)}[$__rate_interval]))`;
const highest = (by: string, name: string, more = ''): string => `max by (${by}) (${of(name, more)})`;
const quantile = (share: number, by: string, name: string, more = ''): string =>
  `histogram_quantile(${share}, ${rate(by === '' ? 'le' : `${by}, le`, `${name}_bucket`, more)})`;
const quantiles = (name: string, more = ''): Panel['lines'] =>
  [0.5, 0.95, 0.99].map((share) => [quantile(share, '', name, more), `p${share * 100}`] as const);

const REQUESTS = 'reckoner_http_requests_total';
const SECONDS = 'reckoner_http_request_duration_seconds';
const STEPS = 'reckoner_due_steps_total';
const EVENTS = 'method="POST",route="/v0/events"';
const MONEY = 'kind=~"invoice|payment_.*|receipt_.*|credit_note_.*|provider_notice|stray_.*"';

const ROWS: readonly (readonly [row: string, panels: readonly Panel[]])[] = [
  [
    'Requests',
    [
      { title: 'Requests by status', unit: 'reqps', lines: [[rate('status', REQUESTS), '{{status}}']] },
      { title: 'Duration of requests', unit: 's', lines: quantiles(SECONDS) },
      {
        title: 'Slowest routes, p95',
        unit: 's',
        lines: [[`topk(10, ${quantile(0.95, 'method, route', SECONDS)})`, '{{method}} {{route}}']],
      },
      {
        title: 'Requests in progress, waiting, refused',
        unit: 'short',
        lines: [
          [highest('instance', 'reckoner_http_working_requests'), 'in progress, {{instance}}'],
          [highest('instance', 'reckoner_http_waiting_requests'), 'waiting, {{instance}}'],
          [rate('instance', 'reckoner_http_refused_requests_total'), 'refused per second, {{instance}}'],
        ],
      },
    ],
  ],
  [
    'Events',
    [
      {
        title: 'Requests with events by status',
        unit: 'reqps',
        lines: [[rate('status', REQUESTS, EVENTS), '{{status}}']],
      },
      { title: 'Duration of requests with events', unit: 's', lines: quantiles(SECONDS, EVENTS) },
      {
        title: 'Waiting for storage',
        unit: 'short',
        lines: [
          [highest('instance', 'reckoner_ingest_requests'), 'requests, {{instance}}'],
          [highest('instance', 'reckoner_ingest_held_events'), 'events, {{instance}}'],
        ],
      },
      {
        title: 'Lateness',
        unit: 's',
        lines: [
          [highest('instance', 'reckoner_ingest_oldest_seconds'), 'oldest request not stored, {{instance}}'],
          [highest('environment', 'reckoner_alerts_late_seconds'), 'alerts and budgets'],
        ],
      },
      {
        title: 'Unbilled events of the last complete day',
        unit: 'short',
        lines: [[highest('reason', 'reckoner_usage_unbilled_events'), '{{reason}}']],
      },
    ],
  ],
  [
    'Background jobs',
    [
      {
        title: 'Oldest due job',
        unit: 's',
        description: 'Above 60 for long, the workers have too much to do.',
        lines: [[highest('instance', 'reckoner_due_lag_seconds'), '{{instance}}']],
      },
      { title: 'Steps by outcome', unit: 'ops', lines: [[rate('outcome', STEPS), '{{outcome}}']] },
      { title: 'Steps by kind', unit: 'ops', lines: [[rate('kind', STEPS), '{{kind}}']] },
      {
        title: 'Duration of steps by kind, p95',
        unit: 's',
        lines: [[quantile(0.95, 'kind', 'reckoner_due_step_duration_seconds'), '{{kind}}']],
      },
      {
        title: 'Parked records',
        unit: 'short',
        description: 'Above 0, a person has to look.',
        lines: [[highest('kind', 'reckoner_due_parked'), '{{kind}}']],
      },
    ],
  ],
  [
    'Invoices and payments',
    [
      { title: 'Steps of invoices and payments', unit: 'ops', lines: [[rate('kind', STEPS, MONEY), '{{kind}}']] },
      {
        title: 'Failed steps of invoices and payments',
        unit: 'ops',
        lines: [[rate('kind', STEPS, `outcome="failed",${MONEY}`), '{{kind}}']],
      },
      {
        title: 'Payments that need a person',
        unit: 'short',
        description: 'Above 0, a person has to look.',
        lines: [[highest('kind, status', 'reckoner_payment_exceptions'), '{{kind}} {{status}}']],
      },
    ],
  ],
  [
    'Webhooks',
    [
      {
        title: 'Attempts by outcome',
        unit: 'ops',
        lines: [[rate('outcome', 'reckoner_webhook_attempts_total'), '{{outcome}}']],
      },
      { title: 'Duration of attempts', unit: 's', lines: quantiles('reckoner_webhook_attempt_duration_seconds') },
      {
        title: 'Waiting webhooks',
        unit: 'short',
        lines: [[highest('environment', 'reckoner_webhook_deliveries_pending'), '{{environment}}']],
      },
      {
        title: 'Endpoints in trouble',
        unit: 'short',
        lines: [[highest('state', 'reckoner_webhook_endpoints'), '{{state}}']],
      },
    ],
  ],
  [
    'Database',
    [
      {
        title: 'Connections for requests',
        unit: 'short',
        lines: [[highest('instance, state', 'reckoner_database_connections'), '{{state}}, {{instance}}']],
      },
      {
        title: 'Database out of reach',
        unit: 'short',
        description: '1 if a process could not reach the database.',
        lines: [[highest('instance', 'reckoner_database_away'), '{{instance}}']],
      },
      {
        title: 'Reports by who answered',
        unit: 'reqps',
        description: 'Only with a standby for reports. Every outcome but standby is an answer of the primary.',
        lines: [[rate('outcome', 'reckoner_reports_total'), '{{outcome}}']],
      },
    ],
  ],
  [
    'Process',
    [
      {
        title: 'Processor time',
        unit: 'percentunit',
        lines: [[`max by (instance) (rate(${of('process_cpu_seconds_total')}[$__rate_interval]))`, '{{instance}}']],
      },
      {
        title: 'Memory',
        unit: 'bytes',
        lines: [[highest('instance, part', 'process_memory_bytes'), '{{part}}, {{instance}}']],
      },
      {
        title: 'Delay of the event loop',
        unit: 's',
        lines: [
          [highest('instance, quantile', 'nodejs_eventloop_delay_seconds'), 'quantile {{quantile}}, {{instance}}'],
        ],
      },
      {
        title: 'Clock behind',
        unit: 's',
        description: 'Above 0, the clock of a machine was set back.',
        lines: [[highest('instance', 'reckoner_clock_behind_seconds'), '{{instance}}']],
      },
      {
        title: 'Dropped spans',
        unit: 'ops',
        lines: [[rate('instance', 'reckoner_otlp_dropped_spans_total'), '{{instance}}']],
      },
    ],
  ],
];

/** Every expression of the dashboard, with the variables of Grafana in it. */
export const dashboardExpressions = (): string[] =>
  ROWS.flatMap(([, panels]) => panels.flatMap(({ lines }) => lines.map(([expression]) => expression)));

const SOURCE = { type: 'prometheus', uid: '$datasource' };
/** A list of one word: the formatter writes it in one line. */
const SHORT_LIST = /\[\n\s+([^\n{}[\]]+)\n\s+\]/g;
const WIDTH = 24;
const HEIGHT = 8;
/** Panels in one line of the dashboard. */
const BESIDE = 4;

const panelOf = ({ title, unit, lines, description = '' }: Panel, place: number, top: number, beside: number) => ({
  type: 'timeseries',
  title,
  description,
  datasource: SOURCE,
  gridPos: {
    h: HEIGHT,
    w: WIDTH / beside,
    x: (place % beside) * (WIDTH / beside),
    y: top + Math.floor(place / beside) * HEIGHT,
  },
  fieldConfig: { defaults: { unit, min: 0, custom: { fillOpacity: 10, showPoints: 'never' } }, overrides: [] },
  options: {
    legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
  targets: lines.map(([expr, legendFormat], index) => ({
    ...{ refId: String.fromCodePoint(65 + index), datasource: SOURCE, expr, legendFormat },
    editorMode: 'code',
  })),
});

const variable = (name: string, label: string, query: string) => ({
  ...{ type: 'query', name, label, datasource: SOURCE, refresh: 2, sort: 1, regex: '' },
  ...{ multi: true, includeAll: true, allValue: '.*', current: { text: ['All'], value: ['$__all'] } },
  definition: query,
  query: { qryType: 1, query, refId: `Variable-${name}` },
});

/** deploy/grafana/reckoner.json: a dashboard of every metric, for Grafana 11 and newer. */
export function dashboardFile(): string {
  let top = 0;
  const panels = ROWS.flatMap(([title, those]) => {
    const beside = those.length === 3 || those.length === 5 ? 3 : Math.min(those.length, BESIDE);
    const row = { type: 'row', title, collapsed: false, gridPos: { h: 1, w: WIDTH, x: 0, y: top }, panels: [] };
    const shown = those.map((panel, place) => panelOf(panel, place, top + 1, beside));
    top += 1 + Math.ceil(those.length / beside) * HEIGHT;
    return [row, ...shown];
  });
  const dashboard = {
    uid: 'reckoner',
    title: 'Reckoner',
    description: 'Made by npm run docs:metrics. Every metric is explained in docs/monitoring.md.',
    tags: ['reckoner'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timepicker: {},
    timezone: 'browser',
    annotations: { list: [] },
    links: [],
    templating: {
      list: [
        {
          ...{ type: 'datasource', name: 'datasource', label: 'Data source', query: 'prometheus', refresh: 1 },
          ...{ regex: '', multi: false, includeAll: false, current: {} },
        },
        variable('environment', 'Environment', 'label_values(reckoner_database_away, environment)'),
        variable('instance', 'Instance', 'label_values(reckoner_database_away{environment=~"$environment"}, instance)'),
      ],
    },
    panels: panels.map((panel, index) => ({ id: index + 1, ...panel })),
  };
  return `${JSON.stringify(dashboard, null, 2).replaceAll(SHORT_LIST, '[$1]')}\n`;
}
