import { DecimalOut, Id, OneOf, type Route, routesOf, Strict, Timestamp, Type } from '../../http/index.ts';
import { formatMoney } from '../../kernel/money.ts';
import { mapped } from '../../kernel/result.ts';
import { formatInstant } from '../../kernel/time.ts';
import type { Dispute } from '../records/disputes.sql.ts';
import { decideDispute } from './sandbox-disputes.ts';

const api = routesOf('Payments');

const OUTCOMES = ['won', 'lost'] as const;

const PaymentDisputeReply = Type.Object(
  {
    object: Type.Literal('payment_dispute'),
    id: Type.String(),
    paymentId: Id('payment'),
    amount: DecimalOut,
    currency: Type.String(),
    reason: Type.String(),
    status: OneOf(OUTCOMES),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  {
    $id: 'PaymentDispute',
    description: 'A decided dispute about a payment.',
    'x-fields': {
      id: 'The id of the dispute.',
      paymentId: 'The payment.',
      amount: 'The disputed amount, in major units.',
      currency: 'The currency as an ISO 4217 code.',
      reason: 'The reason of the cardholder, as the provider says it.',
      status: '`won`: the money is back. `lost`: it is gone.',
    },
  },
);

const toReply = (dispute: Dispute) => ({
  object: 'payment_dispute' as const,
  id: dispute.id,
  paymentId: dispute.paymentId,
  amount: formatMoney(dispute.amount, dispute.currency),
  currency: dispute.currency,
  reason: dispute.reason,
  status: dispute.status as (typeof OUTCOMES)[number],
  createdAt: formatInstant(dispute.createdAt),
  updatedAt: formatInstant(dispute.updatedAt),
});

/** POST /v0/payments/{id}/dispute: the bank of the sandbox decides (api.md, complete). */
export const disputeRoute: Route = api.post('/v0/payments/:id/dispute', 'decidePaymentDispute', {
  summary: 'Decide the dispute about a payment (sandbox)',
  description:
    'Decides in the sandbox what the bank of the cardholder decides otherwise. A payment by `pm_disputed` is ' +
    'disputed one day after it. If `outcome` is `won`, the money comes back. If it is `lost`, the money is gone. ' +
    'Without an open dispute: 409.',
  access: { role: 'member', merchant: { of: 'id', kind: 'payment' } },
  body: Strict(
    { outcome: OneOf(OUTCOMES) },
    {
      $id: 'PaymentDisputeDecision',
      examples: [{ outcome: 'won' }],
      'x-fields': { outcome: 'The decision: `won` by the merchant, or `lost`.' },
    },
  ),
  replies: { 200: PaymentDisputeReply },
  errors: [409],
  handler: async ({ tx, merchantId, params, body, now }) =>
    mapped(await decideDispute(tx, { merchantId, paymentId: params.id }, body.outcome, now), toReply),
});
