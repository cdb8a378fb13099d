import { type FoundInCatalog, findInCatalog } from '../catalog/index.ts';
import { type FoundCustomer, findCustomersByText } from '../customers/index.ts';
import { ownerOf, type Tx } from '../db/index.ts';
import type { Context } from '../http/index.ts';
import { findByNumber, findCreditNote, type NumberedDocument } from '../invoicing/index.ts';
import { type IdKind, isId } from '../kernel/ids.ts';
import { invalidField, ok, type Result } from '../kernel/result.ts';
import type { FoundResource } from './find-by-id.ts';
import type { SearchQuery, SearchReply } from './schemas.ts';

type Found = SearchReply['data'][number];

/** A result with its place: a lower rank is a better one. */
export interface Ranked {
  readonly rank: number;
  readonly found: Found;
}

/** How a resource is found by its id, as its own GET route answers. */
export type Finder = (context: Context<unknown, unknown, unknown>, id: string) => Promise<FoundResource | null>;

const MOST_CHARACTERS = 200;

/** GET /v0/search: by id, by number, and by the names of customers and of the catalog (docs/decisions/0240). */
export async function search(
  context: Context<unknown, SearchQuery, unknown>,
  findById: Finder,
): Promise<Result<SearchReply>> {
  const { merchantId, query } = context;
  const text = query.q.trim();
  const { length } = [...text];
  if (length < 1 || length > MOST_CHARACTERS)
    return invalidField('q', `must have 1 to ${MOST_CHARACTERS} characters, without the spaces around them`);
  const limit = query.limit ?? 20;
  const lists = [
    await ofId(context, findById, text),
    ...(merchantId === null ? [] : await ofText(context.tx.of(merchantId), merchantId, text, limit + 1)),
  ];
  const all = mergeFound(lists);
  return ok({ object: 'searchResults', query: text, data: all.slice(0, limit), hasMore: all.length > limit });
}

/** Several lists as one: the best first, those of one rank in the order of the lists; nothing stands twice. */
export function mergeFound(lists: readonly (readonly Ranked[])[]): Found[] {
  const sorted = lists.flat().toSorted((a, b) => a.rank - b.rank);
  const places = new Map<string, Found>();
  for (const { found } of sorted) if (!places.has(found.id)) places.set(found.id, found);
  return [...places.values()];
}

async function ofText(tx: Tx, merchantId: string, text: string, most: number): Promise<Ranked[][]> {
  const numbers = await findByNumber(tx, text, most);
  const customers = await findCustomersByText(tx, text, most);
  const catalog = await findInCatalog(tx, text, most);
  return [
    numbers.map((each) => toNumbered(merchantId, each)),
    customers.map((each) => toCustomer(merchantId, each)),
    catalog.map((each) => toCatalog(merchantId, each)),
  ];
}

const result = (merchantId: string, type: IdKind, id: string, title: string): Found => ({
  object: 'searchResult',
  type,
  id,
  merchantId,
  title,
  detail: null,
  customerId: null,
  invoiceId: null,
});

const toNumbered = (merchantId: string, each: NumberedDocument): Ranked => ({
  rank: each.rank,
  found: {
    ...result(merchantId, each.type, each.id, each.number),
    detail: each.status,
    customerId: each.customerId,
    invoiceId: each.invoiceId,
  },
});

const toCustomer = (merchantId: string, { id, name, email, externalId, rank }: FoundCustomer): Ranked => ({
  rank,
  found: { ...result(merchantId, 'customer', id, name), detail: email ?? externalId, customerId: id },
});

const toCatalog = (merchantId: string, { type, id, name, key, rank }: FoundInCatalog): Ranked => ({
  rank,
  found: { ...result(merchantId, type, id, name), detail: key },
});

async function ofId(
  context: Context<unknown, SearchQuery, unknown>,
  findById: Finder,
  text: string,
): Promise<Ranked[]> {
  const { tx, merchantId } = context;
  if (isId('refund', text)) {
    const owner = await ownerOf(tx, text);
    if (owner === null || (merchantId !== null && merchantId !== owner)) return [];
    const note = await findCreditNote(tx.of(owner), text);
    return note ? [toNumbered(owner, note)] : [];
  }
  const found = await findById(context as Context<unknown, unknown, unknown>, text);
  return found ? [{ rank: 0, found: toResource(found) }] : [];
}

/** The fields of resources that name them, and those that say more. */
const TITLES = ['name', 'displayName', 'invoiceDisplayName', 'invoiceNumber', 'url', 'title', 'type', 'subject'];
const DETAILS = ['email', 'externalId', 'status', 'key', 'eventType', 'type', 'currentTime'];

function toResource({ kind, id, merchantId, resource }: FoundResource): Found {
  const consumer = { ...(resource.organization as object | undefined) };
  const said: Readonly<Record<string, unknown>> = { ...consumer, ...resource };
  const textOf = (names: readonly string[], but?: string): string | undefined =>
    names.map((name) => said[name]).find((value) => typeof value === 'string' && value !== '' && value !== but) as
      | string
      | undefined;
  const title = textOf(TITLES) ?? id;
  const customerId = kind === 'customer' ? id : resource.customerId;
  const invoiceId = kind === 'invoice' ? id : resource.invoiceId;
  return {
    ...result(merchantId, kind, id, title),
    detail: textOf(DETAILS, title) ?? null,
    customerId: typeof customerId === 'string' ? customerId : null,
    invoiceId: typeof invoiceId === 'string' ? invoiceId : null,
  };
}
