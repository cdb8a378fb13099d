import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloneDatabase } from '../../../test/support/environment.ts';
import { Database, type Tx } from '../../db/index.ts';
import { decimal } from '../../kernel/decimal.ts';
import { newId } from '../../kernel/ids.ts';
import type { ChargeOutcome } from './provider.ts';
import { sandboxProvider } from './sandbox-provider.ts';
import { enterTestCard, TEST_CARDS, type TestCard } from './test-cards.ts';

const now = Temporal.Instant.from('2026-03-01T12:00:00Z');
const merchantId = newId('organization');
let database: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  const clone = await cloneDatabase();
  database = new Database({ url: clone.url });
  drop = clone.drop;
});
afterAll(async () => {
  await database.close();
  await drop();
});

const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => database.transaction({ merchants: [merchantId] }, work);
const newCard = (card: TestCard) => enterTestCard(card, newId('paymentSession'), now).token;
const charge = (token: string, key: string, amount = '10.00', currency = 'USD'): Promise<ChargeOutcome> =>
  inTransaction((tx) => sandboxProvider.charge(tx, { merchantId, key, token, amount: decimal(amount), currency }, now));
const verify = (token: string, key: string) =>
  inTransaction((tx) => sandboxProvider.verify(tx, { merchantId, key, token, currency: 'USD' }, now));
const refund = (chargeReference: string, key: string, amount = '10.00', currency = 'USD') =>
  inTransaction((tx) =>
    sandboxProvider.refund(tx, { merchantId, key, chargeReference, amount: decimal(amount), currency }, now),
  );
const word = (outcome: ChargeOutcome) => (outcome.accepted ? 'accepted' : outcome.reason);
const key = () => newId('paymentSession');

describe('a test card', () => {
  it.each([
    { card: 'pm_ok', answers: ['accepted', 'accepted', 'accepted'] },
    { card: 'pm_declined', answers: ['card_declined', 'card_declined', 'card_declined'] },
    { card: 'pm_insufficient_funds', answers: ['insufficient_funds', 'insufficient_funds', 'insufficient_funds'] },
    { card: 'pm_then_declined', answers: ['accepted', 'card_declined', 'card_declined'] },
  ] as const)('$card answers $answers when it is charged again and again', async ({ card, answers }) => {
    const token = newCard(card);
    const given = [await charge(token, key()), await charge(token, key()), await charge(token, key())];
    expect(given.map(word)).toEqual(answers);
  });

  it('pm_then_declined is used up by being stored, too', async () => {
    const token = newCard('pm_then_declined');
    expect(word(await verify(token, key()))).toBe('accepted');
    expect(word(await charge(token, key()))).toBe('card_declined');
  });

  it('pm_then_declined works once when it is charged ten times at once', async () => {
    const token = newCard('pm_then_declined');
    const given = await Promise.all(Array.from({ length: 10 }, () => charge(token, key())));
    expect(given.filter(({ accepted }) => accepted)).toHaveLength(1);
  });

  it('is a card of its own each time it is entered', () => {
    expect(new Set(TEST_CARDS.flatMap((card) => [newCard(card), newCard(card)])).size).toBe(TEST_CARDS.length * 2);
  });
});

describe('one key', () => {
  it.each(TEST_CARDS)('with %s is one charge, however often and by however many it is asked', async (card) => {
    const [token, same] = [newCard(card), key()];
    const given = await Promise.all(Array.from({ length: 10 }, () => charge(token, same)));
    expect(new Set(given.map((outcome) => JSON.stringify(outcome))).size).toBe(1);
    expect(await charge(token, same)).toEqual(given[0]);
  });

  it.each([
    { title: 'another amount', again: (token: string, same: string) => charge(token, same, '10.01') },
    { title: 'another currency', again: (token: string, same: string) => charge(token, same, '10.00', 'EUR') },
    { title: 'another card', again: (_: string, same: string) => charge(newCard('pm_ok'), same) },
    { title: 'another kind', again: (token: string, same: string) => verify(token, same) },
  ])('cannot stand for $title', async ({ again }) => {
    const [token, same] = [newCard('pm_ok'), key()];
    await charge(token, same);
    await expect(again(token, same)).rejects.toThrow('a different request with this key');
  });

  it('is one refund', async () => {
    const paid = await charge(newCard('pm_ok'), key());
    const same = key();
    const given = await Promise.all(Array.from({ length: 10 }, () => refund(paid.reference, same)));
    expect(new Set(given.map(({ reference }) => reference)).size).toBe(1);
  });
});

describe('a refund', () => {
  it('of a charge that went back is refused under another key', async () => {
    const paid = await charge(newCard('pm_ok'), key());
    await refund(paid.reference, key());
    await expect(refund(paid.reference, key())).rejects.toThrow('under another key');
  });

  it.each([
    { title: 'more', amount: '10.01', currency: 'USD' },
    { title: 'another currency', amount: '10.00', currency: 'EUR' },
  ])('of $title is refused', async ({ amount, currency }) => {
    const paid = await charge(newCard('pm_ok'), key());
    await expect(refund(paid.reference, key(), amount, currency)).rejects.toThrow('no such charge');
  });

  it('of a declined or an unknown charge is refused', async () => {
    const declined = await charge(newCard('pm_declined'), key());
    await expect(refund(declined.reference, key())).rejects.toThrow('no such charge');
    await expect(refund('sandbox_charge_none', key())).rejects.toThrow('no such charge');
  });
});

it('knows only cards that it gave out', async () => {
  await expect(charge('tok_visa', key())).rejects.toThrow('does not know this card');
});
