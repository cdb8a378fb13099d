import { validate } from '../http/index.ts';
import { isRawNumber } from '../kernel/decimal.ts';
import { randomBase62 } from '../kernel/ids.ts';
import { type FieldError, invalid, ok, type Result } from '../kernel/result.ts';
import { type Instant, parseInstant } from '../kernel/time.ts';
import { attributeOf, fromCloudEvent } from './cloud-events.ts';
import { contentProblems } from './content.ts';
import type { IncomingEvent } from './incoming-event.ts';
import { EventCreate, MOST_EVENTS } from './schemas.ts';

const MOST_ERRORS = 1_000;
const HEADER_KEY = /^[\x20-\x7e]{1,255}$/;

/** What stands for a field that an event leaves out. */
export interface EventDefaults {
  /** §4, rule 5: the caller's organization. */
  readonly namespace: string;
  /** §4, rule 6: server time. */
  readonly now: Instant;
  /** The `Idempotency-Key` header; for a single event only. */
  readonly headerKey: string | undefined;
}

/**
 * Reads the body of POST /v0/events: one event, or an array of them, checked one by one, so that each failing field is
 * named (`3.type`; the first 1,000 of them) and a union of two forms does not blur what is wrong.
 */
export function readBatch(body: unknown, defaults: EventDefaults): Result<IncomingEvent[]> {
  if (Array.isArray(body))
    return readAll(body, eventErrors, (event: EventCreate) => complete(event, defaults, undefined));
  const key = isObject(body) && 'idempotencyKey' in body ? undefined : defaults.headerKey;
  const errors = eventErrors(body);
  if (key !== undefined && !HEADER_KEY.test(key))
    errors.push({ field: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters' });
  return errors.length > 0 ? invalid(errors) : ok([complete(body as EventCreate, defaults, key)]);
}

/** Reads one CloudEvent, or an array of them, as `readBatch` does events; an `id` counts within its `source`. */
export function readCloudEvents(body: unknown, defaults: EventDefaults): Result<IncomingEvent[]> {
  const completed = (event: Record<string, unknown>): IncomingEvent => {
    const own = complete(fromCloudEvent(event).event as EventCreate, defaults, undefined);
    return { ...own, keySource: own.source };
  };
  if (Array.isArray(body)) return readAll(body, cloudEventErrors, completed);
  const errors = cloudEventErrors(body);
  return errors.length > 0 ? invalid(errors) : ok([completed(body as Record<string, unknown>)]);
}

/** Reads the events of an array, all or none. */
function readAll<Sent>(
  body: readonly Sent[],
  errorsOf: (event: unknown) => FieldError[],
  completed: (event: Sent) => IncomingEvent,
): Result<IncomingEvent[]> {
  if (body.length > MOST_EVENTS)
    return invalid([{ field: '', message: `must hold at most ${MOST_EVENTS} events`, code: 'TOO_MANY_EVENTS' }]);
  const errors: FieldError[] = [];
  let errorCount = 0;
  for (const [index, event] of body.entries()) {
    const found = errorsOf(event);
    errorCount += found.length;
    for (const error of found)
      if (errors.length < MOST_ERRORS)
        errors.push({ ...error, field: error.field === '' ? `${index}` : `${index}.${error.field}` });
  }
  if (errorCount > 0) return invalid(errors, errorCount);
  return ok(body.map(completed));
}

/** Every failing field of one event; a field that fails its schema is not looked at a second time. */
function eventErrors(event: unknown): FieldError[] {
  if (!isObject(event)) return [{ field: '', message: 'must be an object' }];
  const errors = validate('body', EventCreate, event);
  if (event.subject === undefined && event.externalSubject === undefined)
    errors.push({ field: 'subject', message: 'is required unless externalSubject is given' });
  if (event.data !== undefined && !isObject(event.data)) {
    if (!errors.some(({ field }) => field === 'data')) errors.push({ field: 'data', message: 'must be an object' });
    return errors;
  }
  return [...errors, ...contentProblems(event)];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);

/** Every failing attribute of one CloudEvent, by its own name. */
function cloudEventErrors(sent: unknown): FieldError[] {
  if (!isObject(sent)) return [{ field: '', message: 'must be an object' }];
  const { event, errors } = fromCloudEvent(sent);
  const known = new Set(errors.map(({ field }) => field));
  const more = eventErrors(event).map((error) => ({
    ...error,
    field: attributeOf(error.field),
    message: error.message.replace('externalSubject', 'externalsubject'),
  }));
  return [...errors, ...more.filter(({ field }) => !known.has(field))];
}

function complete(event: EventCreate, defaults: EventDefaults, headerKey: string | undefined): IncomingEvent {
  const sent = event.timestamp === undefined ? null : parseInstant(event.timestamp);
  return {
    merchantId: event.namespace ?? defaults.namespace,
    type: event.type,
    source: event.source,
    subject: event.subject ?? null,
    externalSubject: event.externalSubject ?? null,
    externalId: event.externalId ?? null,
    at: sent ?? defaults.now,
    isTimeSent: sent !== null,
    idempotencyKey: event.idempotencyKey ?? headerKey ?? randomBase62(22), // §4, rule 7
    data: event.data ?? {},
  };
}

/** The namespaces that a body names, before it is checked: whether the caller may use them is decided first. */
export const namedNamespaces = (body: unknown): string[] => [
  ...new Set(
    (Array.isArray(body) ? body : [body])
      .map((event) => (isObject(event) ? event.namespace : undefined))
      .filter((namespace) => typeof namespace === 'string'),
  ),
];
