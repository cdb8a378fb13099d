import type { Tx } from '../../db/index.ts';
import { Reply, type Route, routesOf } from '../../http/index.ts';
import { mapped, ok, type Result } from '../../kernel/result.ts';
import type { Instant } from '../../kernel/time.ts';
import type { EntitlementDependencies } from '../entitlement/dependencies.ts';
import type { EntitlementRow } from '../entitlement/entitlement.ts';
import { EntitlementDetailReply } from '../entitlement/schemas.ts';
import { toEntitlementReply } from '../reading/present.ts';
import { createByHand, EntitlementCreateBody } from './by-hand.ts';
import { EntitlementResetBody, resetEntitlement } from './reset.ts';

const api = routesOf('Entitlements');

/** Writes to entitlements themselves: creations and resets by hand (api.md, Entitlements). */
export const entitlementWriteRoutes = (dependencies: EntitlementDependencies): readonly Route[] => [
  api.post('/v1/entitlements', 'createEntitlement', {
    summary: 'Create an entitlement',
    description:
      'Beside the entitlements of plans. A second one for the same customer and feature that has not ended is 409 ' +
      '`ENTITLEMENT_EXISTS`.',
    access: { role: 'member', merchant: 'body', by: ['customerId', 'featureId', 'subscriptionId'] },
    body: EntitlementCreateBody,
    replies: { 201: EntitlementDetailReply },
    errors: [409],
    handler: async ({ tx, body, now }) =>
      mapped(await shown(tx, await createByHand(dependencies, tx, body, now)), (made) => new Reply(201, made)),
  }),
  api.post('/v1/entitlements/:id/reset', 'resetEntitlement', {
    summary: 'Reset an entitlement',
    description:
      'Grants roll over by their bounds, and usage starts at 0. At the time of another reset, automatic or manual, ' +
      'it does nothing.',
    access: { role: 'member', merchant: { of: 'id', kind: 'entitlement' } },
    body: EntitlementResetBody,
    replies: { 200: EntitlementDetailReply },
    errors: [409],
    handler: async ({ tx, merchantId, params, body, now }) => {
      const key = { merchantId, entitlementId: params.id };
      return shown(tx, await resetEntitlement(tx, key, body, now));
    },
  }),
];

const shown = async (
  tx: Tx,
  written: Result<{ entitlement: EntitlementRow; now: Instant }>,
): Promise<Result<EntitlementDetailReply>> =>
  written.ok ? ok(await toEntitlementReply(tx, written.value.entitlement, { at: null }, written.value.now)) : written;
