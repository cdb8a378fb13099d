import { type Decimal, plain } from '../kernel/decimal.ts';
import { DEFAULT_LOCALE, type Locale } from '../kernel/locale.ts';
import type { Instant } from '../kernel/time.ts';
import { type DisplayUnit, quantityIn, unitOf } from '../look/index.ts';
import type { MailContent } from './content.ts';
import { between, type Correspondents, letterheadOf, name, type Rows, row, writtenIn } from './correspondents.ts';
import { MAIL_WORDS } from './words.ts';

/** The facts of a mail about an alert. The merchant is written to in English. */
export interface AlertFacts extends Correspondents {
  readonly customerId: string;
  readonly alertId: string;
  readonly alertName: string | null;
  readonly type: 'balance' | 'invoice_total' | 'usage' | 'billing_credits';
  readonly metricName: string | null;
  readonly featureName: string | null;
  /** Of an invoice total and of billing credits. */
  readonly currency: string | null;
  /** Of usage, and of a balance whose metrics have one: `token`, or the unit in which it is shown. */
  readonly unit: string | DisplayUnit | null;
  readonly threshold: Decimal | null;
  readonly percent: Decimal | null;
  readonly whole: Decimal | null;
  readonly value: Decimal;
  readonly periodStart: Instant;
  readonly periodEnd: Instant | null;
  readonly blocksAccess: boolean;
  /** The door of the customer portal; null: mails do not lead there. */
  readonly account: string | null;
}

/** A figure of an alert: money with its currency, all else with its unit. */
function alertFigure({ currency, unit }: AlertFacts, figure: Decimal, locale: Locale): string {
  const { sum, quantity } = writtenIn(locale);
  if (currency !== null) return sum(figure, currency);
  if (unit !== null && typeof unit !== 'string')
    return `${quantity(quantityIn(figure, unit))}\u00a0× ${name(unit.name)}`;
  const digits = quantity(plain(figure));
  return unit === null ? digits : `${digits} ${unitOf(name(unit), figure, locale)}`;
}

const FALLING: ReadonlySet<AlertFacts['type']> = new Set(['balance', 'billing_credits']);

/** The threshold of an alert, in words. */
function thresholdWords(facts: AlertFacts, locale: Locale): string {
  const { type, threshold, percent, whole } = facts;
  const { words, percent: share } = writtenIn(locale);
  if (threshold === null)
    return words.alert.share(share(percent as Decimal), whole === null ? null : alertFigure(facts, whole, locale));
  const shown = alertFigure(facts, threshold, locale);
  return FALLING.has(type) ? words.alert.orLess(shown) : shown;
}

/** The event, as a sentence. @param owner null: the reader */
function alertSentence(facts: AlertFacts, owner: string | null, locale: Locale): string {
  const { type, threshold, percent } = facts;
  const { words, percent: share } = writtenIn(locale);
  if (type === 'billing_credits' && threshold === null)
    return words.alert.creditsUsed(share(percent as Decimal), owner);
  return type === 'balance' && threshold === null
    ? words.alert.used(share(percent as Decimal), owner)
    : words.alert.reached[type](thresholdWords(facts, locale), owner);
}

/** The name of the program, which writes to merchants itself. */
export const PROGRAM = 'Reckoner';

/** What an alert says to each of its readers. */
function alertWords(facts: AlertFacts, locale: Locale, owner: string | null) {
  const { type, metricName, featureName, value, periodStart, periodEnd, blocksAccess } = facts;
  const { words, date } = writtenIn(locale);
  const { label, alert } = words;
  const rows: Rows = [
    ...row(metricName !== null, label.metric, name(metricName ?? '')),
    ...row(featureName !== null, label.feature, name(featureName ?? '')),
    [alert.figure[type], alertFigure(facts, value, locale)],
    [label.threshold, thresholdWords(facts, locale)],
    [label.since, date(periodStart)],
    ...row(periodEnd !== null, label.until, periodEnd === null ? '' : date(periodEnd)),
  ];
  return {
    figure: alertFigure(facts, value, locale),
    paragraphs: [alertSentence(facts, owner, locale), blocksAccess ? alert.budget : alert.once],
    rows,
  };
}

/** The mail about a triggered alert for the customer of its figure, from the merchant. */
export function customerAlertMail(facts: AlertFacts): MailContent {
  const { locale, alertName, account } = facts;
  const { subject, openAccount } = MAIL_WORDS[locale];
  const { figure, paragraphs, rows } = alertWords(facts, locale, null);
  return {
    ...between(facts, 'alert'),
    subject: subject.alert(alertName === null ? null : name(alertName), null),
    figure,
    paragraphs,
    facts: rows,
    action: account === null ? null : { label: openAccount, url: account },
  };
}

/** The mail about a triggered alert for the merchant, from Reckoner. It names what the API calls customer and alert. */
export function merchantAlertMail(facts: AlertFacts): MailContent {
  const { seller, buyerName, customerId, alertId, alertName } = facts;
  const locale = DEFAULT_LOCALE;
  const { greeting, subject, label, because } = MAIL_WORDS[locale];
  const buyer = name(buyerName);
  const named = alertName === null ? null : name(alertName);
  const { figure, paragraphs, rows } = alertWords(facts, locale, buyer);
  const known = (what: string | null, id: string): string => (what === null ? id : `${what} (${id})`);
  return {
    locale,
    greeting: greeting(name(seller.name)),
    signature: PROGRAM,
    letterhead: letterheadOf({ name: PROGRAM, accent: null }, locale),
    because: because.ownAlert(name(seller.name)),
    subject: subject.alert(named, buyer),
    figure,
    paragraphs,
    facts: [[label.customer, known(buyer, customerId)], [label.alert, known(named, alertId)], ...rows],
    action: null,
  };
}
