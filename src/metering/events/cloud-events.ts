import { JSON_SUFFIX_TYPE } from '../../http/index.ts';
import { type FieldError, invalid, ok, type Result } from '../../kernel/result.ts';

/** CloudEvents 1.0.2 with their JSON format and HTTP binding: https://github.com/cloudevents/spec. */
export const STRUCTURED_TYPE = 'application/cloudevents+json';
export const BATCH_TYPE = 'application/cloudevents-batch+json';

/** Of a request, as Node gives them. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The forms in which events come: in our own fields, or as CloudEvents in one of the three content modes. */
export type EventForm = 'own' | 'structured' | 'batch' | 'binary';

const ATTRIBUTE_HEADER = /^ce-([a-z0-9]+)$/;
const REQUIRED = ['id', 'source', 'specversion', 'type'] as const;
const REQUIRED_HEADERS = REQUIRED.map((name) => `ce-${name}`);
const UTF8_PARAMETER = /^(?:; ?charset="?utf-8"?)?$/i;
const JSON_TYPE = /^[\w.+-]+\/(?:json|[\w.+-]+\+json)[ \t]*(?:;|$)/i;
const PRINTABLE = /^[\x20-\x7e]*$/;

/**
 * The form of a request. Its content type decides; only without one of CloudEvents a header of a required attribute
 * makes it binary (the structured modes may repeat attributes as headers, which then have no effect).
 * @returns null for a charset that is not UTF-8, and for a JSON type of others without a CloudEvent.
 */
export function formOf(headers: Headers): EventForm | null {
  if (headers['content-type'] === 'application/json') return isBinary(headers) ? 'binary' : 'own'; // almost all
  const contentType = String(headers['content-type'] ?? '');
  const [type = ''] = contentType.split(';');
  const isUtf8 = UTF8_PARAMETER.test(contentType.slice(type.length).trim());
  const form = { [STRUCTURED_TYPE]: 'structured', [BATCH_TYPE]: 'batch' }[type.trim().toLowerCase()] as
    | 'structured'
    | 'batch'
    | undefined;
  if (!isUtf8) return null;
  if (form !== undefined) return form;
  if (isBinary(headers)) return 'binary';
  return JSON_SUFFIX_TYPE.test(type.trim()) ? null : 'own';
}

const isBinary = (headers: Headers): boolean => REQUIRED_HEADERS.some((name) => headers[name] !== undefined);

/**
 * The CloudEvent of binary mode: its attributes are headers, its data is the body. A header's value is unquoted and
 * then decoded once, as UTF-8 behind percent signs (HTTP binding, 3.1.3.2).
 */
export function fromHeaders(headers: Headers, data: unknown): Result<Readonly<Record<string, unknown>>> {
  const errors: FieldError[] = [];
  const attributes: [string, unknown][] = [];
  for (const [header, value] of Object.entries(headers)) {
    const name = ATTRIBUTE_HEADER.exec(header)?.[1];
    if (name === undefined || value === undefined) continue;
    const text = decodeValue(String(value));
    if (name === 'data') errors.push({ field: header, message: 'is not an attribute: data is the body' });
    else if (name === 'datacontenttype') errors.push({ field: header, message: 'is what Content-Type says' });
    else if (text === null)
      errors.push({ field: name, message: 'must be printable ASCII, with UTF-8 percent-encoded (% is %25)' });
    else attributes.push([name, text]);
  }
  return errors.length > 0 ? invalid(errors) : ok({ ...Object.fromEntries(attributes), data });
}

function decodeValue(value: string): string | null {
  if (!PRINTABLE.test(value)) return null;
  const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(value)?.[1];
  try {
    return decodeURIComponent(quoted === undefined ? value : quoted.replaceAll(/\\(.)/g, '$1'));
  } catch {
    return null; // a % that begins no byte, or bytes that are no UTF-8
  }
}

/** The names of our fields in a CloudEvent; all others have the same name in both. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  idempotencyKey: 'id',
  timestamp: 'time',
  externalSubject: 'externalsubject',
  externalId: 'externalid',
};
const OWN_FIELDS = ['type', 'source', 'subject', 'namespace', ...Object.keys(ATTRIBUTES)];

/** The attribute of our field in a CloudEvent, for the paths of faults. */
export const attributeOf = (field: string): string => ATTRIBUTES[field] ?? field;

/**
 * A CloudEvent in our own fields, still to be checked like any event, and what is wrong with it as a CloudEvent.
 * Attributes that say nothing to us are accepted and not kept; one that is null counts as not sent (JSON format, 2.2).
 */
export function fromCloudEvent(event: Readonly<Record<string, unknown>>): {
  event: Record<string, unknown>;
  errors: FieldError[];
} {
  const own: Record<string, unknown> = {};
  for (const field of OWN_FIELDS) {
    const value = event[attributeOf(field)];
    if (value !== undefined && value !== null) own[field] = value;
  }
  if (event.data !== undefined && event.data !== null) own.data = event.data;
  return { event: own, errors: problemsOf(event) };
}

/** `source` and `type` are required of every event, and are not looked at here. */
function problemsOf(event: Readonly<Record<string, unknown>>): FieldError[] {
  const { id, specversion, datacontenttype, data } = event;
  const errors: FieldError[] = [];
  if (id === undefined || id === null) errors.push({ field: 'id', message: 'is required' });
  if (specversion !== '1.0')
    errors.push({ field: 'specversion', message: specversion === undefined ? 'is required' : 'must be 1.0' });
  if (event.data_base64 !== undefined && event.data_base64 !== null)
    errors.push({ field: 'data_base64', message: 'is not taken: usage is read from JSON in data' });
  if (
    datacontenttype !== undefined &&
    datacontenttype !== null &&
    data !== undefined &&
    data !== null &&
    (typeof datacontenttype !== 'string' || !JSON_TYPE.test(datacontenttype))
  )
    errors.push({ field: 'datacontenttype', message: 'must be a JSON type: usage is read from JSON in data' });
  for (const [field, attribute] of Object.entries(ATTRIBUTES))
    if (Object.hasOwn(event, field) && /[A-Z]/.test(field))
      errors.push({ field, message: `is ${attribute} in a CloudEvent` });
  return errors;
}
