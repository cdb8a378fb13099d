import { effectiveNowForReading } from '../clocks/index.ts';
import type { Tx } from '../db/index.ts';
import { fingerprint, type Page, type PageRequest, type Static } from '../http/index.ts';
import { jsonNumber } from '../kernel/decimal.ts';
import { newId } from '../kernel/ids.ts';
import { fail, notFound, ok, type Result } from '../kernel/result.ts';
import { formatInstant, type Instant, isAfter, isBefore } from '../kernel/time.ts';
import { type BalanceGrant, issuedGrants } from './balance/index.ts';
import { checkPast, MOST_STEPS } from './bounds.ts';
import { decideGrant } from './decide-grant.ts';
import { changeEntitlement, type EntitlementRow, findEntitlement } from './entitlements.sql.ts';
import type { Grant, GrantCreate } from './grant-schemas.ts';
import {
  findGrant,
  findGrantByKey,
  type GrantRow,
  insertGrant,
  markGrantVoided,
  type NewGrant,
  pageOfGrants,
} from './grants.sql.ts';
import { loadInput } from './inputs.ts';
import { type EntitlementKey, hasEnded, lockWithNow } from './lock.ts';
import { tellOfBalance } from './notices.ts';
import { forgetSince, lockBillingBefore } from './past-change.ts';
import { forgetGrouped } from './snapshots.sql.ts';
import { tellOfGrant } from './tell.ts';

/** A grant as it is kept, or as its row will be once it is written. */
type ShownGrant = Omit<GrantRow, 'seq'>;

/** A grant as it is answered (§2). */
export const grantOut = (grant: ShownGrant): Static<typeof Grant> => ({
  id: grant.id,
  object: 'grant',
  entitlementId: grant.entitlement_id,
  amount: jsonNumber(grant.amount),
  effectiveAt: formatInstant(grant.effective_at),
  expiresAt: grant.expires_at && formatInstant(grant.expires_at),
  voidedAt: grant.voided_at && formatInstant(grant.voided_at),
  recurrencePeriod: grant.recurrence_period,
  idempotencyKey: grant.idempotency_key,
  resetMaxRollover: jsonNumber(grant.reset_max_rollover),
  resetMinRollover: jsonNumber(grant.reset_min_rollover),
  priority: grant.priority,
  createdAt: formatInstant(grant.created_at),
});

/**
 * Grants an amount to a metered entitlement (api.md, Entitlements). The same `idempotencyKey` again answers the first grant as
 * it is now. `wall` is wall time.
 * @returns ENTITLEMENT_NOT_METERED, ENTITLEMENT_ENDED; IDEMPOTENCY_KEY_REUSED where the key came with another body; 400
 * where
 * it recurred too often before now
 */
export async function createGrant(
  tx: Tx,
  key: EntitlementKey,
  input: Static<typeof GrantCreate>,
  wall: Instant,
): Promise<Result<GrantRow>> {
  if (input.effectiveAt !== undefined) await lockBillingBefore(tx, key);
  const locked = await lockWithNow(tx, key, wall);
  if (!locked.ok) return locked;
  const { entitlement, now } = locked.value;
  if (entitlement.feature_type !== 'metered') return fail('ENTITLEMENT_NOT_METERED');
  const print = fingerprint('grant', input);
  if (input.idempotencyKey !== undefined) {
    const known = await findGrantByKey(tx, entitlement, input.idempotencyKey);
    if (known) return known.idempotency_print?.equals(print) ? ok(known) : fail('IDEMPOTENCY_KEY_REUSED');
  }
  if (hasEnded(entitlement, now)) return fail('ENTITLEMENT_ENDED');
  const terms = decideGrant(input, now);
  if (!terms.ok) return terms;
  const grant = await writeGrant(
    tx,
    entitlement,
    {
      merchant_id: entitlement.merchant_id,
      id: newId('grant'),
      entitlement_id: entitlement.id,
      origin: 'direct',
      amount: terms.value.amount,
      priority: terms.value.priority,
      effective_at: terms.value.effectiveAt,
      expires_at: terms.value.expiresAt,
      recurrence_period: terms.value.recurrencePeriod,
      reset_max_rollover: terms.value.resetMaxRollover,
      reset_min_rollover: terms.value.resetMinRollover,
      idempotency_key: input.idempotencyKey ?? null,
      idempotency_print: input.idempotencyKey === undefined ? null : print,
      invoice_id: null,
      created_at: now,
    },
    now,
  );
  const isRepeated = isBefore(grant.effective_at, now) && grant.recurrence_period !== null;
  const past = isRepeated ? await checkRecurrences(tx, entitlement, now) : ok(undefined);
  return past.ok ? ok(grant) : past;
}

/** Can a balance be counted from the start of an entitlement until now, though grants recur that began long ago? */
async function checkRecurrences(tx: Tx, entitlement: EntitlementRow, now: Instant): Promise<Result<void>> {
  const all = await loadInput(tx, { entitlement, at: now, snapshotUntil: entitlement.active_from });
  return checkPast(all, now, 'effectiveAt', MOST_STEPS);
}

/** Writes a grant that is new, and tells of it; what is remembered of balances from its time on is forgotten. Locked. */
export async function writeGrant(
  tx: Tx,
  entitlement: EntitlementRow,
  grant: NewGrant,
  now: Instant,
): Promise<GrantRow> {
  const made = await insertGrant(tx, grant);
  if (!made) throw new Error(`Grant ${grant.id} is there already.`); // the entitlement's lock is held
  const isForgotten = await forgetSince(tx, entitlement, made.effective_at, now);
  if (isForgotten) await changeEntitlement(tx, entitlement, { next_action_at: now }, now);
  else await lookAtExpiry(tx, entitlement, made, now);
  await tellOfGrant(tx, entitlement, made, 'grant.created.v0', now);
  return made;
}

/** When a grant expires its entitlement is due: what is left may be little then. */
async function lookAtExpiry(
  tx: Tx,
  entitlement: EntitlementRow,
  { expires_at: at }: GrantRow,
  now: Instant,
): Promise<void> {
  if (at === null || !isAfter(at, now) || hasEnded(entitlement, now)) return;
  const { next_action_at: next } = entitlement;
  if (next === null || isAfter(next, at)) await changeEntitlement(tx, entitlement, { next_action_at: at }, now);
}

/** Takes a grant out of the balance from now on (§3 Grant); once more answers it as it is. `wall` is wall time. */
export async function voidGrant(
  tx: Tx,
  key: EntitlementKey,
  grantId: string,
  wall: Instant,
): Promise<Result<GrantRow>> {
  const locked = await lockWithNow(tx, key, wall);
  if (!locked.ok) return locked;
  const { entitlement, now } = locked.value;
  const grant = (await findGrant(tx, entitlement, grantId)) ?? (await writeIssued(tx, entitlement, grantId, now));
  if (!grant) return notFound('grant');
  if (grant.voided_at !== null) return ok(grant);
  const voided = await markGrantVoided(tx, grant, now);
  await forgetSince(tx, entitlement, now, now);
  const forgotten = await forgetGrouped(tx, entitlement, grant.effective_at);
  if (forgotten > 0) await changeEntitlement(tx, entitlement, { next_action_at: now }, now);
  await tellOfGrant(tx, entitlement, voided, 'grant.voided.v0', now);
  await tellOfBalance(tx, entitlement, now);
  return ok(voided);
}

/** Writes a grant that the template has issued before due work comes to it; undefined where it has issued none of this id. */
async function writeIssued(
  tx: Tx,
  entitlement: EntitlementRow,
  grantId: string,
  now: Instant,
): Promise<GrantRow | undefined> {
  const issued = (await unwrittenGrants(tx, entitlement, now)).find(({ id }) => id === grantId);
  return issued && insertGrant(tx, issuedRow(entitlement, issued));
}

/** One grant, also one that the template has issued and nobody has written yet; 404. `wall` is wall time. */
export async function getGrant(
  tx: Tx,
  key: EntitlementKey,
  grantId: string,
  wall: Instant,
): Promise<Result<ShownGrant>> {
  const entitlement = await findEntitlement(tx, key.merchantId, key.entitlementId);
  if (!entitlement) return notFound('entitlement');
  const written = await findGrant(tx, entitlement, grantId);
  if (written) return ok(written);
  const now = await effectiveNowForReading(tx, key.merchantId, entitlement.clock_id, wall);
  const issued = (await unwrittenGrants(tx, entitlement, now)).find(({ id }) => id === grantId);
  return issued ? ok({ ...issuedRow(entitlement, issued), voided_at: null }) : notFound('grant');
}

/** The grants of an entitlement, newest first, with those that nobody has written yet. `wall` is wall time. */
export async function listGrants(
  tx: Tx,
  key: EntitlementKey,
  filter: { includeVoided: boolean },
  page: PageRequest,
  wall: Instant,
): Promise<Result<Page<ShownGrant>>> {
  const entitlement = await findEntitlement(tx, key.merchantId, key.entitlementId);
  if (!entitlement) return notFound('entitlement');
  const now = await effectiveNowForReading(tx, key.merchantId, entitlement.clock_id, wall);
  const unwritten = await unwrittenGrants(tx, entitlement, now);
  const { rows, total } = await pageOfGrants(tx, entitlement, unwritten, filter, page);
  const shown = new Map(unwritten.map((grant) => [grant.id, { ...issuedRow(entitlement, grant), voided_at: null }]));
  return ok({ data: rows.map(({ id, row }) => row ?? (shown.get(id) as ShownGrant)), total });
}

/** What the template has issued until now and due work has not written yet. */
async function unwrittenGrants(tx: Tx, entitlement: EntitlementRow, now: Instant): Promise<BalanceGrant[]> {
  if (entitlement.feature_type !== 'metered') return [];
  const snapshotUntil = entitlement.active_from; // none: beside a snapshot only part of the grants is read
  const { inputs } = await loadInput(tx, { entitlement, at: now, snapshotUntil });
  return issuedGrants(inputs, null, now);
}

/** The row of a grant that the template issued: whoever writes it, and whenever, it is the same. */
export const issuedRow = ({ merchant_id, id }: EntitlementRow, grant: BalanceGrant): NewGrant => ({
  merchant_id,
  id: grant.id,
  entitlement_id: id,
  origin: 'template',
  amount: grant.amount,
  priority: grant.priority,
  effective_at: grant.effectiveAt,
  expires_at: grant.expiresAt,
  recurrence_period: null,
  reset_max_rollover: grant.maxRollover,
  reset_min_rollover: grant.minRollover,
  idempotency_key: null,
  idempotency_print: null,
  invoice_id: null,
  created_at: grant.createdAt,
});
