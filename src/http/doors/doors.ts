import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Authentication } from '../caller.ts';
import { plainUrl } from '../compact.ts';
import { bearerToken, type ServerOptions } from '../edge.ts';

/** The prefix of the web console's own path for every operation. */
const CONSOLE_PATH = '/console/api';
const CONSOLE_OPERATION = /^\/console\/api(?=\/v\d+\/)/;

/** How a request came in: by the path of its operation, by the path without nulls, or by the console's. */
type Door = 'plain' | 'compact' | 'console';

const doors = new WeakMap<IncomingMessage, Door>();

/** The path of the operation that a request names. It remembers how the request came in. */
export function enter(raw: IncomingMessage, hasConsole: boolean): string {
  const url = raw.url ?? '/';
  if (hasConsole && isBelowConsole(url)) {
    doors.set(raw, 'console');
    return url.replace(CONSOLE_OPERATION, '');
  }
  const plain = plainUrl(url);
  if (plain !== url) doors.set(raw, 'compact');
  return plain;
}

const isBelowConsole = (path: string): boolean => path === CONSOLE_PATH || path.startsWith(`${CONSOLE_PATH}/`);

/** How a request came in. */
export const doorOf = ({ raw }: FastifyRequest): Door => doors.get(raw) ?? 'plain';

/** Does the console's path lead to this public route? Of those it leads to its own alone. */
export const isBarred = (request: FastifyRequest, path: string): boolean =>
  doorOf(request) === 'console' && !isBelowConsole(path);

/** The caller of a request: by its API key, and at the console by its session alone. @throws the console's refusals */
export const authenticate = (
  request: FastifyRequest,
  { console, authenticate: byKey }: ServerOptions,
): Authentication | Promise<Authentication> =>
  doorOf(request) === 'console' && console
    ? console.authenticate(request).then((caller) => ({ caller }))
    : byKey(bearerToken(request), request.ip);

/** The secret by which the caller of a request is known. */
export const secretOf = (request: FastifyRequest, { console }: ServerOptions): string =>
  (doorOf(request) === 'console' ? console?.secretOf(request) : bearerToken(request)) ?? '';
