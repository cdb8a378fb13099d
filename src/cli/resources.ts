import { OPERATIONS } from '../../sdk/src/generated/operations.ts';
import type { List, Reckoner } from '../../sdk/src/index.ts';
import { nearestWord } from '../kernel/nearest-word.ts';
import { CommandFailure } from './failure.ts';

type Methods = Readonly<Record<string, string>>;
const ALL: Readonly<Record<string, Methods>> = OPERATIONS;

/** The resources that a verb knows, for help and completion. */
export const resourcesWith = (verb: 'get' | 'list'): string[] =>
  Object.keys(ALL).filter((name) => name !== '' && ALL[name]?.[verb] !== undefined);

/** Every method, as `call` names it: `invoices.refund`; those of the client itself without a resource. */
export const allMethods = (): string[] =>
  Object.entries(ALL).flatMap(([resource, methods]) =>
    Object.keys(methods).map((method) => (resource === '' ? method : `${resource}.${method}`)),
  );

type Method = (...taken: unknown[]) => unknown;

function methodOf(api: Reckoner, resource: string, verb: string): Method {
  const known = (api as unknown as Record<string, Record<string, Method>>)[resource]?.[verb];
  if (known && ALL[resource]?.[verb] !== undefined) return known;
  const names = resourcesWith(verb as 'get' | 'list');
  const near = nearestWord(resource, names);
  throw new CommandFailure(
    `There is no ${verb} of "${resource}"${near === null ? '' : `; the nearest is "${near}"`}.`,
    `the resources are: ${names.join(', ')}`,
  );
}

/** Reads one resource by its id. */
export const getOne = (api: Reckoner, resource: string, ids: readonly string[]): Promise<unknown> =>
  methodOf(api, resource, 'get')(...ids) as Promise<unknown>;

/** Reads records of a list, newest first. @param most null: all of them */
export async function listSome(
  api: Reckoner,
  resource: string,
  filters: Readonly<Record<string, string>>,
  most: number | null,
): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  const query = most === null ? filters : { ...filters, limit: Math.min(most, 100) };
  for await (const row of methodOf(api, resource, 'list')(query) as List<{ data: Record<string, unknown>[] }>) {
    rows.push(row);
    if (rows.length === most) break;
  }
  return rows;
}

/** Calls any operation: its ids, then its body or its query. @throws CommandFailure for a name that does not exist */
export function callAny(api: Reckoner, name: string, ids: readonly string[], data: unknown): Promise<unknown> {
  const [first = '', second] = name.split('.');
  const [resource, verb] = second === undefined ? ['', first] : [first, second];
  const address = ALL[resource]?.[verb];
  if (address === undefined) {
    const near = nearestWord(name, allMethods());
    throw new CommandFailure(
      `There is no operation "${name}"${near === null ? '' : `; the nearest is "${near}"`}.`,
      'see sdk/README.md, or complete the word with TAB',
    );
  }
  const needed = address.split('{').length - 1;
  if (ids.length !== needed) throw new CommandFailure(`${name} takes ${needed} ids, not ${ids.length}.`, address);
  const owner = resource === '' ? api : (api as unknown as Record<string, object>)[resource];
  return (owner as Record<string, Method>)[verb]?.(...ids, ...(data === undefined ? [] : [data])) as Promise<unknown>;
}

/** Is it one that changes something? */
export const changes = (name: string): boolean => {
  const [first = '', second] = name.split('.');
  const address = second === undefined ? ALL['']?.[first] : ALL[first]?.[second];
  return address !== undefined && !address.startsWith('GET ');
};
