import { parseExactly } from '../../../sdk/src/exact.ts';
import type { FieldError } from './errors.ts';
import { ApiError, ConnectionLost } from './errors.ts';
import type { Operations } from './types.ts';

/** An operation of the API by its method and path: `GET /v2/invoices/{id}`. */
export type Operation = keyof Operations;
export type Reply<O extends Operation> = Operations[O]['reply'];
export type Query<O extends Operation> = Operations[O]['query'];

type NamesIn<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

export interface Call<O extends Operation> {
  readonly path?: Readonly<Record<NamesIn<O>, string>>;
  readonly query?: Query<O>;
  readonly body?: Operations[O]['body'];
  /** With the same key a second call changes nothing and has the answer of the first. */
  readonly idempotencyKey?: string;
  /** The state that the person has seen: another one is not changed. */
  readonly ifMatch?: string | undefined;
  /** The form of the answer, where an operation has another one than JSON. */
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

export interface Answer<T> {
  readonly value: T;
  readonly etag: string | undefined;
}

const BASE = '/console/api';

/** The merchant in the address bar; each call names it, so that two tabs can show two merchants. */
let merchantInUse: string | null = null;
export const useMerchantInCalls = (merchantId: string | null): void => {
  merchantInUse = merchantId;
};

const queryText = (query: object): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null && value !== '') parameters.append(name, String(value));
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
};

/** The address of an operation below the console. */
export function addressOf<O extends Operation>(operation: O, { path, query }: Call<O>): string {
  const [, template = ''] = operation.split(' ');
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent((path as Record<string, string> | undefined)?.[name] ?? ''),
  );
  return `${BASE}${filled}${queryText(query ?? {})}`;
}

type Sent = Omit<Call<Operation>, 'path' | 'query'>;

/** Calls the console's server; a file is sent as it is. @throws ConnectionLost where no answer comes */
async function responseTo(method: string, address: string, options: Sent): Promise<Response> {
  const { idempotencyKey, ifMatch, accept, signal } = options;
  const body: unknown = options.body;
  const isFile = body instanceof Blob;
  try {
    return await fetch(address, {
      method,
      credentials: 'same-origin',
      headers: {
        'x-reckoner-console': '1',
        ...(merchantInUse !== null && { 'x-reckoner-merchant': merchantInUse }),
        ...(body !== undefined && { 'content-type': isFile ? body.type : 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
        ...(accept !== undefined && { accept }),
      },
      ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ConnectionLost();
  }
}

/** Calls the console's server. @throws ApiError for a refusal, ConnectionLost where no answer comes. */
export async function request(method: string, address: string, options: Sent = {}): Promise<Answer<unknown>> {
  const response = await responseTo(method, address, options);
  const text = await response.text();
  const value: unknown = text === '' ? null : parse(text);
  if (!response.ok) throw refusalOf(response, value);
  return { value, etag: response.headers.get('etag') ?? undefined };
}

/** Reads a file, to be shown as an image; null: there is none. @throws ConnectionLost where no answer comes */
export async function fileAt(address: string): Promise<Blob | null> {
  const response = await responseTo('GET', address, {});
  return response.ok ? response.blob() : null;
}

/** Reads the answer of an operation as a PDF. @throws ApiError for a refusal, ConnectionLost where no answer comes */
export async function pdfOf<O extends Operation>(operation: O, options: Call<O>): Promise<Blob> {
  const response = await responseTo('GET', addressOf(operation, options), { accept: 'application/pdf' });
  if (!response.ok) throw refusalOf(response, parse(await response.text()));
  return response.blob();
}

function parse(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return null;
  }
}

interface Refusal {
  readonly message?: string;
  readonly code?: string;
  readonly details?: { readonly field?: string; readonly [name: string]: unknown };
  readonly errors?: readonly FieldError[];
}

function refusalOf(response: Response, value: unknown): ApiError {
  const { message, code, details = {}, errors } = (value ?? {}) as Refusal;
  const said = message ?? `The server answered ${response.status}.`;
  const fields = errors ?? (details.field === undefined ? [] : [{ field: details.field, message: said }]);
  return new ApiError(response.status, code ?? null, said, fields, details, response.headers.get('x-request-id'));
}

/** Calls an operation of the API as the person who is signed in. */
export async function call<O extends Operation>(operation: O, options: Call<O> = {}): Promise<Reply<O>> {
  return (await callWithTag(operation, options)).value;
}

/** The same with the tag of the state (`If-Match`). */
export async function callWithTag<O extends Operation>(operation: O, options: Call<O> = {}): Promise<Answer<Reply<O>>> {
  const [method = 'GET'] = operation.split(' ');
  const { path: _path, query: _query, ...sent } = options;
  return (await request(method, addressOf(operation, options), sent as never)) as Answer<Reply<O>>;
}
