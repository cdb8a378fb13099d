import type { Instant } from '../../kernel/time.ts';
import { brandName, figuresOf } from '../../look/index.ts';
import {
  addressBlock,
  billTable,
  type Contact,
  contactLinks,
  downloadLinks,
  endFrame,
  frame,
  Html,
  html,
  type Look,
  logoImage,
  openForm,
  type PageTotal,
} from '../../pages/index.ts';
import { TEST_CARDS, type TestCard, testCards } from '../provider/test-cards.ts';
import type { EntityDescription, EntityStanding } from '../records/handlers.ts';
import type { PaymentSession } from '../records/session.ts';
import { isOver } from '../sessions/sessions.ts';
import { PAYMENT_WORDS, type PageProblem } from './words.ts';

/** The view of a session for the customer. */
export interface PageView {
  readonly session: PaymentSession;
  /** Null if its subject no longer exists: the amount is still shown. */
  readonly entity: EntityDescription | null;
  /** The merchant's name, where the entity does not say it. */
  readonly seller: string;
  /** How the merchant can be reached. */
  readonly contact: Contact;
  readonly look: Look;
  /** Effective now for the session. */
  readonly now: Instant;
  readonly problem?: PageProblem | undefined;
  /** The number of automatic checks for the bank's answer; null: no automatic checks. */
  readonly looks?: number | null;
}

/** The page looks for two minutes, every three seconds. */
export const MOST_LOOKS = 40;

/** The address at which a waiting page looks again; undefined if it does not wait, or has looked often enough. */
export function looksAgainAt({ session, looks }: PageView): string | undefined {
  const waits = session.status === 'processing' && session.pendingCard !== 'pm_3ds';
  return waits && typeof looks === 'number' && looks < MOST_LOOKS ? `./${session.id}?look=${looks + 1}` : undefined;
}

/**
 * The hosted page `/pay/{id}` for the state that the session is in. Where it can no longer be paid by, what counts
 * is how the thing stands that it was for.
 */
export function checkoutPage(view: PageView): string {
  const { session, now } = view;
  switch (session.status) {
    case 'completed':
      return completedPage(view);
    case 'processing':
      if (session.pendingCard === 'pm_3ds') return confirmPage(view);
      return waitingPage(view);
    case 'expired':
      return overPage(view, expiredWords(view));
    case 'cancelled':
      return overPage(view, wordsOf(view).cancelled);
    case 'pending':
    case 'failed':
      if (isOver(session, now)) return overPage(view, expiredWords(view));
      return view.entity?.standing?.isPayable === false ? overPage(view, view.entity.standing) : openPage(view);
  }
}

const wordsOf = ({ look }: PageView) => PAYMENT_WORDS[look.locale];
const nameOf = (view: PageView): Html => html`<bdi>${sellerOf(view)}</bdi>`;

function openPage(view: PageView): string {
  const { session } = view;
  const words = wordsOf(view);
  const { money, minute } = figuresOf(view.look.locale);
  const isPayment = session.mode === 'payment';
  const deed = isPayment ? words.pay(money(session.amount, session.currency)) : words.save;
  const problem = problemOf(view);
  return frame(
    `${problem ? `${words.notPaidYet} – ` : ''}${deed} – ${sellerOf(view)}`,
    view.look,
    html`<div class="sheet two">
${summary(view)}
<section aria-labelledby="pay">
<h2 id="pay">${isPayment ? words.payBy : words.saveBy}</h2>
${problem && html`<div class="notice" role="alert"><strong>${problem.heading}</strong>${problem.text}</div>`}
<form method="post" action="${session.id}">
${session.provider === 'sandbox' ? cardChoices(view) : html`<p>${words.atProvider}</p>`}
<button type="submit">${deed}</button>
</form>
<p class="fine">${words.worksUntil(minute(session.expiresAt))}</p>
${back(session.failureRedirectUrl, words.cancelAndReturn(nameOf(view)))}
</section>
</div>`,
  );
}

const cardChoices = (view: PageView): Html => html`<fieldset><legend>${wordsOf(view).chooseTestCard}</legend>
${TEST_CARDS.map((card) => cardChoice(view, card))}
</fieldset>`;

function problemOf(view: PageView): { heading: string; text: string } | null {
  const { session, problem } = view;
  const words = wordsOf(view);
  if (problem !== undefined) return words.problems[problem];
  if (session.status !== 'failed' || session.failureReason === null) return null;
  return { heading: words.declines[session.failureReason], text: words.tryAnother };
}

function cardChoice(view: PageView, card: TestCard): Html {
  const { brand, last4 } = testCards[card];
  const words = wordsOf(view);
  return html`<label class="card"><input type="radio" name="paymentMethod" value="${card}" required${card === 'pm_ok' ? new Html(' checked') : null}>
<span><span class="face">${brandName(brand)} <span class="unseen">${words.endingIn}</span><span aria-hidden="true">••••</span> ${last4}</span><span class="note">${words.testCards[card]}</span></span></label>
`;
}

/** The subject of the payment. The big figure is the charge of the session; the lines are from its handler. */
function summary(view: PageView): Html {
  const { session, entity } = view;
  const { money, day } = figuresOf(view.look.locale);
  const words = wordsOf(view);
  const isPayment = session.mode === 'payment';
  return html`<section class="summary">
${logoImage(entity?.logo)}
<p class="seller">${nameOf(view)}</p>
<h1 dir="auto">${titleOf(view)}</h1>
${isPayment ? html`<p class="amount">${money(session.amount, session.currency)}</p>` : html`<p class="lead">${words.keptForLater}</p>`}
${entity?.dueAt ? html`<p class="soft">${words.due(day(entity.dueAt))}</p>` : null}
${buyerOf(view)}
${isPayment ? billOf(view, words.toPay) : null}
${noteOf(view)}
${entity?.standing ? downloadLinks(entity.standing.downloads) : null}
</section>`;
}

/** Who pays. */
function buyerOf({ entity, look }: PageView): Html | null {
  const { buyer = [] } = entity ?? {};
  return buyer.length === 0
    ? null
    : html`<h2 class="label">${PAYMENT_WORDS[look.locale].billedTo}</h2>${addressBlock(buyer)}`;
}

/** The lines and their total; a payment of another amount than the total is a row of its own. */
function billOf({ session, entity, look }: PageView, label: string): Html | null {
  if (!entity || entity.bill.lines.length === 0) return null;
  const { totals } = entity.bill;
  const isTotal = totals.at(-1)?.amount.eq(session.amount) === true;
  const row: PageTotal = { label, amount: session.amount, isStrong: true };
  return billTable(look.locale, entity.bill, isTotal ? [] : [row]);
}

/** The further consequence of the payment. */
const noteOf = ({ entity }: PageView): Html | null =>
  entity?.note === undefined ? null : html`<p class="soft" dir="auto">${entity.note}</p>`;

function completedPage(view: PageView): string {
  const { session, entity } = view;
  const { money, minute } = figuresOf(view.look.locale);
  const words = wordsOf(view);
  const isPayment = session.mode === 'payment';
  const heading = isPayment ? words.received : words.saved;
  const standing = isPayment ? entity?.standing : undefined;
  return endFrame(view.look, {
    title: `${heading} – ${sellerOf(view)}`,
    sign: 'check',
    heading,
    body: html`<p class="soft">${isPayment ? words.hasReceived(nameOf(view)) : words.mayCharge(nameOf(view))}</p>
${isPayment ? html`<p class="amount">${money(session.amount, session.currency)}</p>` : null}
<p class="soft" dir="auto">${titleOf(view)}</p>
${session.completedAt && html`<p class="soft">${minute(session.completedAt)}</p>`}
${isPayment && !standing ? billOf(view, words.amountPaid) : null}
${noteOf(view)}
${standing && !standing.isPaid ? html`<p class="soft">${standing.text}</p>` : null}
${session.successRedirectUrl === null ? null : back(session.successRedirectUrl, words.returnTo(nameOf(view)), 'button')}
${standing ? html`${downloadLinks(standing.downloads)}${pageLink(view, standing)}` : null}
${session.successRedirectUrl === null ? accountLink(view) : null}`,
  });
}

/** The bank has not answered: the page checks again automatically. */
const waitingPage = (view: PageView): string => {
  const { onItsWay, looksAgain, lookAgain, stopLooking } = wordsOf(view);
  const { id } = view.session;
  const looks =
    looksAgainAt(view) === undefined
      ? html`<a class="button" href="./${id}?look=0">${lookAgain}</a>`
      : html`<p class="soft" role="status">${looksAgain}</p><p class="fine"><a href="./${id}?look=off">${stopLooking}</a></p>`;
  return endPage(view, onItsWay.heading, onItsWay.text, looks);
};

/** The bank asks the customer to confirm, as a 3-D Secure page does. */
function confirmPage(view: PageView): string {
  const { session } = view;
  const { money } = figuresOf(view.look.locale);
  const words = wordsOf(view);
  const choose = (card: TestCard, label: string, look: string) =>
    html`<form method="post" action="${session.id}"><input type="hidden" name="paymentMethod" value="${card}"><button type="submit"${look === '' ? null : html` class="${look}"`}>${label}</button></form>`;
  return endPage(
    view,
    words.confirm.heading,
    session.mode === 'payment' ? words.confirm.text(money(session.amount, session.currency)) : words.confirmCard,
    html`${choose('pm_3ds', words.confirmButton, '')}${choose('pm_declined', words.refuseButton, 'plainly')}`,
  );
}

function expiredWords(view: PageView): { heading: string; text: string } {
  const { setupExpired, expired } = wordsOf(view);
  if (view.session.mode === 'setup') return setupExpired;
  const isPayable = view.entity?.standing?.isPayable === true;
  return { heading: expired.heading, text: isPayable ? expired.open : expired.over };
}

/** A session that can no longer be paid: its message counts only while its invoice is unpaid. */
function overPage(view: PageView, words: { readonly heading: string; readonly text: string }): string {
  const standing = view.entity?.standing;
  if (!standing) return endPage(view, words.heading, words.text);
  return standing.isPayable
    ? endPage(view, words.heading, words.text, openForm(standing.page, wordsOf(view).newPage))
    : endPage(view, standing.heading, standing.text);
}

function endPage(view: PageView, heading: string, text: string, button: Html | null = null): string {
  const standing = view.entity?.standing;
  return endFrame(view.look, {
    title: `${heading} – ${sellerOf(view)}`,
    sign: 'clock',
    heading,
    body: html`<p class="soft">${text}</p>
<p class="soft"><span dir="auto">${titleOf(view)}</span> – ${nameOf(view)}</p>
${button}
${back(view.session.failureRedirectUrl, wordsOf(view).returnTo(nameOf(view)), button === null ? 'button' : 'link')}
${standing ? html`${downloadLinks(standing.downloads)}${pageLink(view, standing)}` : null}
${contactLinks(view.contact)}`,
  });
}

/** The customer's account with the merchant, which a payer who is no customer has not. */
const accountLink = (view: PageView): Html =>
  view.session.customerId === null
    ? html`<p class="fine">${wordsOf(view).closePage}</p>`
    : html`<a class="button" href="../portal/${view.session.merchantId}">${wordsOf(view).accountWith(nameOf(view))}</a>`;

const pageLink = (view: PageView, { page }: EntityStanding): Html =>
  html`<p class="fine"><a href="${page}">${wordsOf(view).seeInvoice}</a></p>`;

/** A way back to the merchant, where it gave one; the address was checked when the session was opened. */
const back = (url: string | null, text: Html, kind: 'link' | 'button' = 'link'): Html | null => {
  if (url === null) return null;
  return kind === 'button'
    ? html`<a class="button" rel="noreferrer" href="${url}">${text}</a>`
    : html`<p class="fine"><a rel="noreferrer" href="${url}">${text}</a></p>`;
};

const sellerOf = ({ entity, seller }: PageView): string => entity?.seller ?? seller;

function titleOf(view: PageView): string {
  const { session, entity } = view;
  const words = wordsOf(view);
  if (!entity) return session.mode === 'setup' ? words.paymentMethod : (session.entityLabel ?? words.payment);
  return entity.number ? `${entity.title} ${entity.number}` : entity.title;
}
