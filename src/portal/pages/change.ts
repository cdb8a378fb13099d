import { findPayer } from '../../customers/index.ts';
import type { Tx } from '../../db/index.ts';
import { findRunningPeriod, lockInvoicesIn, type OpenInvoice, viewAsOfNow } from '../../invoicing/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { formatMoney } from '../../kernel/money.ts';
import { notFound, ok, type Result } from '../../kernel/result.ts';
import { formatInstant, type Instant } from '../../kernel/time.ts';
import { walletBalance } from '../../ledger/index.ts';
import {
  changePlan,
  holdForChange,
  holdLiving,
  patchSubscription,
  type SubscriptionRow,
} from '../../subscriptions/index.ts';
import type { Visit } from '../frame/page.ts';
import type { PortalDependencies } from '../links/dependencies.ts';
import { deletePlannedEnd, selectPlannedEnd, upsertPlannedEnd } from './planned-ends.sql.ts';
import { creditsBeyond, type Preview, type RequestedChange, type Rights } from './requested-change.ts';

/** The changes that the merchant allows to its customers. */
export const rightsOf = ({ settings }: Visit): Rights => settings.portal;

/**
 * Makes the requested change and describes its effect. Rolled back, it is the preview, so the preview is exact.
 * Fees count by the day, so that a preview holds for the rest of its day (docs/decisions/0126).
 * @returns what the domains refuse
 */
export async function applyRequestedChange(
  dependencies: PortalDependencies,
  visit: Visit,
  { subscription, currency }: { readonly subscription: SubscriptionRow; readonly currency: string },
  requested: RequestedChange,
  rights: Rights,
): Promise<Result<Preview>> {
  const { tx } = visit;
  const payerId = await findPayer(tx, subscription.customerId);
  const balance = () => walletBalance(tx, payerId, currency);
  const before = await balance();
  const done = await change(dependencies, visit, subscription, requested, rights);
  if (!done.ok) return done;
  const credited = (await balance()).minus(before);
  const invoices: OpenInvoice[] = [];
  for (const open of await lockInvoicesIn(tx, [subscription.id], ['ACTIVE', 'CLOSING'])) {
    const seen = await viewAsOfNow(dependencies.invoicing, tx, open);
    if (seen === null) return notFound('invoice'); // nobody is asked to confirm what cannot be shown
    if (requested.kind !== 'cancel' || open.status === 'CLOSING' || requested.when === 'period_end')
      invoices.push(seen);
  }
  return ok({
    requested,
    ...done.value,
    invoices,
    toCredit: invoices.flatMap(creditsBeyond),
    credited: credited.gt(decimal('0')) ? [{ currency, amount: formatMoney(credited, currency) }] : [],
  });
}

type Done = Pick<Preview, 'at' | 'versionId'>;

async function change(
  dependencies: PortalDependencies,
  { tx, merchantId, customerId, now }: Visit,
  { id }: SubscriptionRow,
  requested: RequestedChange,
  rights: Rights,
): Promise<Result<Done>> {
  if (requested.kind === 'cancel') {
    const at = requested.when === 'now' ? requested.at : await endOfPeriod(dependencies, { tx, merchantId }, id);
    if (at === null) return notFound('period');
    const text = formatInstant(at);
    const end =
      requested.when === 'now' ? { ...ENDED, terminatedAt: text, terminatedBy: customerId } : { endingAt: text };
    const held = await holdLiving(tx, id, 'update', now);
    const ended = held.ok ? await patchSubscription(dependencies.subscriptions, tx, held.value, end) : held;
    if (ended.ok && requested.when === 'period_end') await upsertPlannedEnd(tx, id, at);
    return ended.ok ? ok({ at, versionId: null }) : ended;
  }
  if (requested.kind === 'keep') {
    const held = await holdLiving(tx, id, 'update', now);
    if (!held.ok) return held;
    const at = await endOfCustomer(tx, held.value.subscription);
    if (at === null) return notFound('end');
    await deletePlannedEnd(tx, id);
    const kept = await patchSubscription(dependencies.subscriptions, tx, held.value, { endingAt: null });
    return kept.ok ? ok({ at, versionId: null }) : kept;
  }
  const order =
    requested.kind === 'plan'
      ? { planId: requested.planId, effective: rights.planChange?.effective ?? 'now' }
      : { quantities: requested.quantities };
  const { planId } = order;
  const held = await holdForChange(tx, { id, planId }, now);
  if (!held.ok) return held;
  const changed = await changePlan(dependencies.subscriptions, tx, held.value, { ...order, proration: 'day' });
  if (!changed.ok) return changed;
  const { effectiveAt: at, planVersionId: versionId } = changed.value.change;
  return ok({ at, versionId });
}

/** The end that the customer has planned here, and may take back; null for none, and for one of the merchant. */
export async function endOfCustomer(
  tx: Tx,
  { id, status, endingAt }: Pick<SubscriptionRow, 'id' | 'status' | 'endingAt'>,
): Promise<Instant | null> {
  if (status !== 'active' || endingAt === null) return null;
  const planned = await selectPlannedEnd(tx, id);
  return planned?.equals(endingAt) === true ? planned : null;
}

const ENDED = { terminationReason: 'Ended by the customer in the customer portal' };

/** The end of the open period of the plan's own series. */
const endOfPeriod = async (
  { subscriptions }: PortalDependencies,
  { tx }: Pick<Visit, 'tx' | 'merchantId'>,
  id: string,
): Promise<Instant | null> => (await findRunningPeriod(subscriptions.source, tx, id))?.end ?? null;
