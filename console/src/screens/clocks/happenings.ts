import type { Invoice, Subscription } from '../../api/types.ts';

/** Something at a time of the clock. */
export interface Happening {
  readonly at: string;
  readonly what: string;
  /** The id of the thing that it is about. */
  readonly id: string;
  readonly name: string;
}

/** The number of an invoice; before it has one, the name of its subscription. */
const namesOf = (subscriptions: readonly Subscription[]) => {
  const names = new Map(subscriptions.map(({ id, name }) => [id, name]));
  return ({ invoiceNumber, subscriptionId, id }: Invoice): string =>
    invoiceNumber ?? names.get(subscriptionId ?? '') ?? id;
};

/** What a background job does with an invoice in its state, at `nextActionAt`. */
const NEXT: Partial<Record<Invoice['status'], string>> = {
  ACTIVE: 'The period ends',
  CLOSING: 'The grace period ends, and the invoice is calculated',
  CLOSED: 'The invoice is calculated',
  CALCULATING: 'The invoice is calculated',
  DRAFT: 'The draft goes on',
  ISSUED: 'The next step of its payment',
  PAYMENT_FAILED: 'The payment is tried again',
};

/** What has happened on the clock until now, the newest first. */
export function pastOf(
  subscriptions: readonly Subscription[],
  invoices: readonly Invoice[],
  now: string,
): readonly Happening[] {
  const nameOf = namesOf(subscriptions);
  const about = (invoice: Invoice, what: string, at: string | null): readonly Happening[] =>
    at === null ? [] : [{ at, what, id: invoice.id, name: nameOf(invoice) }];
  const found = [
    ...subscriptions.flatMap(({ id, name, startedAt, terminatedAt }) => [
      { at: startedAt, what: 'The subscription starts', id, name },
      ...(terminatedAt === null ? [] : [{ at: terminatedAt, what: 'The subscription ends', id, name }]),
    ]),
    ...invoices.flatMap((each) => [
      ...(each.kind === 'subscription' && each.status !== 'ACTIVE' ? about(each, 'A period ends', each.periodEnd) : []),
      ...about(each, 'The invoice is issued', each.issuedAt),
      ...about(each, 'The invoice is paid', each.paidAt),
    ]),
  ];
  return found.filter(({ at }) => new Date(at) <= new Date(now)).toSorted((a, b) => compare(b, a));
}

/** What falls due on the clock after now, the earliest first. */
export function nextOf(
  subscriptions: readonly Subscription[],
  invoices: readonly Invoice[],
  now: string,
): readonly Happening[] {
  const nameOf = namesOf(subscriptions);
  const found = [
    ...subscriptions.flatMap(({ id, name, startedAt, endingAt, status }) =>
      status === 'terminated'
        ? []
        : [
            { at: startedAt, what: 'The subscription starts', id, name },
            ...(endingAt === null ? [] : [{ at: endingAt, what: 'The subscription ends', id, name }]),
          ],
    ),
    ...invoices.flatMap((each) => {
      const at = each.nextActionAt ?? (each.status === 'ACTIVE' ? each.periodEnd : null);
      return at === null ? [] : [{ at, what: NEXT[each.status] ?? 'The next step', id: each.id, name: nameOf(each) }];
    }),
  ];
  return found.filter(({ at }) => new Date(at) > new Date(now)).toSorted(compare);
}

const compare = (a: Happening, b: Happening): number => new Date(a.at).getTime() - new Date(b.at).getTime();
