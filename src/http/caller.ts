/** §5 and api.md, Identity: the rights of a user within its organization. */
export type Role = 'viewer' | 'member' | 'admin';

/** The sender of a request: a user, known by an API key or by a session of the web console. */
export interface Caller {
  readonly userId: string;
  /** Null: a session of the web console. */
  readonly keyId: string | null;
  /**
   * The user's organization; for a merchant's user also the merchant whose resources it may use. Of an operator who
   * acts as a merchant in the console: that merchant.
   */
  readonly organizationId: string;
  readonly role: Role;
  /** Users of the platform organization may act across merchants (§5). */
  readonly isOperator: boolean;
}

/** The result of the check of an API key. */
export type Authentication =
  | { readonly caller: Caller }
  | { readonly code: 'API_KEY_MISSING' | 'API_KEY_INVALID' | 'API_KEY_EXPIRED' }
  /** Too many failed calls from one address (api.md, Limits). */
  | { readonly code: 'RATE_LIMITED'; readonly retryAfterSeconds: number };

const RANK: Readonly<Record<Role, number>> = { viewer: 0, member: 1, admin: 2 };

/** Is the caller's role at least this one? */
export const hasRole = (caller: Caller, role: Role): boolean => RANK[caller.role] >= RANK[role];
