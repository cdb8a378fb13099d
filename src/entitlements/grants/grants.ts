import { effectiveNowForReading } from '../../clocks/index.ts';
import type { Tx } from '../../db/index.ts';
import { bodyKey, findCreated, keyColumns, type Page, type PageRequest, type Static } from '../../http/index.ts';
import { jsonNumber } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import { fail, notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant, isAfter, isBefore } from '../../kernel/time.ts';
import { type BalanceGrant, issuedGrants } from '../balance/index.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';
import { selectEntitlement, updateEntitlement } from '../entitlement/entitlements.sql.ts';
import type { GrantCreateBody, GrantReply } from '../entitlement/grant-schemas.ts';
import {
  type GrantRow,
  insertGrant,
  markGrantVoided,
  type NewGrant,
  selectGrant,
  selectGrantByKey,
  selectGrantsPage,
} from '../entitlement/grants.sql.ts';
import { type EntitlementKey, hasEnded, lockWithNow } from '../entitlement/lock.ts';
import { publishGrantEvent } from '../entitlement/webhooks.ts';
import { checkPast, MOST_STEPS } from '../inputs/bounds.ts';
import { loadInput } from '../inputs/inputs.ts';
import { deleteGroupedSnapshotsFrom } from '../inputs/snapshots.sql.ts';
import { publishBalanceEvents } from '../notices/notices.ts';
import { decideGrant } from './decide-grant.ts';
import { forgetSince, lockBillingBefore } from './past-change.ts';

/** A grant as it is kept, or as its row will be once it is written. */
type ShownGrant = Omit<GrantRow, 'seq'>;

/** A grant as it is answered (§2). */
export const toGrantReply = (grant: ShownGrant): Static<typeof GrantReply> => ({
  id: grant.id,
  object: 'grant',
  entitlementId: grant.entitlementId,
  amount: jsonNumber(grant.amount),
  effectiveAt: formatInstant(grant.effectiveAt),
  expiresAt: grant.expiresAt && formatInstant(grant.expiresAt),
  voidedAt: grant.voidedAt && formatInstant(grant.voidedAt),
  recurrencePeriod: grant.recurrencePeriod,
  idempotencyKey: grant.idempotencyKey,
  resetMaxRollover: jsonNumber(grant.resetMaxRollover),
  resetMinRollover: jsonNumber(grant.resetMinRollover),
  priority: grant.priority,
  createdAt: formatInstant(grant.createdAt),
});

/**
 * Grants an amount to a metered entitlement (api.md, Entitlements). The same `idempotencyKey` again answers the first
 * grant as it is now. `wall` is wall time.
 * @returns ENTITLEMENT_NOT_METERED, ENTITLEMENT_ENDED; IDEMPOTENCY_KEY_REUSED where the key came with another body;
 *   400 where it recurred too often before now
 */
export async function createGrant(
  tx: Tx,
  key: EntitlementKey,
  input: Static<typeof GrantCreateBody>,
  wall: Instant,
): Promise<Result<GrantRow>> {
  if (input.effectiveAt !== undefined) await lockBillingBefore(tx, key);
  const locked = await lockWithNow(tx, key, wall);
  if (!locked.ok) return locked;
  const { entitlement, now } = locked.value;
  if (entitlement.featureType !== 'metered') return fail('ENTITLEMENT_NOT_METERED');
  const sent = bodyKey('grant', input);
  const known = await findCreated(tx, sent, {
    find: (_, key) => selectGrantByKey(tx, entitlement, key),
  });
  if (!known.ok) return known;
  if (known.value) return ok(known.value);
  if (hasEnded(entitlement, now)) return fail('ENTITLEMENT_ENDED');
  const terms = decideGrant(input, now);
  if (!terms.ok) return terms;
  const grant = await writeGrant(
    tx,
    entitlement,
    {
      merchantId: entitlement.merchantId,
      id: newId('grant'),
      entitlementId: entitlement.id,
      origin: 'direct',
      amount: terms.value.amount,
      priority: terms.value.priority,
      effectiveAt: terms.value.effectiveAt,
      expiresAt: terms.value.expiresAt,
      recurrencePeriod: terms.value.recurrencePeriod,
      resetMaxRollover: terms.value.resetMaxRollover,
      resetMinRollover: terms.value.resetMinRollover,
      ...keyColumns(sent),
      invoiceId: null,
      createdAt: now,
    },
    now,
  );
  const isRepeated = isBefore(grant.effectiveAt, now) && grant.recurrencePeriod !== null;
  const past = isRepeated ? await checkRecurrences(tx, entitlement, now) : ok(undefined);
  return past.ok ? ok(grant) : past;
}

/** Can a balance be counted from the start of an entitlement until now, though grants recur that began long ago? */
async function checkRecurrences(tx: Tx, entitlement: EntitlementRow, now: Instant): Promise<Result<void>> {
  const all = await loadInput(tx, { entitlement, at: now, snapshotUntil: entitlement.activeFrom });
  return checkPast(all, now, 'effectiveAt', MOST_STEPS);
}

/** Stores a new grant and sends its webhook; stored balances from its time on are deleted. Locked. */
export async function writeGrant(
  tx: Tx,
  entitlement: EntitlementRow,
  grant: NewGrant,
  now: Instant,
): Promise<GrantRow> {
  const made = await insertGrant(tx, grant);
  if (!made) throw new Error(`Grant ${grant.id} is there already.`); // the entitlement's lock is held
  const isForgotten = await forgetSince(tx, entitlement, made.effectiveAt, now);
  if (isForgotten) await updateEntitlement(tx, entitlement, { nextActionAt: now }, now);
  else await scheduleExpiry(tx, entitlement, made, now);
  await publishGrantEvent(tx, entitlement, made, 'grant.created.v0', now);
  return made;
}

/** Schedules a job of the entitlement at the expiry of a grant, because the remaining balance may be low then. */
async function scheduleExpiry(
  tx: Tx,
  entitlement: EntitlementRow,
  { expiresAt: at }: GrantRow,
  now: Instant,
): Promise<void> {
  if (at === null || !isAfter(at, now) || hasEnded(entitlement, now)) return;
  const { nextActionAt: next } = entitlement;
  if (next === null || isAfter(next, at)) await updateEntitlement(tx, entitlement, { nextActionAt: at }, now);
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
  const grant = (await selectGrant(tx, entitlement, grantId)) ?? (await writeIssued(tx, entitlement, grantId, now));
  if (!grant) return notFound('grant');
  if (grant.voidedAt !== null) return ok(grant);
  const voided = await markGrantVoided(tx, grant, now);
  await forgetSince(tx, entitlement, now, now);
  const forgotten = await deleteGroupedSnapshotsFrom(tx, entitlement, grant.effectiveAt);
  if (forgotten > 0) await updateEntitlement(tx, entitlement, { nextActionAt: now }, now);
  await publishGrantEvent(tx, entitlement, voided, 'grant.voided.v0', now);
  await publishBalanceEvents(tx, entitlement, now);
  return ok(voided);
}

/** Stores a grant of the template before its background job; undefined if the template has issued none with this id. */
async function writeIssued(
  tx: Tx,
  entitlement: EntitlementRow,
  grantId: string,
  now: Instant,
): Promise<GrantRow | undefined> {
  const issued = (await unwrittenGrants(tx, entitlement, now)).find(({ id }) => id === grantId);
  return issued && insertGrant(tx, issuedRow(entitlement, issued));
}

/** One grant, also an unwritten one of the template; 404. `wall` is wall time. `wall` is wall time. */
export async function getGrant(
  tx: Tx,
  key: EntitlementKey,
  grantId: string,
  wall: Instant,
): Promise<Result<ShownGrant>> {
  const entitlement = await selectEntitlement(tx, key.entitlementId);
  if (!entitlement) return notFound('entitlement');
  const written = await selectGrant(tx, entitlement, grantId);
  if (written) return ok(written);
  const now = await effectiveNowForReading(tx, entitlement.clockId, wall);
  const issued = (await unwrittenGrants(tx, entitlement, now)).find(({ id }) => id === grantId);
  return issued ? ok({ ...issuedRow(entitlement, issued), voidedAt: null }) : notFound('grant');
}

/** The grants of an entitlement, newest first, with unwritten ones. `wall` is wall time. `wall` is wall time. */
export async function listGrants(
  tx: Tx,
  key: EntitlementKey,
  filter: { includeVoided: boolean },
  page: PageRequest,
  wall: Instant,
): Promise<Result<Page<ShownGrant>>> {
  const entitlement = await selectEntitlement(tx, key.entitlementId);
  if (!entitlement) return notFound('entitlement');
  const now = await effectiveNowForReading(tx, entitlement.clockId, wall);
  const unwritten = await unwrittenGrants(tx, entitlement, now);
  const { rows, total } = await selectGrantsPage(tx, entitlement, unwritten, filter, page);
  const shown = new Map(unwritten.map((grant) => [grant.id, { ...issuedRow(entitlement, grant), voidedAt: null }]));
  return ok({ data: rows.map(({ id, row }) => row ?? (shown.get(id) as ShownGrant)), total });
}

/** The grants of the template until now that no background job has written yet. */
async function unwrittenGrants(tx: Tx, entitlement: EntitlementRow, now: Instant): Promise<BalanceGrant[]> {
  if (entitlement.featureType !== 'metered') return [];
  const snapshotUntil = entitlement.activeFrom; // none: beside a snapshot only part of the grants is read
  const { inputs } = await loadInput(tx, { entitlement, at: now, snapshotUntil });
  return issuedGrants(inputs, null, now);
}

/** The row of a grant of the template: always the same, for every writer and every time. */
export const issuedRow = ({ merchantId, id }: EntitlementRow, grant: BalanceGrant): NewGrant => ({
  merchantId,
  id: grant.id,
  entitlementId: id,
  origin: 'template',
  amount: grant.amount,
  priority: grant.priority,
  effectiveAt: grant.effectiveAt,
  expiresAt: grant.expiresAt,
  recurrencePeriod: null,
  resetMaxRollover: grant.maxRollover,
  resetMinRollover: grant.minRollover,
  idempotencyKey: null,
  idempotencyPrint: null,
  invoiceId: null,
  createdAt: grant.createdAt,
});
