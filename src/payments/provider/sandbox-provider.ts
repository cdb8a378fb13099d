import { ZERO } from '../../kernel/decimal.ts';
import { randomBase62 } from '../../kernel/ids.ts';
import type { ChargeOutcome, PaymentProvider } from './provider.ts';
import {
  countSuccesses,
  insertRecord,
  lockToken,
  type ProviderRecord,
  selectProviderCharge,
  selectProviderRecord,
  sumRefunded,
} from './sandbox-provider.sql.ts';
import { testCardOf, testCards } from './test-cards.ts';

/** References of charges that will be disputed begin so. */
const DISPUTED = 'sandbox_disputed_';

/** Will the charge of this reference be disputed (`pm_disputed`)? */
export const isToBeDisputed = (reference: string | null): boolean => reference?.startsWith(DISPUTED) === true;

/**
 * The payment provider of the sandbox: test cards instead of cards, and a table instead of a bank. It keeps what a real
 * one promises: under one key it does a thing once, whoever asks and how often, and a charge goes back at most once.
 */
export const sandboxProvider: PaymentProvider = {
  name: 'sandbox',

  async charge(tx, request, now) {
    return use(tx, { ...request, kind: 'charge' }, now);
  },

  async verify(tx, request, now) {
    return use(tx, { ...request, amount: ZERO, kind: 'setup' }, now);
  },

  async refund(tx, { key, chargeReference, amount, currency }, now) {
    const charge = await selectProviderCharge(tx, chargeReference);
    if (!charge?.amount.gte(amount) || charge.currency !== currency)
      throw new Error('The sandbox provider has no such charge to refund.');
    const reference = `sandbox_refund_${randomBase62(22)}`;
    const record: ProviderRecord = {
      key,
      kind: 'refund',
      token: null,
      chargeReference,
      amount,
      currency,
      declineReason: null,
      reference,
    };
    await lockToken(tx, chargeReference); // parts of one charge, one after another
    if (await insertRecord(tx, record, now)) {
      if ((await sumRefunded(tx, chargeReference)).lte(charge.amount)) return { reference };
      throw new Error('The sandbox provider has given this charge back under another key.');
    }
    const known = await selectProviderRecord(tx, key);
    if (known?.kind !== 'refund' || known.chargeReference !== chargeReference)
      throw new Error('The sandbox provider has given this charge back under another key.');
    return { reference: known.reference };
  },
};

type Use = Pick<ProviderRecord, 'key' | 'amount' | 'currency'> & { token: string; kind: 'charge' | 'setup' };

async function use(
  tx: Parameters<PaymentProvider['charge']>[0],
  { key, kind, token, amount, currency }: Use,
  now: Parameters<PaymentProvider['charge']>[2],
): Promise<ChargeOutcome> {
  await lockToken(tx, token);
  const known = await selectProviderRecord(tx, key);
  if (known) {
    if (known.kind !== kind || known.token !== token || !known.amount.eq(amount) || known.currency !== currency)
      throw new Error('The sandbox provider received a different request with this key before.');
    return outcomeOf(known);
  }
  const { answer, isDisputed = false } = testCards[testCardOf(token)];
  const record: ProviderRecord = {
    key,
    kind,
    token,
    chargeReference: null,
    amount,
    currency,
    declineReason: answer(await countSuccesses(tx, token)),
    reference: `${isDisputed ? DISPUTED : `sandbox_${kind}_`}${randomBase62(22)}`,
  };
  if (await insertRecord(tx, record, now)) return outcomeOf(record);
  throw new Error('The sandbox provider was asked about two cards under one key.');
}

const outcomeOf = ({ reference, declineReason: reason }: ProviderRecord): ChargeOutcome =>
  reason === null ? { accepted: true, reference } : { accepted: false, reference, reason };
