import { type BufferOptions, EventBuffer } from './buffer.ts';
import { type CallOptions, type CallSettings, send } from './call.ts';
import { OPERATIONS } from './generated/operations.ts';
import type { Resources } from './generated/resources.ts';
import type { EventCreate } from './generated/types.ts';
import { List } from './list.ts';
import { type Attach, type Attached, attach, type Check, type Checked, Checker } from './verbs.ts';

/** What a client is made with. */
export interface ReckonerOptions {
  /** The key of a user. Default: the environment's `RECKONER_API_KEY`. */
  readonly apiKey?: string | undefined;
  /** The address of the environment. Default: the environment's `RECKONER_URL`, else `http://localhost:4401`. */
  readonly baseUrl?: string | undefined;
  /** For each attempt of a call. Default: 60,000. */
  readonly timeoutMilliseconds?: number | undefined;
  /** Attempts after the first one. Default: 3. */
  readonly retries?: number | undefined;
  /** Another implementation of `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** How events of `track` are buffered. */
  readonly buffer?: BufferOptions | undefined;
  /** How long `check` may answer from memory, in milliseconds. Default: 10,000. */
  readonly checkMilliseconds?: number | undefined;
}

const DEFAULT_URL = 'http://localhost:4401';

const environment = (name: string): string | undefined =>
  (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env?.[name];

type Method = (...taken: unknown[]) => unknown;

export interface Reckoner extends Resources {}

/**
 * A client of one environment of Reckoner: `reckoner.invoices.refund(id)`. Each method is one operation of the API, and
 * takes the ids of its path, then its body or its query, then `CallOptions`.
 */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor makes each method of the table
export class Reckoner {
  readonly #settings: CallSettings;
  readonly #options: ReckonerOptions;
  #buffer: EventBuffer | undefined;
  readonly #checker: Checker;

  constructor(options: ReckonerOptions = {}) {
    this.#options = options;
    this.#settings = {
      apiKey: options.apiKey ?? environment('RECKONER_API_KEY') ?? '',
      baseUrl: (options.baseUrl ?? environment('RECKONER_URL') ?? DEFAULT_URL).replace(/\/+$/, ''),
      timeoutMilliseconds: options.timeoutMilliseconds ?? 60_000,
      retries: options.retries ?? 3,
      fetch: options.fetch ?? ((...taken) => globalThis.fetch(...taken)),
    };
    for (const [resource, methods] of Object.entries(OPERATIONS)) {
      const made = Object.fromEntries(Object.entries(methods).map(([name, address]) => [name, this.#method(address)]));
      Object.assign(this, resource === '' ? made : { [resource]: made });
    }
    this.#checker = new Checker(this, options.checkMilliseconds ?? 10_000);
  }

  /** A call of an operation by hand, such as one that this version does not know. */
  request(method: string, path: string, body?: unknown, options?: CallOptions): Promise<unknown> {
    return send(this.#settings, { method, path, body }, options);
  }

  /** May this customer use this feature, and why not? Answers from memory for a while, and asks the server then. */
  check(check: Check): Promise<Checked> {
    return this.#checker.check(check);
  }

  /** Reports usage by the buffer, which sends batches. @returns when there is room for the next event */
  track(event: EventCreate): Promise<void> {
    return this.buffer.track(event);
  }

  /** Puts a customer on a plan: a new subscription, or the change of the one it has. */
  async attach(wish: Attach, options?: CallOptions): Promise<Attached> {
    const attached = await attach(this, wish, options);
    this.#checker.forget(attached.subscription.customerId, wish.externalCustomerId);
    return attached;
  }

  /** The buffer of `track`. `flush` it before the program ends. */
  get buffer(): EventBuffer {
    this.#buffer ??= new EventBuffer(
      (body, options) => send(this.#settings, { method: 'POST', path: '/v0/events', body, isWritten: true }, options),
      this.#options.buffer,
    );
    return this.#buffer;
  }

  #method(address: string): Method {
    const [method = '', template = '', flags = ''] = address.split(' ');
    const ids = template.split('{').length - 1;
    const call = (taken: readonly unknown[], more: Readonly<Record<string, unknown>>): Promise<unknown> => {
      let next = ids;
      const body = flags.includes('b') ? taken[next++] : undefined;
      const query = flags.includes('q') ? (taken[next++] as object | undefined) : undefined;
      let at = 0;
      const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => segment(taken[at++], name));
      const request = { method, path: path + queryText({ ...query, ...more }), body, isFile: flags.includes('f') };
      return send(this.#settings, request, taken[next] as CallOptions | undefined);
    };
    if (!flags.includes('l')) return (...taken) => call(taken, {});
    return (...taken) => new List((more) => call(taken, more), taken[ids] as { limit?: number } | undefined);
  }
}

/** An id in a path. An absent one, or dots that lead elsewhere, would name another operation. */
function segment(id: unknown, name: string): string {
  if (typeof id !== 'string' || ['', '.', '..'].includes(id))
    throw new TypeError(`${name} is the id of a resource, not ${JSON.stringify(id)}.`);
  return encodeURIComponent(id);
}

function queryText(query: object): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== null) parameters.append(name, String(value));
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
