import { type Context, type Route, routesOf } from '../http/index.ts';
import type { EnvironmentName } from '../identity/index.ts';
import { invalidField } from '../kernel/result.ts';
import { createFinder } from './find-by-id.ts';
import { readNames } from './names.ts';
import { overview } from './overview.ts';
import { NamesQuery, NamesReply, OverviewQuery, OverviewReply, SearchQuery, SearchReply } from './schemas.ts';
import { search } from './search.ts';

const api = routesOf('Reports');

const operatorMustName = () => invalidField('merchantId', 'is required of a platform operator');

/**
 * `/v0/search`, `/v0/names` and `/v0/overview`.
 * @param routes those of all other domains: a search by id asks the GET route of its kind
 */
export function overviewRoutes(environment: EnvironmentName, routes: readonly Route[]): readonly Route[] {
  const findById = createFinder(routes);
  return [
    api.get('/v0/search', 'search', {
      summary: 'Search for a resource',
      description:
        'Finds any resource by its id, invoices and credit notes by the beginning of their number, customers by name, ' +
        'e-mail address and `externalId`, and products, plans, features and billable metrics by name and key. Upper ' +
        'and lower case are the same. One or two characters find beginnings alone.',
      access: { role: 'viewer', merchant: 'query' },
      query: SearchQuery,
      replies: { 200: SearchReply },
      handler: (context) => search(context as Context<unknown, SearchQuery, unknown>, findById),
    }),
    api.get('/v0/names', 'getNames', {
      summary: 'Retrieve names by ids',
      description:
        'The names of customers, subscriptions, invoices, test clocks, users, products, plans, features and billable ' +
        'metrics, for a list that has their ids. Platform operators must send `merchantId`.',
      access: { role: 'viewer', merchant: 'query' },
      query: NamesQuery,
      replies: { 200: NamesReply },
      handler: async ({ tx, merchantId, query }) =>
        merchantId === null ? operatorMustName() : readNames(tx, query.ids),
    }),
    api.get('/v0/overview', 'getOverview', {
      summary: 'Retrieve the overview of a merchant',
      description:
        'The figures of a home page, each from the source of the list that its description names. Platform operators ' +
        'must send `merchantId`.',
      access: { role: 'viewer', merchant: 'query' },
      reads: 'report',
      query: OverviewQuery,
      replies: { 200: OverviewReply },
      handler: async ({ tx, merchantId, now }) =>
        merchantId === null ? operatorMustName() : overview(tx, environment, now),
    }),
  ];
}
