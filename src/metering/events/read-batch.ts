import { type JsonParts, turn, validate } from '../../http/index.ts';
import { randomBase62 } from '../../kernel/ids.ts';
import { isJsonObject } from '../../kernel/json.ts';
import { type FieldError, forbidden, invalid, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant, rewriteInstant } from '../../kernel/time.ts';
import { attributeOf, fromCloudEvent, fromHeaders, type Headers } from './cloud-events.ts';
import { canonicalText, contentProblems } from './content.ts';
import type { IncomingEvent } from './incoming-event.ts';
import { EventCreate, MOST_EVENTS } from './schemas.ts';

const MOST_ERRORS = 1_000;
const HEADER_KEY = /^[\x20-\x7e]{1,255}$/;
/**
 * Characters of events that are read in one turn of the event loop, and as how many each event counts beside its own.
 */
const SLICE = 16 * 1024;
const OVERHEAD = 200;

/** The limits of POST /v0/events (docs/events.md). Data has narrower limits of its own. */
export const BODY_LIMITS = {
  mostParts: MOST_EVENTS,
  mostBytes: 64 * 1024,
  mostValues: 2_000,
  mostValuesInAll: 500_000,
} as const;

/** The defaults of fields that an event leaves out. */
export interface EventDefaults {
  /** §4, rule 5: the caller's organization. */
  readonly namespace: string;
  /** §4, rule 6: server time. */
  readonly now: Instant;
  /** The `Idempotency-Key` header; for a single event only. */
  readonly headerKey: string | undefined;
  /** §4, rule 5: may the namespace be another than the caller's? */
  readonly mayNameAny: boolean;
}

type Read = IncomingEvent | FieldError[];

/** Reads one event, as `readBatch` does. */
export function readOne(event: unknown, defaults: EventDefaults): Result<IncomingEvent> {
  const isKeyed = isJsonObject(event) && 'idempotencyKey' in event;
  const key = isKeyed ? undefined : defaults.headerKey;
  const read = readEvent(event, defaults, key);
  const keyErrors =
    key === undefined || HEADER_KEY.test(key)
      ? []
      : [{ field: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters' }];
  if (!Array.isArray(read) && keyErrors.length === 0) return ok(read);
  return invalid([...(Array.isArray(read) ? read : []), ...keyErrors]);
}

/**
 * Reads the body of POST /v0/events: one event, or an array of them, checked one by one, so that each failing field is
 * named (`3.type`; the first 1,000 of them) and a union of two forms does not blur what is wrong.
 */
export const readBatch = (body: JsonParts | undefined, defaults: EventDefaults): Promise<Result<IncomingEvent[]>> =>
  readAll(body, defaults, (event, isOne) => {
    if (!isOne) return readEvent(event, defaults, undefined);
    const read = readOne(event, defaults);
    return read.ok ? read.value : errorsOf(read);
  });

/** Reads one CloudEvent, or an array of them, as `readBatch` does events; an `id` counts within its `source`. */
export const readCloudEvents = (
  body: JsonParts | undefined,
  defaults: EventDefaults,
): Promise<Result<IncomingEvent[]>> => readAll(body, defaults, (event) => readCloudEvent(event, defaults));

/** Reads the CloudEvent of binary mode, whose data is the body. */
export async function readBinary(
  headers: Headers,
  body: JsonParts | undefined,
  defaults: EventDefaults,
): Promise<Result<IncomingEvent[]>> {
  const problem = body?.isArray === true ? 'must be an object' : (body?.problemOf(0) ?? null);
  if (problem !== null) return invalid([{ field: 'data', message: problem }]);
  const opened = fromHeaders(headers, body?.read(0));
  if (!opened.ok) return opened;
  if (namesAnother(opened.value, defaults)) return FOREIGN;
  const read = readCloudEvent(opened.value, defaults);
  return Array.isArray(read) ? invalid(read) : ok([read]);
}

const FOREIGN = forbidden('Only a platform operator may name the namespace of another organization.');

/** The right to a namespace is checked before everything else of an event. */
const namesAnother = (event: unknown, { namespace, mayNameAny }: EventDefaults): boolean =>
  !mayNameAny && isJsonObject(event) && typeof event.namespace === 'string' && event.namespace !== namespace;

const errorsOf = (result: Result<unknown>): FieldError[] =>
  !result.ok && result.refusal.kind === 'validation' ? result.refusal.errors : [];

/** Reads the events of a body, all or none, some of them at each turn of the event loop. */
async function readAll(
  body: JsonParts | undefined,
  defaults: EventDefaults,
  readPart: (event: unknown, isOne: boolean) => Read,
): Promise<Result<IncomingEvent[]>> {
  if (body === undefined) return readNothing(readPart);
  if (body.length > MOST_EVENTS) {
    const message = `must have at most ${MOST_EVENTS.toLocaleString('en')} events`;
    return invalid([{ field: 'body', message, code: 'TOO_MANY_EVENTS' }]);
  }
  const events: IncomingEvent[] = [];
  const errors: FieldError[] = [];
  let [errorCount, isForeign, size] = [0, false, 0];
  for (let index = 0; index < body.length; index += 1) {
    size += body.sizeOf(index) + OVERHEAD;
    if (size > SLICE) {
      await turn();
      size = 0;
    }
    const problem = body.problemOf(index);
    const event = problem === null ? body.read(index) : undefined;
    isForeign ||= namesAnother(event, defaults);
    const read = problem === null ? readPart(event, !body.isArray) : [{ field: '', message: problem }];
    if (!Array.isArray(read)) {
      events.push(read);
      continue;
    }
    errorCount += read.length;
    for (const error of read)
      if (errors.length < MOST_ERRORS) errors.push({ ...error, field: placeOf(error.field, body.isArray, index) });
  }
  if (isForeign) return FOREIGN;
  return errorCount > 0 ? invalid(errors, errorCount) : ok(events);
}

/** No body is one without fields, so that the required ones are named. */
function readNothing(readPart: (event: unknown, isOne: boolean) => Read): Result<IncomingEvent[]> {
  const read = readPart({}, true);
  return Array.isArray(read) ? invalid(read) : ok([read]);
}

function placeOf(field: string, isArray: boolean, index: number): string {
  if (!isArray) return field === '' ? 'body' : field;
  return field === '' ? `${index}` : `${index}.${field}`;
}

/** One event, or every failing field of it; a field that fails its schema is not looked at a second time. */
function readEvent(
  event: unknown,
  defaults: EventDefaults,
  headerKey: string | undefined,
): IncomingEvent | FieldError[] {
  if (!isJsonObject(event)) return [{ field: '', message: 'must be an object' }];
  const errors = validate('body', EventCreate, event);
  if (event.subject === undefined && event.externalSubject === undefined)
    errors.push({ field: 'subject', message: 'is required unless externalSubject is given' });
  if (event.data !== undefined && !isJsonObject(event.data)) {
    if (!errors.some(({ field }) => field === 'data')) errors.push({ field: 'data', message: 'must be an object' });
    return errors;
  }
  const data = canonicalText(event.data ?? {});
  if (data === null) errors.push(...contentProblems(event));
  return data === null || errors.length > 0 ? errors : complete(event as EventCreate, data, defaults, headerKey);
}

/** One CloudEvent in our own fields, or every failing attribute of it by its own name. */
function readCloudEvent(sent: unknown, defaults: EventDefaults): IncomingEvent | FieldError[] {
  if (!isJsonObject(sent)) return [{ field: '', message: 'must be an object' }];
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
