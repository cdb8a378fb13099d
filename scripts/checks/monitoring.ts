import { METRICS, type MetricEntry, type Watch } from '../../src/http/metrics/table.ts';

/** The metrics by name, as the pages and the checks take them. */
export type MetricTable = Readonly<Record<string, MetricEntry>>;

const PAGE = 'docs/monitoring.md';
const HOW_URGENT: Readonly<Record<Watch['urgency'], string>> = {
  now: 'critical',
  today: 'warning',
  'this week': 'info',
};

/** Labels that every metric has: the monitoring adds them to each process, and OTLP sends the first. */
export const TARGET_LABELS: readonly string[] = ['environment', 'instance', 'job'];

/** The watched value of a rule: absent, the highest of the metric, for each set of its labels. */
export const watchedValue = (name: string, { labels }: MetricEntry, { value }: Watch): string =>
  value ?? `max by (${['environment', ...Object.keys(labels)].join(', ')}) (${name})`;

/** A rule of the table with the metric that it stands at. */
interface Rule {
  readonly name: string;
  readonly entry: MetricEntry;
  readonly watch: Watch;
  readonly expression: string;
}

/** The rules of a table, the urgent ones first. */
export function rulesOf(table: MetricTable = METRICS): Rule[] {
  const order = Object.keys(HOW_URGENT);
  return Object.entries(table)
    .flatMap(([name, entry]) =>
      entry.watches.map((watch) => ({
        ...{ name, entry, watch },
        expression: `${watchedValue(name, entry, watch)} > ${watch.above}`,
      })),
    )
    .toSorted((one, other) => order.indexOf(one.watch.urgency) - order.indexOf(other.watch.urgency));
}

const anchorOf = (alert: string): string => alert.toLowerCase();

/** deploy/prometheus/alerts.yaml, as the table has it. Every text is quoted as JSON, which is YAML too. */
export function alertsFile(table: MetricTable = METRICS): string {
  const rules = rulesOf(table).map(({ watch, expression }) => {
    const lines = [
      `- alert: ${watch.alert}`,
      `  expr: ${JSON.stringify(expression)}`,
      `  for: ${watch.lasting}`,
      '  labels:',
      `    severity: ${HOW_URGENT[watch.urgency]}`,
      '  annotations:',
      `    summary: ${JSON.stringify(watch.summary)}`,
      `    description: ${JSON.stringify(`${watch.meaning} The value is {{ $value }}.`)}`,
      `    runbook: ${JSON.stringify(`${PAGE}#${anchorOf(watch.alert)}`)}`,
    ];
    return lines.map((line) => `      ${line}`).join('\n');
  });
  return `# Made by \`npm run docs:metrics\` from src/http/metrics/table.ts; a test compares the two.
# severity: critical wakes somebody, warning waits for working hours, info is a ticket.
groups:
  - name: reckoner
    rules:
${rules.join('\n')}
`;
}

const markdownTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n');

const labelWords = ({ labels }: MetricEntry): string =>
  Object.entries(labels)
    .map(([name, meaning]) => {
      const values = typeof meaning === 'string' ? meaning : meaning.map((value) => `\`${value}\``).join(', ');
      return `\`${name}\`: ${values}`;
    })
    .join('. ');

/** Breaks a text into lines of at most 120 columns. */
function wrapped(written: string, indent = ''): string {
  const text = written.replaceAll('](docs/', '](');
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= 120) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(lines.length === 0 ? word : indent + word);
  }
  return lines.join('\n');
}

const timeWords = (lasting: string): string =>
  lasting
    .replace(/^1m$/, 'a minute')
    .replace(/^1h$/, 'an hour')
    .replace(/m$/, ' minutes')
    .replace(/(?<=\d)h$/, ' hours');

const ruleText = ({ name, watch, expression }: Rule): string =>
  [
    `### ${watch.alert}`,
    wrapped(`${watch.summary} ${watch.meaning}`),
    wrapped(
      `Metric: \`${name}\`. The rule calls when the value is above ${watch.above} for ${timeWords(watch.lasting)}.`,
    ),
    `\`\`\`promql\n${expression}\n\`\`\``,
    watch.action.map((step, place) => wrapped(`${place + 1}. ${step}`, '   ')).join('\n'),
  ].join('\n\n');

const URGENCY_WORDS: Readonly<Record<Watch['urgency'], string>> = {
  now: '## Call a person now',
  today: '## Look today',
  'this week': '## Look this week',
};

/** docs/monitoring.md, as the table has it. */
export function monitoringPage(table: MetricTable = METRICS): string {
  const rules = rulesOf(table);
  const parts = Object.entries(URGENCY_WORDS).flatMap(([urgency, heading]) => {
    const those = rules.filter(({ watch }) => watch.urgency === urgency);
    return those.length === 0 ? [] : [heading, ...those.map(ruleText)];
  });
  const text = [FIRST_PART, ...parts, '## All metrics', allMetrics(table)].join('\n\n');
  return `${text.replaceAll('](docs/', '](')}\n`;
}

const allMetrics = (table: MetricTable): string =>
  markdownTable(
    ['metric', 'kind', 'unit', 'labels', 'meaning'],
    Object.entries(table).map(([name, entry]) => [
      `\`${name}\``,
      entry.kind,
      `\`${entry.unit}\``,
      labelWords(entry) || 'none',
      entry.help,
    ]),
  );

const FIRST_PART = `# Monitoring

Made by \`npm run docs:metrics\` from \`src/http/metrics/table.ts\`; a test compares the two.

Reckoner tells nobody anything about itself: it has no telemetry. It shows its metrics to those who ask at \`/metrics\`.
It sends metrics and traces over OTLP only to the address that you set.

| file | use |
|---|---|
| [alerts.yaml](../deploy/prometheus/alerts.yaml) | alert rules for Prometheus: name the file in \`rule_files\` |
| [reckoner.json](../deploy/grafana/reckoner.json) | a dashboard for Grafana 11 or newer: **Dashboards**, **New**, **Import** |

Each alert has a label \`severity\`: \`critical\` wakes somebody, \`warning\` waits for working hours, \`info\` is a ticket.
Its annotation \`runbook\` names its heading below. The metrics name no merchant.

## Prometheus

Set \`METRICS_PORT\`, and let only your monitoring reach this port. The rules and the dashboard need the label
\`environment\`, which this configuration adds:

\`\`\`yaml
rule_files: [alerts.yaml]
scrape_configs:
  - job_name: reckoner-production
    metrics_path: /metrics/production
    static_configs: [{ targets: ['reckoner:9464'], labels: { environment: production } }]
  - job_name: reckoner-sandbox
    metrics_path: /metrics/sandbox
    static_configs: [{ targets: ['reckoner:9464'], labels: { environment: sandbox } }]
\`\`\`

Without \`METRICS_PORT\`, and if \`HOST\` is an address of this machine alone, each environment has \`/metrics\` on its own
port. Several processes on one database report the same counts of the database, so take their maximum and not their sum.
The alert rules and the dashboard do.

## OpenTelemetry

With \`OTEL_EXPORTER_OTLP_ENDPOINT\`, each process sends traces and the metrics of this page over OTLP/HTTP with JSON. A
collector usually listens on port 4318: \`OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318 npm start\`. Without the
variable, the program does not load this part.

| variable | meaning | default |
|---|---|---|
| \`OTEL_EXPORTER_OTLP_ENDPOINT\` | the start of the address; \`/v1/traces\` and \`/v1/metrics\` follow | nothing is sent |
| \`OTEL_EXPORTER_OTLP_HEADERS\` | headers such as a key, \`name=value,name=value\`, with values as in a URL | none |
| \`OTEL_SERVICE_NAME\` | \`service.name\` of all that is sent | \`reckoner\` |
| \`OTEL_TRACES_SAMPLER_ARG\` | the share of traces that is sent, 0 to 1. A caller's \`traceparent\` decides for its own trace | 1 |

| span | name | attributes |
|---|---|---|
| a request | its method and route: \`GET /v0/products/:id\` | \`http.request.method\`, \`http.route\`, \`http.response.status_code\`, \`reckoner.request_id\` (the \`X-Request-Id\`) |
| the steps of a background job in one transaction | \`step\` and the kind: \`step invoice\` | \`reckoner.kind\`, \`reckoner.outcome\`, \`reckoner.records\` |
| a transaction of a request or a step | \`transaction\`, or \`call\` and the function of the database | \`db.system.name\`, \`reckoner.outcome\` |

A request with a \`traceparent\` continues the trace of its caller. Spans have no bodies, no keys, no values of rows and
no names or ids of merchants. Transactions outside of requests and steps, such as the search for due jobs, have no span.

Spans are sent every 5 seconds, metrics every 15 seconds, and both at the stop. The metrics have the names of this page
and the attribute \`environment\`. A slow or missing receiver does not slow any request: the program keeps at most 8,192
spans, drops further ones, and counts them in \`reckoner_otlp_dropped_spans_total\`. The log has one warning when the
receiver fails, and a line when it takes data again.`;
