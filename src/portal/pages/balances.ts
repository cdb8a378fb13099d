import { findFeatures } from '../../catalog/index.ts';
import { type CustomerBalance, findCustomerBalances } from '../../entitlements/index.ts';
import { findCreditBalances } from '../../invoicing/index.ts';
import { type Decimal, decimal } from '../../kernel/decimal.ts';
import { parseInstant } from '../../kernel/time.ts';
import { breakable, figuresOf } from '../../look/index.ts';
import { type Html, html, stackedTable } from '../../pages/index.ts';
import { highestOf, lineChart, type Point } from '../frame/chart.ts';
import { isPaidFor, type PortalPage, type Visit } from '../frame/page.ts';
import type { PortalDependencies } from '../links/dependencies.ts';
import { PAGE_WORDS } from '../words/page-words.ts';
import { PORTAL_WORDS } from '../words/words.ts';

/**
 * The entitlements of the customer, their balances, and the history of the present period; and the money of its billing
 * credits.
 */
export async function balancesPage({ invoicing }: PortalDependencies, visit: Visit): Promise<PortalPage> {
  const { tx, merchantId, customerId, look, now, signal } = visit;
  const words = PAGE_WORDS[look.locale];
  const title = PORTAL_WORDS[look.locale].tabs.balances;
  const balances = await findCustomerBalances(tx, { merchantId, customerId }, { signal }, now);
  const credits = isPaidFor(visit) ? [] : await findCreditBalances(invoicing, tx, customerId, now);
  const features = await findFeatures(
    tx,
    [merchantId],
    balances.map(({ detail }) => detail.featureId),
  );
  const names = new Map(features.map(({ id, name }) => [id, name]));
  return {
    title,
    tab: 'balances',
    body: html`<section><h1>${title}</h1>${balances.length + credits.length === 0 ? html`<p class="soft">${words.noBalances}</p>` : null}</section>
${credits.map((each) => creditSection(visit, each))}${balances.map((each, index) => balanceSection(visit, each, names.get(each.detail.featureId) ?? each.detail.featureKey, `balance-${index}`))}`,
  };
}

type FoundCredits = Awaited<ReturnType<typeof findCreditBalances>>;

/** What is left of the billing credits in a currency. Open periods use them before they are invoiced. */
function creditSection({ look }: Visit, { currency, available, used, pending }: FoundCredits[0]): Html {
  const words = PAGE_WORDS[look.locale];
  const money = (amount: Decimal) => figuresOf(look.locale).money(amount, currency);
  const id = `credit-${currency}`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${words.credits}</h2>
<p class="amount">${money(available)}</p>
<p class="soft">${words.left} · ${words.beforeTax}</p>
<dl class="facts"><div><dt>${words.used}</dt><dd>${money(used.plus(pending))}</dd></div></dl>
</section>
`;
}

function balanceSection({ look }: Visit, { detail, windows }: CustomerBalance, name: string, id: string): Html {
  const words = PAGE_WORDS[look.locale];
  const { quantity: number, day } = figuresOf(look.locale);
  if (detail.featureType !== 'metered')
    return html`<section aria-labelledby="${id}"><h2 id="${id}"><bdi>${name}</bdi></h2><p class="soft">${words.included}</p></section>
`;
  const fact = (label: string, value: string) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`;
  const figure = (value: number) => decimal(value);
  const [reserved, overage] = [figure(detail.reserved), figure(detail.overage)];
  const end = detail.currentPeriodEnd === null ? null : parseInstant(detail.currentPeriodEnd);
  const points: Point[] = windows.map(({ from, balanceAtEnd }) => ({
    label: day(Temporal.Instant.from(from)),
    value: decimal(balanceAtEnd),
  }));
  const highest = number(highestOf(points));
  const title = words.chartOf(name, points[0]?.label ?? '', points.at(-1)?.label ?? '', highest);
  return html`<section aria-labelledby="${id}"><h2 id="${id}"><bdi>${name}</bdi></h2>
<p class="amount">${number(figure(detail.balance))}</p>
<p class="soft">${detail.hasAccess ? words.left : words.noAccess}${end === null ? html` · ${words.once}` : html` · ${words.until(day(end))}`}${detail.isSoftLimit ? html` · ${words.soft}` : null}</p>
<dl class="facts">${fact(words.used, number(figure(detail.usageInPeriod)))}${reserved.isZero() ? null : fact(words.reserved, number(reserved))}${overage.isZero() ? null : fact(words.overage, number(overage))}</dl>
${highestOf(points).isZero() ? null : lineChart(title, `${id}-chart`, points, highest)}
${
  points.length === 0
    ? null
    : html`<details><summary>${words.asTable}<span class="unseen">: <bdi>${name}</bdi></span></summary>
${stackedTable({
  ...{ caption: name, named: words.onDay, columns: [{ head: words.used }, { head: words.balance }] },
  rows: windows.map(({ usage, balanceAtEnd }, index) => ({
    name: html`${points[index]?.label ?? ''}`,
    cells: [breakable(number(decimal(usage))), breakable(number(decimal(balanceAtEnd)))],
  })),
})}</details>`
}
</section>
`;
}
