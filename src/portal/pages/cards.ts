import { merchantSettings } from '../../identity/index.ts';
import { listDueInvoices } from '../../invoicing/index.ts';
import { orThrow } from '../../kernel/result.ts';
import { figuresOf } from '../../look/index.ts';
import { type Html, html } from '../../pages/index.ts';
import {
  checkTakesCards,
  listMethods,
  makeDefault,
  openSetup,
  type PaymentMethod,
  removeMethod,
} from '../../payments/index.ts';
import { isPaidFor, type Outcome, type PortalPage, type Visit } from '../frame/page.ts';
import { actForm, doneNote } from '../frame/shell.ts';
import type { PortalDependencies } from '../links/dependencies.ts';
import { PAGE_WORDS } from '../words/page-words.ts';
import { PORTAL_WORDS } from '../words/words.ts';

const MOST_CARDS = 50;

/** The cards of the customer, with the actions for each; null where another customer pays. */
export async function cardsPage(visit: Visit): Promise<PortalPage | null> {
  if (isPaidFor(visit)) return null;
  const { tx, merchantId, customerId, look, base, seller } = visit;
  const words = PAGE_WORDS[look.locale];
  const title = PORTAL_WORDS[look.locale].tabs.cards;
  const { rows } = orThrow(await listMethods(tx, { merchantId, customerId }, { limit: MOST_CARDS, offset: 0 }));
  const takesCards = checkTakesCards(await merchantSettings(tx)).ok;
  return {
    title,
    tab: 'cards',
    body: html`<section><h1>${title}</h1>
${doneNote(visit)}
${await failedNote(visit)}
${rows.length === 0 ? html`<p class="soft">${words.noCards}</p>` : rows.map((card) => cardRow(visit, card))}
${
  takesCards
    ? html`${actForm(visit, `${base}/cards`, words.addCard)}<p class="soft">${words.addCardNote}</p>`
    : html`<p class="soft">${words.takesNoCards(seller)}</p>`
}
</section>`,
  };
}

function cardRow(visit: Visit, card: PaymentMethod): Html {
  const { look, base, now } = visit;
  const words = PAGE_WORDS[look.locale];
  const name = figuresOf(look.locale).card(card);
  const month = `${String(card.expMonth).padStart(2, '0')}/${card.expYear}`;
  const end = Temporal.PlainYearMonth.from({ year: card.expYear, month: card.expMonth });
  const isOver =
    Temporal.PlainYearMonth.compare(end, now.toZonedDateTimeISO('UTC').toPlainDate().toPlainYearMonth()) < 0;
  const path = `${base}/cards/${card.id}`;
  return html`<div class="row"><div><strong>${name}</strong> ${card.isDefault ? html`<span class="tag good">${words.isDefault}</span>` : null}
<span class="note">${isOver ? words.expired(month) : words.expires(month)}</span></div>
<div class="acts">${card.isDefault ? null : actForm(visit, `${path}/default`, words.makeDefault, { hint: name })}
${actForm(visit, `${path}/remove`, words.remove, { look: 'small second', hint: name })}</div></div>
`;
}

/** The failed charge, and the time of its next attempt. */
async function failedNote({ tx, merchantId, customerId, look, now }: Visit): Promise<Html | null> {
  const due = await listDueInvoices(tx, { merchantId, customerId }, now);
  const failed = due.find(({ invoice }) => invoice.status === 'PAYMENT_FAILED' && !invoice.paymentInFlight)?.invoice;
  if (!failed) return null;
  const words = PAGE_WORDS[look.locale];
  const { money, day } = figuresOf(look.locale);
  const again = failed.nextActionAt;
  return html`<p class="notice">${words.failedNote(money(failed.unpaidAmount, failed.currency))}${again === null ? null : html` ${words.againOn(day(again))}`}</p>`;
}

/** Leads to the page on which a card is entered; it is the one that is charged from then on. */
export async function addCard({ environment, publicUrl }: PortalDependencies, visit: Visit): Promise<Outcome> {
  if (isPaidFor(visit)) return null;
  const { tx, merchantId, customerId, base, now } = visit;
  const own = { returnTo: `${publicUrl}/portal/cards?done=default`, becomesDefault: true };
  const opened = await openSetup(tx, environment, { merchantId, customerId }, own, now);
  if (!opened.ok) return { to: '/cards' };
  await visit.audit(opened.value.id, null, { paymentSessionId: opened.value.id });
  return { toOurs: `${base.replace(/\/portal$/, '')}/pay/${opened.value.id}` };
}

/** Makes a card the one that is charged first, also for what could not be charged before. */
export async function chooseCard(visit: Visit): Promise<Outcome> {
  const { tx, merchantId, customerId, params } = visit;
  const made = await makeDefault(tx, { merchantId, customerId }, params.cardId ?? '');
  if (!made.ok) return null;
  await visit.audit(made.value.id, null, { isDefault: true });
  return { to: '/cards?done=default' };
}

/** Forgets a card. */
export async function removeCard(visit: Visit): Promise<Outcome> {
  const { tx, merchantId, customerId, params } = visit;
  const id = params.cardId ?? '';
  const removed = await removeMethod(tx, { merchantId, customerId }, id);
  if (!removed.ok) return null;
  await visit.audit(id, null, null);
  return { to: '/cards?done=removed' };
}
