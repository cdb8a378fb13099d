import type { FastifyRequest } from 'fastify';
import type { Database } from '../db/index.ts';
import type { Caller, ConsoleDoor } from '../http/index.ts';
import type { EnvironmentName } from '../identity/index.ts';
import { fail, forbidden, notFound, orThrow } from '../kernel/result.ts';
import type { Instant } from '../kernel/time.ts';
import { type SessionCookie, sessionCookie } from './cookie.ts';
import { hashOfToken } from './logins.ts';
import { crossSiteRefusal } from './origin.ts';
import { findSession, type Session } from './sessions.sql.ts';

/** Names the merchant of the page. */
const MERCHANT_HEADER = 'x-reckoner-merchant';

/** The dependencies of the door. */
export interface DoorOptions {
  readonly database: Database;
  readonly environment: EnvironmentName;
  readonly publicUrl: string;
  readonly now: () => Instant;
}

/**
 * The door of the console: the session of a request, and the caller that it makes. Nothing is remembered, so the end of
 * a session and a new role hold at once.
 */
export class Door implements ConsoleDoor {
  readonly cookie: SessionCookie;
  readonly #options: DoorOptions;

  constructor(options: DoorOptions) {
    this.#options = options;
    this.cookie = sessionCookie(options.environment, options.publicUrl);
  }

  guard({ method, headers }: FastifyRequest) {
    return crossSiteRefusal({ method, headers }, this.#options.publicUrl);
  }

  secretOf(request: FastifyRequest): string {
    return this.cookie.tokenIn(request.headers.cookie);
  }

  async authenticate(request: FastifyRequest): Promise<Caller> {
    const caller = callerOf(await this.session(this.secretOf(request)));
    const named = request.headers[MERCHANT_HEADER];
    return named === undefined ? caller : this.#actingAs(caller, String(named));
  }

  /** The session of a token. @throws SIGNED_OUT */
  async session(token: string): Promise<Session> {
    const { database, now } = this.#options;
    const found = token === '' ? undefined : await findSession(database, hashOfToken(token), now());
    return found ?? orThrow<never>(fail('SIGNED_OUT'));
  }

  /**
   * A merchant's user is that merchant. An operator acts as the merchant that is named, in the operator's own role, and
   * is no operator then (docs/decisions/0237).
   */
  async #actingAs(caller: Caller, merchantId: string): Promise<Caller> {
    if (merchantId === caller.organizationId) return caller;
    if (!caller.isOperator) return orThrow<never>(forbidden('This merchant is not yours.'));
    const owner = await this.#options.database.owners.find(merchantId);
    if (owner !== merchantId) return orThrow<never>(notFound('organization', MERCHANT_HEADER));
    return { ...caller, organizationId: merchantId, isOperator: false };
  }
}

/** The person of a session as a caller. */
export const callerOf = ({ userId, organizationId, organizationType, role }: Session): Caller => ({
  ...{ userId, organizationId, role },
  keyId: null,
  isOperator: organizationType === 'platform',
});
