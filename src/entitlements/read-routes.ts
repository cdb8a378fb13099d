import { findFeaturesByKey } from '../catalog/index.ts';
import { effectiveNowForReading } from '../clocks/index.ts';
import { findCustomerIdsOfExternalId } from '../customers/index.ts';
import type { Tx } from '../db/index.ts';
import { type Route, routesOf } from '../http/index.ts';
import { invalidField, notFound, ok, type Result } from '../kernel/result.ts';
import { formatInstant, type Instant, type InstantText, instantOrNull } from '../kernel/time.ts';
import type { AccessOf } from './cache/cache.sql.ts';
import { accessQuestion, detailQuestion, findAsked, findWhose } from './cache/questions.ts';
import { type ReadingDependencies, type ReadingQuestion, Readings } from './cache/readings.ts';
import { selectEntitlement } from './entitlement/entitlements.sql.ts';
import {
  AccessQuery,
  ActiveEntitlementQuery,
  ActiveEntitlementReply,
  CustomerAccessReply,
  EntitlementDetailReply,
  EntitlementHistoryReply,
  EntitlementItemReply,
  EntitlementListQuery,
  EntitlementQuery,
  ExternalAccessQuery,
  HistoryQuery,
} from './entitlement/schemas.ts';
import { accessOf, toAccessReplies, toAccessReply } from './reading/access.ts';
import type { BalanceQuestion } from './reading/balances.ts';
import { historyOf } from './reading/history.ts';
import {
  type EntitlementFilters,
  selectActivePage,
  selectEntitlementsPage,
  type TimedEntitlement,
} from './reading/reading.sql.ts';

const api = routesOf('Entitlements');
const ofEntitlement = { role: 'viewer', merchant: { of: 'id', kind: 'entitlement' } } as const;

/** The schema has seen to the form. */
/** The read routes of entitlements (§4, Entitlements and grants; api.md, Entitlements). */
export const entitlementReadRoutes = (dependencies: ReadingDependencies): readonly Route[] => {
  const readings = new Readings(dependencies);
  const access = accessBy(dependencies, readings);
  return [
    api.list('/v1/entitlements', 'listEntitlements', {
      summary: 'List entitlements',
      description:
        'Newest first, each with its balance. Send at most one of `customerId` and `externalCustomerId`. ' +
        'Entitlements that have ended or have not begun are listed too.',
      access: { role: 'viewer', merchant: 'query', by: ['customerId', 'productId', 'subscriptionId'] },
      query: EntitlementListQuery,
      of: EntitlementItemReply,
      list: async ({ tx, merchantId, query, page, now, signal }) => {
        if (query.customerId !== undefined && query.externalCustomerId !== undefined)
          return invalidField('externalCustomerId', 'must not be sent together with customerId');
        const filters = await filtersOf(tx, merchantId, query);
        const { rows, total } = await selectEntitlementsPage(tx, merchantId, filters, page, now);
        const shown = await toAccessReplies(tx, rows, { at: instantOrNull(query.at), signal });
        if (!shown.ok) return shown;
        return ok({ rows: shown.value.map((each) => ({ ...each, entitlementId: each.id })), total });
      },
    }),
    api.list('/v0/entitlements/activeEntitlements', 'listActiveEntitlements', {
      summary: 'List active entitlements of a customer',
      description:
        'Newest first, without balances. `GET /v1/customers/{id}/access` answers whether a customer may go on.',
      access: { role: 'viewer', merchant: 'query', by: ['customerId', 'productId', 'subscriptionId'] },
      query: ActiveEntitlementQuery,
      of: ActiveEntitlementReply,
      list: ({ tx, merchantId, query, now, page }) => selectActivePage(tx, merchantId, query, page, now),
      each: toActiveReply,
    }),
    api.get('/v1/entitlements/:id', 'getEntitlement', {
      summary: 'Retrieve an entitlement with its balance',
      description:
        'Every event that was answered with 202 counts at once. Usage over time (`TIME_WEIGHTED`) ends now, or at `at`.',
      access: ofEntitlement,
      query: EntitlementQuery,
      replies: { 200: EntitlementDetailReply },
      free: async ({ database, merchantId, params, query, now, signal }) => {
        const id = params.id;
        const at = instantOrNull(query.at);
        if (at !== null)
          return inReading({ database, merchantId, signal }, (tx) => detailAt(tx, id, { at, signal }, now));
        const answer = await readings.answer(detailQuestion({ database, merchantId, now, signal }, id));
        return answer.ok ? ok(answer.value.details[0]) : answer;
      },
      handler: ({ tx, params, query, now, signal }) =>
        detailAt(tx, params.id, { at: instantOrNull(query.at), signal }, now),
    }),
    api.get('/v1/entitlements/:id/history', 'getEntitlementHistory', {
      summary: 'Retrieve the history of a balance',
      description: 'Windows of a day unless `windowSize` is sent; at most 400 windows.',
      access: ofEntitlement,
      reads: 'report',
      query: HistoryQuery,
      replies: { 200: EntitlementHistoryReply },
      handler: async ({ tx, params, query, now, signal }) => {
        const entitlement = await selectEntitlement(tx, params.id);
        if (!entitlement) return notFound('entitlement');
        const own = await effectiveNowForReading(tx, entitlement.clockId, now);
        const { from, to, windowSize = 'DAY' } = query;
        const question = { from: instantOrNull(from), to: instantOrNull(to), windowSize, signal };
        return historyOf(tx, entitlement, question, own);
      },
    }),
    api.get('/v1/customers/:id/access', 'getCustomerAccess', {
      summary: 'Retrieve the access of a customer',
      description:
        'Ask this before you let a customer use a feature. There is access where any entitlement gives it and no ' +
        'budget blocks it. Every event that was answered with 202 counts at once.',
      access: { role: 'viewer', merchant: { of: 'id', kind: 'customer' } },
      query: AccessQuery,
      replies: { 200: CustomerAccessReply },
      free: ({ database, merchantId, params, query, now, signal }) =>
        access({ database, merchantId, now, signal }, { customer: { id: params.id }, ...query }),
    }),
    api.get('/v1/customers/access', 'getExternalCustomerAccess', {
      summary: 'Retrieve the access of a customer by your own id',
      description: 'The same as `GET /v1/customers/{id}/access`, by your own id of the customer.',
      access: { role: 'viewer', merchant: 'query', by: ['productId'] },
      query: ExternalAccessQuery,
      replies: { 200: CustomerAccessReply },
      free: async ({ database, merchantId, query, now, signal }) => {
        if (merchantId === null) return invalidField('merchantId', 'is required of a platform operator');
        const customer = { externalId: query.externalCustomerId };
        return access({ database, merchantId, now, signal }, { customer, ...query });
      },
    }),
  ];
};

/** The reader. */
type Reader = Pick<ReadingQuestion, 'database' | 'merchantId' | 'signal'>;

const inReading = <T>({ database, merchantId, signal }: Reader, work: (tx: Tx) => Promise<T>): Promise<T> =>
  database.transaction({ merchants: [merchantId] }, work, { signal, byKeys: 'one thing' });

async function detailAt(
  tx: Tx,
  id: string,
  question: BalanceQuestion,
  now: Instant,
): Promise<Result<EntitlementDetailReply>> {
  const entitlement = await selectEntitlement(tx, id);
  if (!entitlement) return notFound('entitlement');
  const effectiveNow = await effectiveNowForReading(tx, entitlement.clockId, now);
  const shown = await toAccessReplies(tx, [{ ...entitlement, effectiveNow }], question);
  return shown.ok ? ok(shown.value[0] as EntitlementDetailReply) : shown;
}

/** Access for now, or at an instant. */
const accessBy =
  (dependencies: ReadingDependencies, readings: Readings) =>
  async (
    reader: Reader & { readonly now: Instant },
    { at: text, ...of }: AccessOf & { readonly at?: InstantText },
  ): Promise<Result<CustomerAccessReply>> => {
    const at = instantOrNull(text);
    if (at === null) {
      const answer = await readings.answer(accessQuestion(reader, of));
      return answer.ok ? ok(toAccessReply(answer.value)) : answer;
    }
    const { signal, now } = reader;
    return inReading(reader, async (tx) => {
      const found = await findWhose(tx, of.customer);
      if (!found.ok) return found;
      const asked = await findAsked(tx, of);
      const { productId } = of;
      const filters = { customerId: found.value, productId, ...(asked && { asked }) };
      return accessOf(dependencies, tx, filters, { at, signal }, now);
    });
  };

/**
 * Keys of features are unique within a product only, so one key can mean several; an unknown key, or an unknown
 * customer, means none.
 */
async function filtersOf(
  tx: Tx,
  merchantId: string | null,
  { featureKey, externalCustomerId, ...filters }: EntitlementListQuery,
): Promise<EntitlementFilters> {
  return {
    ...filters,
    ...(featureKey !== undefined && {
      featureIds: (await findFeaturesByKey(tx, merchantId, featureKey)).map(({ id }) => id),
    }),
    ...(externalCustomerId !== undefined && {
      customerIds: await findCustomerIdsOfExternalId(tx, merchantId, externalCustomerId),
    }),
  };
}

const toActiveReply = (entitlement: TimedEntitlement) => ({
  id: entitlement.id,
  object: 'entitlement' as const,
  billableMetrics: [...entitlement.billableMetricIds],
  customerId: entitlement.customerId,
  planId: entitlement.planId,
  productId: entitlement.productId,
  subscriptionId: entitlement.subscriptionId,
  verifiedAt: formatInstant(entitlement.effectiveNow),
});
