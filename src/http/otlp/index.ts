import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type { TransactionReport } from '../../db/index.ts';
import type { RequestTracer } from '../edge.ts';
import type { MetricReading, StepMeasure } from '../metrics/metrics.ts';
import type { Attributes, Span } from './encoding.ts';
import { Exporter, type ExporterOptions } from './exporter.ts';

export interface TelemetryOptions extends ExporterOptions {
  /** The share of traces that is sent, 0 to 1. */
  readonly share: number;
  /** From 0 to 1, to choose traces. */
  readonly chance: () => number;
}

/** The span that the running work belongs to. */
interface Scope {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly isSent: boolean;
  /** Spans of a step that has no report yet: one that finds nothing to do has none. */
  waiting: Span[] | null;
}

type Ended = Pick<Span, 'name' | 'kind' | 'seconds' | 'isError'> & { readonly attributes: Attributes };

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
const SAMPLED = 1;

/** The traces of this process: requests, steps, and their transactions. It also sends the metrics. */
export class Telemetry {
  readonly #options: TelemetryOptions;
  readonly #exporter: Exporter;
  readonly #running = new AsyncLocalStorage<Scope>();
  readonly #requests = new WeakMap<object, Scope>();

  constructor(options: TelemetryOptions) {
    this.#options = options;
    this.#exporter = new Exporter(options);
  }

  /** The spans of requests, as the server tells of them. */
  readonly tracer: RequestTracer = {
    begin: (request, traceparent, next) => {
      const scope = this.#scopeOf(traceparent);
      this.#requests.set(request, scope);
      this.#running.run(scope, next);
    },
    resume: (request, next) => {
      const scope = this.#requests.get(request);
      if (scope) this.#running.run(scope, next);
      else next();
    },
    end: (request, { method, route, status, requestId, seconds }) => {
      const scope = this.#requests.get(request);
      if (!scope) return;
      this.#add(scope, scope.spanId, scope.parentSpanId, {
        ...{ name: `${method} ${route}`, kind: 'server', seconds, isError: status >= 500 },
        attributes: {
          ...{ 'http.request.method': method, 'http.route': route, 'http.response.status_code': status },
          'reckoner.request_id': requestId,
        },
      });
    },
  };

  /** Runs the steps of one transaction of background work: what they do belongs to one span. */
  readonly within = <T>(work: () => Promise<T>): Promise<T> =>
    this.#running.run({ ...this.#scopeOf(undefined), waiting: [] }, work);

  /** Steps have ended. */
  readonly step = ({ kind, outcome, records, seconds }: StepMeasure): void => {
    const scope = this.#running.getStore();
    if (!scope?.waiting) return;
    const { waiting } = scope;
    scope.waiting = null;
    this.#add(scope, scope.spanId, undefined, {
      ...{ name: `step ${kind}`, kind: 'internal', seconds: seconds * records, isError: outcome !== 'done' },
      attributes: { 'reckoner.kind': kind, 'reckoner.outcome': outcome, 'reckoner.records': records },
    });
    for (const span of waiting) this.#exporter.add(span);
  };

  /** A transaction has ended. One that belongs to no request and no step has no span. */
  readonly transaction = ({ name, outcome, seconds }: TransactionReport): void => {
    const scope = this.#running.getStore();
    if (!scope?.isSent) return;
    this.#add(scope, randomBytes(8).toString('hex'), scope.spanId, {
      ...{ name, kind: 'client', seconds, isError: false },
      attributes: { 'db.system.name': 'postgresql', 'reckoner.outcome': outcome },
    });
  };

  #scopeOf(traceparent: string | undefined): Scope {
    const [, traceId, parentSpanId, flags = ''] = TRACEPARENT.exec(traceparent ?? '') ?? [];
    const ids = randomBytes(24).toString('hex');
    const isSent =
      traceId === undefined
        ? this.#options.chance() < this.#options.share
        : (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
    return { traceId: traceId ?? ids.slice(16), spanId: ids.slice(0, 16), parentSpanId, isSent, waiting: null };
  }

  #add({ traceId, isSent, waiting }: Scope, spanId: string, parentSpanId: string | undefined, ended: Ended): void {
    if (!isSent) return;
    const span = { traceId, spanId, parentSpanId, ...ended, endedAt: this.#options.wallNanoseconds() };
    if (waiting) waiting.push(span);
    else this.#exporter.add(span);
  }

  /** Spans that could not be sent. */
  readonly droppedSpans = (): number => this.#exporter.dropped;

  /** Says how the metrics are read; before this, none are sent. */
  sendMetrics(readings: () => Promise<readonly MetricReading[]>): void {
    this.#exporter.reads(readings);
  }

  /** Sends the last spans and metrics. */
  close(): Promise<void> {
    return this.#exporter.close();
  }
}
