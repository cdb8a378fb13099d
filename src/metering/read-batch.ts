import { validate } from '../http/index.ts';
import { isRawNumber } from '../kernel/decimal.ts';
import { randomBase62 } from '../kernel/ids.ts';
import { type FieldError, invalid, ok, type Result } from '../kernel/result.ts';
import { formatInstant, type Instant, rewriteInstant } from '../kernel/time.ts';
import { attributeOf, fromCloudEvent } from './cloud-events.ts';
import { canonicalText, contentProblems } from './content.ts';
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
  if (Array.isArray(body)) return readAll(body, (event) => readEvent(event, defaults, undefined));
  const key = isObject(body) && 'idempotencyKey' in body ? undefined : defaults.headerKey;
  const read = readEvent(body, defaults, key);
  const keyErrors =
    key === undefined || HEADER_KEY.test(key)
      ? []
      : [{ field: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters' }];
  if (!Array.isArray(read) && keyErrors.length === 0) return ok([read]);
  return invalid([...(Array.isArray(read) ? read : []), ...keyErrors]);
}

/** Reads one CloudEvent, or an array of them, as `readBatch` does events; an `id` counts within its `source`. */
export function readCloudEvents(body: unknown, defaults: EventDefaults): Result<IncomingEvent[]> {
  if (Array.isArray(body)) return readAll(body, (event) => readCloudEvent(event, defaults));
  const read = readCloudEvent(body, defaults);
  return Array.isArray(read) ? invalid(read) : ok([read]);
}

/** Reads the events of an array, all or none. */
function readAll(
  body: readonly unknown[],
  readOne: (event: unknown) => IncomingEvent | FieldError[],
): Result<IncomingEvent[]> {
  if (body.length > MOST_EVENTS)
    return invalid([{ field: '', message: `must hold at most ${MOST_EVENTS} events`, code: 'TOO_MANY_EVENTS' }]);
  const events: IncomingEvent[] = [];
  const errors: FieldError[] = [];
  let errorCount = 0;
  for (const [index, event] of body.entries()) {
    const read = readOne(event);
    if (!Array.isArray(read)) {
      events.push(read);
      continue;
    }
    errorCount += read.length;
    for (const error of read)
      if (errors.length < MOST_ERRORS)
        errors.push({ ...error, field: error.field === '' ? `${index}` : `${index}.${error.field}` });
  }
  return errorCount > 0 ? invalid(errors, errorCount) : ok(events);
}

/** One event, or every failing field of it; a field that fails its schema is not looked at a second time. */
function readEvent(
  event: unknown,
  defaults: EventDefaults,
  headerKey: string | undefined,
): IncomingEvent | FieldError[] {
  if (!isObject(event)) return [{ field: '', message: 'must be an object' }];
  const errors = validate('body', EventCreate, event);
  if (event.subject === undefined && event.externalSubject === undefined)
    errors.push({ field: 'subject', message: 'is required unless externalSubject is given' });
  if (event.data !== undefined && !isObject(event.data)) {
    if (!errors.some(({ field }) => field === 'data')) errors.push({ field: 'data', message: 'must be an object' });
    return errors;
  }
  const data = canonicalText(event.data ?? {});
  if (data === null) errors.push(...contentProblems(event));
  return data === null || errors.length > 0 ? errors : complete(event as EventCreate, data, defaults, headerKey);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);

/** One CloudEvent in our own fields, or every failing attribute of it by its own name. */
function readCloudEvent(sent: unknown, defaults: EventDefaults): IncomingEvent | FieldError[] {
  if (!isObject(sent)) return [{ field: '', message: 'must be an object' }];
  const { event, errors } = fromCloudEvent(sent);
  const read = readEvent(event, defaults, undefined);
  if (!Array.isArray(read) && errors.length === 0) return { ...read, keySource: read.source };
  const known = new Set(errors.map(({ field }) => field));
  const more = (Array.isArray(read) ? read : []).map((error) => ({
    ...error,
    field: attributeOf(error.field),
    message: error.message.replace('externalSubject', 'externalsubject'),
  }));
  return [...errors, ...more.filter(({ field }) => !known.has(field))];
}

function complete(
  event: EventCreate,
  data: string,
  defaults: EventDefaults,
  headerKey: string | undefined,
): IncomingEvent {
  const sent = event.timestamp === undefined ? null : rewriteInstant(event.timestamp);
  return {
    merchantId: event.namespace ?? defaults.namespace,
    type: event.type,
    source: event.source,
    subject: event.subject ?? null,
    externalSubject: event.externalSubject ?? null,
    externalId: event.externalId ?? null,
    at: sent ?? formatInstant(defaults.now),
    isTimeSent: sent !== null,
    idempotencyKey: event.idempotencyKey ?? headerKey ?? randomBase62(22), // §4, rule 7
    data,
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
