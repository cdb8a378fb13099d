import { createHash } from 'node:crypto';
import { canonicalJson } from '../../http/index.ts';
import type { MerchantSettings } from '../../identity/index.ts';
import type { LineRow, OpenInvoice } from '../../invoicing/index.ts';
import { decimal, plain, sum, ZERO } from '../../kernel/decimal.ts';
import { isId } from '../../kernel/ids.ts';
import { formatMoney } from '../../kernel/money.ts';
import { formatInstant, type Instant, isAfter, parseInstant } from '../../kernel/time.ts';

const MOST_SEATS = 1_000_000;
const PREVIEW_MINUTES = 15;

/** A change of a subscription that a customer requests. */
export type RequestedChange =
  | { readonly kind: 'plan'; readonly planId: string }
  | { readonly kind: 'quantities'; readonly quantities: Readonly<Record<string, number>> }
  /** `at`: the instant of the preview, at which an end that was shown happens. */
  | { readonly kind: 'cancel'; readonly when: 'period_end' | 'now'; readonly at: Instant }
  /** Takes back the end that the customer has planned. */
  | { readonly kind: 'keep' };

/** The changes that the merchant's settings allow. */
export type Rights = MerchantSettings['portal'];

/** Reads the requested change from a form; null if it has none that the settings allow. */
export function readRequestedChange(
  form: Readonly<Record<string, string>>,
  rights: Rights,
  now: Instant,
): RequestedChange | 'bad quantity' | null {
  if (form.keep !== undefined) return { kind: 'keep' };
  if (form.cancel !== undefined) {
    if (rights.cancellation === 'none') return null;
    return { kind: 'cancel', when: rights.cancellation, at: endIn(form.at, now) };
  }
  if (form.plan !== undefined) {
    const isOffered = isId('plan', form.plan) && rights.planChange?.plans.includes(form.plan) === true;
    return isOffered ? { kind: 'plan', planId: form.plan } : null;
  }
  if (!rights.quantities) return null;
  const typed = Object.entries(form).filter(([name]) => isId('price', name));
  if (typed.length === 0) return null;
  if (typed.some(([, text]) => !/^\d{1,7}$/.test(text.trim()) || Number(text) > MOST_SEATS)) return 'bad quantity';
  return { kind: 'quantities', quantities: Object.fromEntries(typed.map(([id, text]) => [id, Number(text)])) };
}

/** An end that was shown holds for a quarter of an hour; after it, and for one ahead, the present instant. */
function endIn(text: string | undefined, now: Instant): Instant {
  const shown = parseInstant(text ?? '');
  if (shown === null || isAfter(shown, now)) return now;
  return isAfter(now, shown.add({ minutes: PREVIEW_MINUTES })) ? now : shown;
}

/** The form fields of a requested change. */
export function fieldsOf(requested: RequestedChange): Readonly<Record<string, string>> {
  if (requested.kind === 'plan') return { plan: requested.planId };
  if (requested.kind === 'keep') return { keep: 'yes' };
  if (requested.kind === 'cancel') return { cancel: requested.when, at: formatInstant(requested.at) };
  return Object.fromEntries(Object.entries(requested.quantities).map(([id, count]) => [id, String(count)]));
}

/** The effect of a change, as shown. */
export interface Preview {
  readonly requested: RequestedChange;
  /** From when it holds. */
  readonly at: Instant;
  /** The plan version that follows; of an end none. */
  readonly versionId: string | null;
  /** The invoices on which it shows, as they would stand. */
  readonly invoices: readonly OpenInvoice[];
  /** The credits that go into the wallet at once, by currency. */
  readonly credited: readonly Credited[];
  /** The excess of credits over those invoices, before tax: it goes into the wallet as they are issued. */
  readonly toCredit: readonly Credited[];
}

/** An amount that goes into the wallet. */
export interface Credited {
  readonly currency: string;
  readonly amount: string;
}

/** The excess of credits on an invoice over its lines, before tax. */
export function creditsBeyond({ invoice, lines }: OpenInvoice): Credited[] {
  const beyond = sum(
    lines.map(({ workings, totalPrice: taken }) =>
      workings?.credit === undefined ? ZERO : decimal(workings.credit.amount).plus(taken),
    ),
  );
  return beyond.gt(0) ? [{ currency: invoice.currency, amount: formatMoney(beyond, invoice.currency) }] : [];
}

/** Continuing usage does not change a preview. */
const isOfChange = ({ eventType: type, type: kind }: LineRow): boolean => type !== 'usage' || kind !== 'charge';

const dayOf = (instant: Instant): string => instant.toString().slice(0, 10);

/**
 * The fingerprint of a preview: a hash of its day, the version, and each line that is no usage. The confirmation sends
 * it. If the change has another fingerprint by then, the customer gets a new preview.
 */
export function fingerprintOf({ requested, at, versionId, invoices, credited, toCredit }: Preview): string {
  const lines = invoices.map(({ invoice, lines: all }) => [
    dayOf(invoice.periodEnd),
    invoice.currency,
    all
      .filter(isOfChange)
      .map(({ displayName, quantity, totalPrice, totalAmount }) =>
        [displayName, plain(quantity), plain(totalPrice), plain(totalAmount)].join('|'),
      ),
  ]);
  // The key `wish` stays, so that a preview that is open during an upgrade can be confirmed.
  const content = canonicalJson({ wish: fieldsOf(requested), day: dayOf(at), versionId, lines, credited, toCredit });
  return createHash('sha256').update(content).digest('base64url');
}
