import type { FastifyRequest } from 'fastify';
import type { Database } from '../db/index.ts';
import { type IdKind, isId, wrongKindWords } from '../kernel/ids.ts';
import { type Failure, invalid, orThrow } from '../kernel/result.ts';
import { type Caller, hasRole } from './caller.ts';
import type { Access, Route } from './route.ts';

type Guarded = Exclude<Access, { public: true }>;
type Values = Record<string, unknown>;

/**
 * Finds the merchant of a request, by its path, its body or its query, and checks that the caller may act for it. It
 * throws the refusal otherwise.
 */
export class Merchants {
  readonly #owners: Database['owners'];

  constructor({ owners }: Pick<Database, 'owners'>) {
    this.#owners = owners;
  }

  /**
   * Role, and the owner of what the path names, before the body is looked at: another tenant learns nothing from it.
   */
  async ofPath(access: Guarded, caller: Caller, request: FastifyRequest): Promise<string | null> {
    if (!hasRole(caller, access.role) || (access.operator && !caller.isOperator))
      orThrow({ ok: false, refusal: { kind: 'forbidden' } });
    if (typeof access.merchant === 'object') {
      const { of, kind } = access.merchant;
      const id = (request.params as Record<string, string>)[of] ?? '';
      const owner = isId(kind, id) ? await this.#owners.find(id) : null;
      if (owner === null) return orThrow<never>(unknownId(kind, id));
      return allowed(caller, owner);
    }
    const given = access.merchant === 'body' ? (request.body as Values | undefined)?.merchantId : undefined;
    if (typeof given === 'string' && isId('organization', given)) allowed(caller, given);
    return null;
  }

  /** The merchant that the body or the query stands for. */
  async ofValues(access: Guarded, caller: Caller, query: Values, body: Values | undefined): Promise<string | null> {
    if (access.merchant === 'caller') return caller.organizationId;
    const values = access.merchant === 'body' ? (body ?? {}) : query;
    const given = values.merchantId;
    const named = ('by' in access ? (access.by ?? []) : []).find((field) => typeof values[field] === 'string');
    if (named !== undefined) {
      const owner = await this.#merchantOf(caller, named, values[named] as string);
      if (
        access.merchant === 'body' &&
        typeof given === 'string' &&
        (await this.#givenMerchant(caller, given)) !== owner
      )
        orThrow(invalid([{ field: 'merchantId', message: `must be the merchant of ${named}, or absent` }]));
      return owner;
    }
    if (typeof given === 'string') return this.#givenMerchant(caller, given);
    if (!caller.isOperator) return caller.organizationId;
    if (access.merchant === 'query') return null;
    return orThrow<never>(invalid([{ field: 'merchantId', message: 'is required of a platform operator' }]));
  }

  /** The merchant that `merchantId` names. */
  async #givenMerchant(caller: Caller, given: string): Promise<string> {
    if (caller.isOperator && (await this.#owners.find(given)) === null)
      orThrow({ ok: false, refusal: { kind: 'not_found', what: 'organization', field: 'merchantId' } });
    return allowed(caller, given);
  }

  /** The merchant of what a query field names. */
  async #merchantOf(caller: Caller, field: string, id: string): Promise<string> {
    const owner = await this.#owners.find(id);
    if (owner === null)
      return orThrow<never>({ ok: false, refusal: { kind: 'not_found', what: field.replace(/Id$/, ''), field } });
    return allowed(caller, owner);
  }
}

/** The refusal of a path id that names nothing; an id of another kind says so. */
function unknownId(kind: IdKind, id: string): Failure {
  const message = wrongKindWords(kind, id);
  return { ok: false, refusal: { kind: 'not_found', what: kind, ...(message !== null && { message: `${message}.` }) } };
}

function allowed(caller: Caller, owner: string): string {
  if (caller.isOperator || owner === caller.organizationId) return owner;
  return orThrow<never>({ ok: false, refusal: { kind: 'forbidden', message: 'This resource is not yours.' } });
}

/** A path with an id has a policy that names one of its parameters, so no route forgets whose resource it touches. */
export function checkPolicy({ declaration, free }: Route): void {
  if (declaration.reads === 'report' && (declaration.method !== 'GET' || free))
    throw new Error(`${declaration.method} ${declaration.path} is no report: it may write.`);
  const parameters = [...declaration.path.matchAll(/:([A-Za-z]+)/g)].map((match) => match[1]);
  if (!declaration.access) throw new Error(`${declaration.method} ${declaration.path} declares no policy.`);
  if (parameters.length === 0 || 'public' in declaration.access || 'ownerless' in declaration.access) return;
  const { merchant } = declaration.access;
  if (typeof merchant !== 'object' || !parameters.includes(merchant.of)) {
    throw new Error(`${declaration.method} ${declaration.path}: the policy names no resource of the path.`);
  }
}
