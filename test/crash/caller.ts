import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Answer, Client } from '../support/environment.ts';

/** What callers saw so far. */
export interface Asked {
  /** The number of answers of each status. */
  readonly answers: Map<number, number>;
  /** When each success came, on the clock of `performance`. */
  readonly times: number[];
}

const PAUSE_MILLISECONDS = 25;
const PATIENCE_MILLISECONDS = 60_000;

/**
 * A client that sends each call again, with the same key, until it is no 503 any more. A PATCH has no key, and is sent
 * once.
 */
export function openCaller(server: FastifyInstance, apiKey: string, asked: Asked): Client {
  type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  const once = async (method: Method, url: string, body: unknown, headers: object): Promise<Answer> => {
    const reply = await server.inject({
      method,
      url,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
    const isJson = String(reply.headers['content-type'] ?? '').startsWith('application/json');
    return {
      status: reply.statusCode,
      body: isJson && reply.payload !== '' ? JSON.parse(reply.payload) : reply.payload,
      headers: reply.headers,
      text: reply.payload,
      bytes: reply.rawPayload,
    };
  };
  const call = async (method: Method, url: string, body?: unknown, headers: object = {}): Promise<Answer> => {
    const giveUp = performance.now() + PATIENCE_MILLISECONDS;
    for (;;) {
      const answer = await once(method, url, body, headers);
      const isWaiting = answer.body?.code === 'IDEMPOTENCY_IN_PROGRESS';
      if (!isWaiting) asked.answers.set(answer.status, (asked.answers.get(answer.status) ?? 0) + 1);
      if (answer.status < 300) asked.times.push(performance.now());
      const isFinal = method === 'PATCH' || (answer.status !== 503 && !isWaiting);
      if (isFinal || performance.now() > giveUp) return answer;
      await sleep(PAUSE_MILLISECONDS);
    }
  };
  return {
    key: apiKey,
    get: (path, headers) => call('GET', path, undefined, headers),
    post: (path, body, headers) => call('POST', path, body, { 'idempotency-key': randomUUID(), ...headers }),
    put: (path, body, headers) => call('PUT', path, body, headers),
    patch: (path, body, headers) => call('PATCH', path, body, headers),
    delete: (path, body, headers) => call('DELETE', path, body, headers),
  };
}
