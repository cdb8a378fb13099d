import type { Database, Tx } from '../db/index.ts';
import type { PageRequest } from '../http/index.ts';
import { newId } from '../kernel/ids.ts';
import { placeOf, type Sealer } from '../kernel/sealing.ts';
import { formatInstant, type Instant, type InstantText, instantOf } from '../kernel/time.ts';
import type { Answered } from './attempts.ts';
import { secretsOf } from './endpoint.ts';
import { selectEndpoint } from './endpoints.sql.ts';
import { insertReceipt, type Receipt, selectOwner, selectReceipts } from './inbox.sql.ts';
import type { Post } from './post.ts';
import type { InboxQuery } from './schemas.ts';
import { isSigned } from './signature.ts';

const toReceiptReply = (receipt: Receipt) => ({
  id: receipt.id,
  object: 'webhookReceipt' as const,
  merchantId: receipt.merchantId,
  endpointId: receipt.endpointId,
  eventId: receipt.eventId,
  type: receipt.type,
  timestamp: formatInstant(receipt.happenedAt),
  data: receipt.data,
  headers: receipt.headers,
  createdAt: formatInstant(receipt.createdAt),
});

/** The webhooks of the inbox, newest first. */
export async function listReceipts(tx: Tx, merchantId: string | null, query: InboxQuery, page: PageRequest) {
  const { rows, total } = await selectReceipts(tx, { ...query, merchantId }, page);
  return { data: rows.map(toReceiptReply), total };
}

const answered = (status: number, reply: string): Answered => ({ kind: 'answered', status, retryAfter: null, reply });

/**
 * The sandbox's own receiver (api.md, `/v0/webhookInbox`): it does what a receiver has to do, verifies the signature
 * and keeps what came. It is reached without a network, so that it works wherever the sandbox does.
 */
export const openInbox =
  ({ database, sealer, now }: { database: Database; sealer: Sealer; now: () => Instant }): Post =>
  async (_target, body, headers) => {
    const at = now();
    const endpointId = headers['webhook-endpoint-id'] ?? '';
    const merchantId = await database.transaction('nobody', (tx) => selectOwner(tx, endpointId));
    if (merchantId === null) return answered(401, 'The endpoint does not exist.');
    return database.transaction({ merchants: [merchantId] }, async (tx) => {
      const endpoint = await selectEndpoint(tx, endpointId);
      const secrets = (endpoint ? secretsOf(endpoint, at) : []).map((sealed) =>
        sealer.open(sealed, placeOf(endpointId)),
      );
      const message = { id: headers['webhook-id'] ?? '', timestamp: Number(headers['webhook-timestamp']), body };
      const readable = secrets.filter((secret) => secret !== null);
      if (!isSigned(message, headers['webhook-signature'] ?? '', readable, at.epochMilliseconds / 1000))
        return answered(401, 'The signature does not fit.');
      const { type, timestamp, data } = JSON.parse(body) as { type: string; timestamp: InstantText; data: object };
      await insertReceipt(tx, {
        id: newId('webhookReceipt'),
        merchantId,
        endpointId,
        eventId: message.id,
        type,
        happenedAt: instantOf(timestamp),
        data,
        headers,
        createdAt: at,
      });
      return answered(200, 'Taken into the inbox.');
    });
  };
