/** The page of the console below that of the merchant, by the prefix of an id. */
const PLACES: Readonly<Record<string, string>> = {
  inv: '/invoices/',
  cus: '/customers/',
  sub: '/subscriptions/',
  plan: '/catalog/plans/',
  prod: '/catalog/products/',
  feat: '/catalog/features/',
  bm: '/catalog/metrics/',
  ent: '/entitlements/',
  evt: '/usage/events/',
  tc: '/clocks/',
  whe: '/developers/webhooks/',
  wev: '/developers/webhook-events/',
  mail: '/developers/mails/',
};

/** The page of a resource by the prefix of its id; null where it has none. */
export function placeOf(id: string): string | null {
  const place = PLACES[id.split('_')[0] as string];
  return place === undefined ? null : `${place}${id}`;
}
