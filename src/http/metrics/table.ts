/** A rule that calls a person. */
export interface Watch {
  readonly alert: string;
  /** The watched value in PromQL; absent: the highest value of the metric, for each set of its labels. */
  readonly value?: string;
  /** The value above which the rule calls, and the time for which it must stay there. */
  readonly above: number;
  readonly lasting: string;
  /** `now`: wake somebody; `today`: in working hours; `this week`: a ticket. */
  readonly urgency: 'now' | 'today' | 'this week';
  /** One line, as the title of the message. */
  readonly summary: string;
  readonly meaning: string;
  /** Links lead to pages from the folder of the project. */
  readonly action: readonly string[];
}

/** One metric: its meaning, and the rules on it. */
export interface MetricEntry {
  readonly kind: 'counter' | 'gauge' | 'histogram';
  /** In the words of OpenTelemetry: `s`, `By`, or the counted thing in braces. */
  readonly unit: string;
  /** The values of each label, or their meaning. */
  readonly labels: Readonly<Record<string, string | readonly string[]>>;
  /** The help text. */
  readonly help: string;
  readonly watches: readonly Watch[];
}

/** Every metric of the program. `/metrics`, OTLP, docs/monitoring.md, the dashboard and alert rules use it. */
export const METRICS = {
  reckoner_http_requests_total: {
    kind: 'counter',
    unit: '{request}',
    labels: {
      method: 'the HTTP method',
      route: 'the path as the API reference has it, `/v0/products/:id`; `none` for an unknown path',
      status: 'the HTTP status',
    },
    help: 'Requests answered.',
    watches: [
      {
        alert: 'ReckonerRequestsFail',
        value:
          'sum by (environment) (rate(reckoner_http_requests_total{status=~"5..",route!="/readyz"}[5m])) / ' +
          'sum by (environment) (rate(reckoner_http_requests_total[5m]))',
        above: 0.01,
        lasting: '10m',
        urgency: 'now',
        summary: 'More than one percent of the requests fail with a status of 500 or above.',
        meaning: 'Callers get errors that they did not cause. A 503 says that the database did not answer in time.',
        action: [
          'If `reckoner_database_away` is 1, or the log says `the database is not available`, look at PostgreSQL first.',
          'For a 500, search the log for `a request failed`. The line has the cause, and the `reqId` of the answer.',
          'For a 503 with the code `DATABASE_FULL`, free space on the disk of the database.',
        ],
      },
    ],
  },
  reckoner_http_request_duration_seconds: {
    kind: 'histogram',
    unit: 's',
    labels: {
      method: 'the HTTP method',
      route: 'the path as the API reference has it',
      status: 'the class of the status: `2xx`, `4xx`, `5xx`',
    },
    help: 'Seconds from the first byte of a request to the last byte of its answer.',
    watches: [
      {
        alert: 'ReckonerRequestsSlow',
        value:
          'histogram_quantile(0.95, sum by (environment, le) ' +
          '(rate(reckoner_http_request_duration_seconds_bucket{route!~"/v0/testClocks.*"}[10m])))',
        above: 1,
        lasting: '15m',
        urgency: 'today',
        summary: 'One request in twenty takes longer than a second.',
        meaning: 'The program or its database has more work than it can do in time.',
        action: [
          'Compare the durations of the routes on the dashboard. One slow route points to a report or a long list.',
          'If all routes are slow, look at the waiting connections, the delay of the event loop and the processor time.',
          'Add processes, or a larger database ([scaling](docs/scaling.md)).',
        ],
      },
    ],
  },
  reckoner_http_working_requests: {
    kind: 'gauge',
    unit: '{request}',
    labels: {},
    help: 'Requests in progress, without those that send events.',
    watches: [],
  },
  reckoner_http_waiting_requests: {
    kind: 'gauge',
    unit: '{request}',
    labels: {},
    help: 'Requests that wait for other requests of their merchant.',
    watches: [],
  },
  reckoner_http_refused_requests_total: {
    kind: 'counter',
    unit: '{request}',
    labels: {},
    help: 'Requests refused with 429 because too many requests of their merchant waited.',
    watches: [
      {
        alert: 'ReckonerRequestsRefused',
        value: 'sum by (environment) (rate(reckoner_http_refused_requests_total[10m]))',
        above: 1,
        lasting: '15m',
        urgency: 'today',
        summary: 'More than one request per second is refused because too many of its merchant wait.',
        meaning:
          'One merchant sends more requests at the same time than its share of the process. Others are not slower.',
        action: [
          'Find the merchant by the `merchantId` of log lines with the status 429.',
          'Ask it to send fewer requests at a time, or add processes.',
        ],
      },
    ],
  },
  reckoner_ingest_requests: {
    kind: 'gauge',
    unit: '{request}',
    labels: {},
    help: 'Requests whose events are being read or stored.',
    watches: [],
  },
  reckoner_ingest_held_events: {
    kind: 'gauge',
    unit: '{event}',
    labels: {},
    help: 'The space that waiting events take up, counted in small events.',
    watches: [],
  },
  reckoner_ingest_oldest_seconds: {
    kind: 'gauge',
    unit: 's',
    labels: {},
    help: 'The age of the oldest request whose events are not stored yet.',
    watches: [
      {
        alert: 'ReckonerEventsWait',
        above: 5,
        lasting: '5m',
        urgency: 'now',
        summary: 'Requests with events wait longer than 5 seconds.',
        meaning:
          'The database stores events more slowly than they arrive. Soon the program refuses events with 429 or 503.',
        action: [
          'Nothing is lost: senders get no 202 for these events and send them again.',
          'Look at the disk and the locks of PostgreSQL, and for a long transaction in `pg_stat_activity`.',
          'If the rate of events has grown, see [scaling](docs/scaling.md).',
        ],
      },
    ],
  },
  reckoner_usage_unbilled_events: {
    kind: 'gauge',
    unit: '{event}',
    labels: { reason: 'the reason, as in [unbilled usage](docs/unbilled-usage.md)' },
    help: 'Events of the last complete day that no invoice charges, of all merchants.',
    watches: [
      {
        alert: 'ReckonerUsageUnbilled',
        above: 0,
        lasting: '1h',
        urgency: 'this week',
        summary: 'Events of the last complete day are on no invoice.',
        meaning: 'Merchants sent usage that nobody pays for. Often a name is misspelt, or a price is missing.',
        action: [
          'Each merchant sees its own events, and the reasons, in the report of [unbilled usage](docs/unbilled-usage.md).',
          'Some usage is not meant to be billed. For such a reason, silence the alert by its label `reason`.',
        ],
      },
    ],
  },
  reckoner_alerts_late_seconds: {
    kind: 'gauge',
    unit: 's',
    labels: {},
    help: 'The age of the oldest event that the alerts on usage and balances have not checked.',
    watches: [
      {
        alert: 'ReckonerAlertsLate',
        above: 5,
        lasting: '10m',
        urgency: 'today',
        summary: 'Alerts and budgets of merchants are more than 5 seconds late.',
        meaning:
          'Customers pass their budgets before the program notices. The workers have more work than they can do.',
        action: [
          'Start another process with the role `worker` ([scaling](docs/scaling.md)).',
          'If background jobs are parked at the same time, correct these first.',
        ],
      },
    ],
  },
  reckoner_clock_behind_seconds: {
    kind: 'gauge',
    unit: 's',
    labels: {},
    help: 'By how much the clock of this machine is behind the latest time that a worker has read; 0 below 5 minutes.',
    watches: [
      {
        alert: 'ReckonerClockSetBack',
        above: 0,
        lasting: '1m',
        urgency: 'now',
        summary: 'The clock of a machine was set back.',
        meaning:
          'No invoice is issued on a day before that of the last one, and nothing falls due until the time is reached.',
        action: [
          'Set the clock by the network (NTP).',
          'If the later time was the wrong one, run `reckoner accept-clock`; invoices of that time keep its date.',
        ],
      },
    ],
  },
  reckoner_due_lag_seconds: {
    kind: 'gauge',
    unit: 's',
    labels: {},
    help: 'How long the background job waits that is due longest, without those that are parked or tried again later.',
    watches: [
      {
        alert: 'ReckonerWorkLate',
        above: 60,
        lasting: '10m',
        urgency: 'today',
        summary: 'Background jobs are more than a minute late.',
        meaning:
          'Invoices, charges, documents or resets come later than they are due. The workers have too much to do.',
        action: [
          'Start another process with the role `worker` ([scaling](docs/scaling.md)).',
          'If no worker runs, or its log has errors of the database, correct that first.',
        ],
      },
    ],
  },
  reckoner_due_steps_total: {
    kind: 'counter',
    unit: '{step}',
    labels: {
      kind: 'the kind of the background job: `invoice`, `mail`, `payment_charge`, …',
      outcome: ['done', 'failed', 'parked'],
    },
    help: 'Steps of background jobs by their outcome: done, failed (retried later), parked (given up).',
    watches: [],
  },
  reckoner_due_step_duration_seconds: {
    kind: 'histogram',
    unit: 's',
    labels: { kind: 'the kind of the background job' },
    help: 'Seconds that a step of a background job took. Steps of one transaction share its time.',
    watches: [],
  },
  reckoner_due_parked: {
    kind: 'gauge',
    unit: '{record}',
    labels: { kind: 'the kind of the background job' },
    help: 'Records whose step failed five times and is not retried. A person has to look.',
    watches: [
      {
        alert: 'ReckonerJobsParked',
        above: 0,
        lasting: '5m',
        urgency: 'today',
        summary: 'A step of a background job failed five times and is not retried.',
        meaning:
          'The record does not move on: an invoice is not closed, or a payment is not started. All others continue.',
        action: [
          'Search the log for `a step of a background job failed` with `"isParked":true`. The line has the kind, the id ' +
            'of the record, and the error.',
          'Correct the cause. Then delete the row of the record in the table `due_failure`: the program takes the step again. ' +
            'A change that gives the record another due time does the same.',
          'If the cause is a fault of the program, report it with the log line, and release the record after the update.',
        ],
      },
    ],
  },
  reckoner_payment_exceptions: {
    kind: 'gauge',
    unit: '{payment}',
    labels: {
      kind: ['charge', 'refund', 'strayPayment', 'notice'],
      status: ['unresolved', 'manual', 'failed'],
    },
    help: 'Payments at providers that need a person, of all merchants (GET /v0/paymentExceptions).',
    watches: [
      {
        alert: 'ReckonerPaymentsNeedAPerson',
        above: 0,
        lasting: '5m',
        urgency: 'today',
        summary: 'A payment at a provider needs a person.',
        meaning: 'Money moved, or did not move, in a way that the program cannot settle by itself.',
        action: [
          'List the cases with `GET /v0/paymentExceptions`.',
          'Do what the table of [payment exceptions](docs/payments.md#payment-exceptions) says for its kind and status.',
        ],
      },
    ],
  },
  reckoner_webhook_attempts_total: {
    kind: 'counter',
    unit: '{attempt}',
    labels: { outcome: ['delivered', 'failed'] },
    help: 'Attempts to deliver webhooks by their outcome: delivered, failed.',
    watches: [],
  },
  reckoner_webhook_attempt_duration_seconds: {
    kind: 'histogram',
    unit: 's',
    labels: {},
    help: 'Seconds that an attempt to deliver a webhook took.',
    watches: [],
  },
  reckoner_webhook_deliveries_pending: {
    kind: 'gauge',
    unit: '{delivery}',
    labels: {},
    help: 'Webhooks that wait for an attempt.',
    watches: [
      {
        alert: 'ReckonerWebhooksWait',
        above: 10_000,
        lasting: '30m',
        urgency: 'today',
        summary: 'More than 10,000 webhooks wait for an attempt.',
        meaning: 'Endpoints fail, or the workers send fewer webhooks than the program makes.',
        action: [
          'If `reckoner_webhook_endpoints` shows failing endpoints, these keep their webhooks until they answer again.',
          'Otherwise start another process with the role `worker`.',
        ],
      },
    ],
  },
  reckoner_webhook_endpoints: {
    kind: 'gauge',
    unit: '{endpoint}',
    labels: { state: ['failing', 'disabled'] },
    help: 'Webhook endpoints that fail, and endpoints that were disabled after failures.',
    watches: [
      {
        alert: 'ReckonerWebhookEndpointsFail',
        above: 0,
        lasting: '2h',
        urgency: 'this week',
        summary: 'A webhook endpoint of a merchant fails or was disabled after failures.',
        meaning: 'A system of a merchant does not hear of its invoices and payments.',
        action: [
          'The merchant sees its endpoints and the last errors in the console, and in `GET /v0/webhookEndpoints`.',
          'After the correction, the merchant enables the endpoint again ([webhooks](docs/webhooks.md)).',
        ],
      },
    ],
  },
  reckoner_database_away: {
    kind: 'gauge',
    unit: '{database}',
    labels: {},
    help: '1 if the database could not be reached, otherwise 0.',
    watches: [
      {
        alert: 'ReckonerDatabaseAway',
        above: 0,
        lasting: '1m',
        urgency: 'now',
        summary: 'The program cannot reach its database.',
        meaning: 'Every request that needs the database gets 503. Background jobs wait. No acknowledged data is lost.',
        action: [
          'Look at PostgreSQL: does it run, does it accept connections, is its disk full?',
          'The program connects again by itself. It needs no restart.',
        ],
      },
      {
        alert: 'ReckonerMissing',
        value: 'absent(reckoner_database_away)',
        above: 0,
        lasting: '5m',
        urgency: 'now',
        summary: 'No process of Reckoner sends metrics.',
        meaning: 'The program is stopped, or the monitoring cannot reach its metrics.',
        action: [
          'Ask `/healthz` and `/readyz` of each process.',
          'If they answer 200, correct the address of the metrics in the monitoring.',
        ],
      },
    ],
  },
  reckoner_reports_total: {
    kind: 'counter',
    unit: '{report}',
    labels: { outcome: ['standby', 'old', 'away', 'conflict', 'failed', 'paused', 'missing'] },
    help:
      'Reports, by who answered: the standby, or the primary because the standby was too old, out of reach, stopped ' +
      'by a conflict with recovery, failed otherwise, failed a moment ago (paused), or did not find a resource.',
    watches: [
      {
        alert: 'ReckonerStandbyUnused',
        value:
          'sum by (environment) (rate(reckoner_reports_total{outcome!~"standby|missing"}[15m])) / ' +
          'sum by (environment) (rate(reckoner_reports_total[15m]))',
        above: 0.5,
        lasting: '15m',
        urgency: 'this week',
        summary: 'The primary answers most reports, because the standby does not.',
        meaning: 'Reports have the data of now, and their load is on the primary. No request fails for it.',
        action: [
          'The log line `reports are read from the primary` has the reason. `npm run doctor` asks the standby.',
          'For `old`, look at the replication: `pg_stat_replication` on the primary. Or raise `READ_MAX_AGE`.',
          'For `conflict`, raise `max_standby_streaming_delay` on the standby.',
        ],
      },
    ],
  },
  reckoner_database_connections: {
    kind: 'gauge',
    unit: '{connection}',
    labels: { state: ['used', 'idle', 'waited_for'] },
    help: 'Connections for requests: in use, idle, and callers that wait for one (waited_for).',
    watches: [
      {
        alert: 'ReckonerConnectionsWaitedFor',
        value: 'max by (environment, instance) (reckoner_database_connections{state="waited_for"})',
        above: 0,
        lasting: '10m',
        urgency: 'today',
        summary: 'Requests wait for a connection to the database.',
        meaning: 'All connections of a process are in use. Requests are slower, and after 5 seconds they get 503.',
        action: [
          'Look for slow statements and locks in `pg_stat_activity`.',
          'If the database has capacity left, add a process ([scaling](docs/scaling.md)).',
        ],
      },
    ],
  },
  nodejs_eventloop_delay_seconds: {
    kind: 'gauge',
    unit: 's',
    labels: { quantile: ['0.5', '0.99', '1'] },
    help: 'The delay of the event loop since the last reading, by quantile.',
    watches: [
      {
        alert: 'ReckonerEventLoopLate',
        value: 'max by (environment, instance) (nodejs_eventloop_delay_seconds{quantile="0.99"})',
        above: 0.5,
        lasting: '10m',
        urgency: 'today',
        summary: 'The event loop of a process is late by more than half a second.',
        meaning:
          'Every request to this process waits that long. It computes too much, or gets too little processor time.',
        action: [
          'Compare its processor time with the limit of its container.',
          'Add processes, or give the worker a process of its own with `RECKONER_ROLES`.',
        ],
      },
    ],
  },
  process_cpu_seconds_total: {
    kind: 'counter',
    unit: 's',
    labels: {},
    help: 'Processor time used.',
    watches: [],
  },
  process_memory_bytes: {
    kind: 'gauge',
    unit: 'By',
    labels: { part: ['rss', 'heapUsed', 'heapTotal', 'external'] },
    help: 'Memory of the process.',
    watches: [],
  },
  reckoner_otlp_dropped_spans_total: {
    kind: 'counter',
    unit: '{span}',
    labels: {},
    help: 'Spans that were dropped because the OTLP receiver did not take them in time.',
    watches: [],
  },
} as const satisfies Readonly<Record<string, MetricEntry>>;

export type MetricName = keyof typeof METRICS;

/** The entry of a metric, with the type that all entries share. */
export const metricEntry = (name: MetricName): MetricEntry => METRICS[name];
