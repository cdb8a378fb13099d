import { randomBytes } from 'node:crypto';

/** The prefix of every kind of resource (§1; api.md, Everywhere). */
export const ID_PREFIXES = {
  organization: 'org_',
  user: 'usr_',
  apiKey: 'key_',
  product: 'prod_',
  feature: 'feat_',
  customer: 'cus_',
  subscription: 'sub_',
  plan: 'plan_',
  planVersion: 'pver_',
  billableMetric: 'bm_',
  item: 'itm_',
  cost: 'cst_',
  fee: 'fee_',
  price: 'price_',
  testClock: 'tc_',
  entitlement: 'ent_',
  grant: 'grt_',
  source: 'src_',
  sourceEvent: 'sev_',
  sourceRule: 'srl_',
  invoice: 'inv_',
  refund: 'crn_',
  adjustment: 'subadj_',
  paymentSession: 'ps_',
  event: 'evt_',
  order: 'ord_',
  orderLineItem: 'oli_',
  billingSchedule: 'bsch_',
  scheduleInterval: 'sint_',
  scheduleInvoice: 'sinv_',
  approval: 'apr_',
  externalReference: 'xrf_',
  merchantIntegration: 'mint_',
  paymentMethod: 'pm_',
  payment: 'pay_',
  receipt: 'rcp_',
  webhookEndpoint: 'whe_',
  webhookEvent: 'wev_',
  webhookAttempt: 'wat_',
  webhookReceipt: 'wrc_',
  reservation: 'rsv_',
  lineItem: 'li_',
  priceFeature: 'pf_',
  auditEntry: 'aud_',
  ledgerTransaction: 'ltx_',
  subscriptionChange: 'subchg_',
  planMigration: 'pmig_',
  credit: 'ucr_',
  mail: 'mail_',
  alert: 'alr_',
  checkoutLink: 'clk_',
  checkout: 'chk_',
  coupon: 'cpn_',
  redemption: 'rdm_',
  billingCredit: 'bcr_',
  commitment: 'cmt_',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

/** The digits of a number to the base of 62, in the order of their values. */
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Drawn for many ids at once, which costs a tenth; each byte is used once. */
const DRAWN_AT_ONCE = 4096;
let drawn = Buffer.alloc(0);
let used = 0;

function randomByte(): number {
  if (used === drawn.length) {
    drawn = randomBytes(DRAWN_AT_ONCE);
    used = 0;
  }
  used += 1;
  return drawn[used - 1] as number;
}

/** `length` random base62 characters, each equally likely (bytes of 248 and above are drawn again). */
export function randomBase62(length: number): string {
  const text = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length; ) {
    const byte = randomByte();
    if (byte >= 248) continue;
    text[filled] = BASE62.charCodeAt(byte % 62);
    filled += 1;
  }
  return text.toString('latin1');
}

const bodyOf = (kind: IdKind): string => {
  if (kind === 'invoice') return randomBytes(16).toString('hex'); // §1: lowercase hex
  return randomBase62(kind === 'testClock' ? 16 : 22); // §1: exactly 16; 22 base62 characters hold 130 bits
};

/** A new identifier: unguessable (≥ 128 random bits; test clocks have the 16 characters of §1). */
export const newId = (kind: IdKind): string => ID_PREFIXES[kind] + bodyOf(kind);

/**
 * The pattern of §1, as text for schemas: invoices are lowercase hex, clocks exactly 16 characters, the rest
 * alphanumeric.
 */
export function idPattern(kind: IdKind): string {
  if (kind === 'invoice') return '^inv_[0-9a-f]{1,64}$';
  if (kind === 'testClock') return '^tc_[0-9A-Za-z]{16}$';
  return `^${ID_PREFIXES[kind]}[0-9A-Za-z]{1,64}$`;
}

const patterns = new Map<IdKind, RegExp>();

/** Has the text the form of an id of this kind? */
export function isId(kind: IdKind, text: string): boolean {
  const pattern = patterns.get(kind) ?? new RegExp(idPattern(kind));
  patterns.set(kind, pattern);
  return pattern.test(text);
}

/** Characters that an API key has: a shorter one could be guessed. Those that we make have 48. */
export const KEY_LENGTH = { least: 32, most: 512 } as const;

/** §8: how events may name a customer of the merchant's own: 1 to 255 letters, digits, underscores and hyphens. */
export const OUTSIDE_ID = '^[A-Za-z0-9_-]{1,255}$';

/** A kind in words: `billable metric`. */
export const kindWords = (kind: string): string =>
  kind === 'apiKey' ? 'API key' : kind.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const article = (words: string): string => (/^(?:[aeio]|API)/.test(words) ? 'an' : 'a');

const KINDS = Object.keys(ID_PREFIXES) as IdKind[];
const kindsByPattern = new Map(KINDS.map((kind) => [idPattern(kind), kind]));

/** The form of a kind's ids in words: `an invoice id (inv_…)`. */
export const idKindWords = (kind: IdKind): string =>
  `${article(kindWords(kind))} ${kindWords(kind)} id (${ID_PREFIXES[kind]}…)`;

/** The form of a pattern of `idPattern`, in words: `an invoice id (inv_…)`. Null for another pattern. */
export function idWords(pattern: string): string | null {
  const kind = kindsByPattern.get(pattern);
  return kind === undefined ? null : idKindWords(kind);
}

/** The kind whose id a text is; null where it is none. */
export const kindOf = (text: string): IdKind | null => KINDS.find((kind) => isId(kind, text)) ?? null;

/** Is the text an id of a kind that a word may mean: of `event` also a source event and a webhook event. */
export const isIdAs = (word: IdKind, text: string): boolean =>
  KINDS.some((kind) => kind.toLowerCase().endsWith(word.toLowerCase()) && isId(kind, text));

/** Is the word the name of a kind? */
export const isKind = (word: string): word is IdKind => Object.hasOwn(ID_PREFIXES, word);

/** The message for an id of the wrong kind; null if the text is no id of another kind. */
export function wrongKindWords(wanted: IdKind, text: string): string | null {
  const kind = kindOf(text);
  if (kind === null || kind === wanted) return null;
  return `${text} is ${article(kindWords(kind))} ${kindWords(kind)} id; this needs ${idKindWords(wanted)}`;
}

/** The same for the pattern of the kind that is wanted. */
export function wrongIdWords(pattern: string, text: string): string | null {
  const wanted = kindsByPattern.get(pattern);
  return wanted === undefined ? null : wrongKindWords(wanted, text);
}
