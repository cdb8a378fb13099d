import type { Instant } from '../../kernel/time.ts';
import type { Card, DeclineReason } from './provider.ts';

/** The test cards of the sandbox (api.md, complete), in the order in which the hosted page offers them. */
export const TEST_CARDS = [
  'pm_ok',
  'pm_declined',
  'pm_insufficient_funds',
  'pm_then_declined',
  'pm_disputed',
  'pm_3ds',
  'pm_slow',
  'pm_slow_declined',
] as const;
export type TestCard = (typeof TEST_CARDS)[number];

interface Behaviour {
  readonly brand: string;
  readonly last4: string;
  /** The answer of the card at its n-th use, counting from 0 and only the times it worked. */
  readonly answer: (timesItWorked: number) => DeclineReason | null;
  /** The later outcome: `confirms` after the customer's confirmation, `takes time` after half a minute. */
  readonly waits?: 'confirms' | 'takes time';
  /** Is each of its payments disputed, a day later? */
  readonly isDisputed?: true;
}

/** How long a bank takes that takes its time. */
const BANK_TAKES = { seconds: 30 } as const;
/** How long a customer has to confirm. */
const CUSTOMER_TAKES = { minutes: 15 } as const;

/** When the outcome of a card that waits is there at the latest; null: it answers at once. */
export function outcomeAt(card: TestCard, now: Instant): Instant | null {
  const { waits } = testCards[card];
  if (waits === undefined) return null;
  return now.add(waits === 'confirms' ? CUSTOMER_TAKES : BANK_TAKES);
}

export const testCards: Readonly<Record<TestCard, Behaviour>> = {
  pm_ok: { brand: 'visa', last4: '4242', answer: () => null },
  pm_declined: { brand: 'visa', last4: '0002', answer: () => 'card_declined' },
  pm_insufficient_funds: {
    brand: 'mastercard',
    last4: '9995',

    answer: () => 'insufficient_funds',
  },
  pm_then_declined: {
    brand: 'mastercard',
    last4: '0341',

    answer: (timesItWorked) => (timesItWorked === 0 ? null : 'card_declined'),
  },
  pm_disputed: { brand: 'visa', last4: '0259', answer: () => null, isDisputed: true },
  pm_3ds: { brand: 'visa', last4: '3155', answer: () => null, waits: 'confirms' },
  pm_slow: {
    brand: 'visa',
    last4: '7726',

    answer: () => null,
    waits: 'takes time',
  },
  pm_slow_declined: {
    brand: 'visa',
    last4: '7734',

    answer: () => 'card_declined',
    waits: 'takes time',
  },
};

const YEARS_VALID = 4;

/** A test card as it is entered: each time under a token of its own, so that "works once" is counted for each entry. */
export function enterTestCard(card: TestCard, key: string, now: Instant): Card {
  const { brand, last4 } = testCards[card];
  const expYear = now.toZonedDateTimeISO('UTC').year + YEARS_VALID;
  return { brand, last4, expMonth: 12, expYear, token: `${card}/${key}` };
}

/** The test card of a token. @throws for a token that this provider never gave out. */
export function testCardOf(token: string): TestCard {
  const card = TEST_CARDS.find((each) => token.startsWith(`${each}/`)); // with the slash no name begins with another
  if (!card) throw new Error('The sandbox provider does not know this card.');
  return card;
}
