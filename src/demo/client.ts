/** Asks a server without a network: what `inject` of a Fastify instance is to us. */
export interface Injector {
  inject(request: {
    method: 'GET' | 'POST' | 'PUT' | 'PATCH';
    url: string;
    headers: Record<string, string>;
    payload?: string;
  }): Promise<{ statusCode: number; payload: string }>;
}

/** An answer as it came. The demo reads ids, totals and states from it, nothing more. */
// biome-ignore lint/suspicious/noExplicitAny: resources of every kind
export type Resource = any;

/** Calls the API with one key, as anybody could from outside. An answer that is no success is a fault. */
export interface Client {
  get(path: string): Promise<Resource>;
  patch(path: string, body: unknown): Promise<Resource>;
  put(path: string, body: unknown): Promise<Resource>;
  /** Under `name` as the `Idempotency-Key`: asked again with the same body, it does nothing and answers the same. */
  once(name: string, path: string, body?: unknown): Promise<Resource>;
}

/** A client of a server in this process. Once `signal` is aborted it asks nothing more. */
export function clientOf(server: Injector, key: string, signal?: AbortSignal): Client {
  const call = async (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH',
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Resource> => {
    signal?.throwIfAborted();
    const { statusCode, payload } = await server.inject({
      method,
      url,
      headers: {
        authorization: `Bearer ${key}`,
        ...headers,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    if (statusCode >= 300) throw new Error(`${method} ${url} answered ${statusCode}: ${payload}`);
    return JSON.parse(payload);
  };
  return {
    get: (path) => call('GET', path),
    patch: (path, body) => call('PATCH', path, body),
    put: (path, body) => call('PUT', path, body),
    once: (name, path, body) => call('POST', path, body, { 'idempotency-key': `demo ${name}` }),
  };
}
