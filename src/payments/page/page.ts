import type { Instant } from '../../kernel/time.ts';
import {
  brandName,
  downloadLinks,
  endFrame,
  formatsOf,
  frame,
  Html,
  html,
  type Look,
  lineTables,
  logoImage,
  openForm,
} from '../../pages/index.ts';
import type { EntityDescription, EntityStanding } from '../handlers.ts';
import type { DeclineReason } from '../provider.ts';
import type { PaymentSession } from '../sessions.sql.ts';
import { isOver } from '../sessions.ts';
import { TEST_CARDS, type TestCard, testCards } from '../test-cards.ts';

/** What went wrong with what was just sent. */
export type PageProblem = 'choose a card' | 'not payable' | 'provider away';

/** What a customer sees of a session. */
export interface PageView {
  readonly session: PaymentSession;
  /** Null where upstream no longer knows what it was for: the amount is shown all the same. */
  readonly entity: EntityDescription | null;
  /** The merchant's name, where the entity does not say it. */
  readonly seller: string;
  readonly look: Look;
  /** Effective now for the session. */
  readonly now: Instant;
  readonly problem?: PageProblem;
}

const DECLINES: Readonly<Record<DeclineReason, string>> = {
  card_declined: 'The card was declined.',
  insufficient_funds: 'The card has insufficient funds.',
  expired_card: 'The card has expired.',
  incorrect_cvc: 'The security code is wrong.',
  authentication_required: 'The bank asks you to confirm the payment.',
  processing_error: 'The bank could not process the payment.',
};

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
      if (session.pending_card === 'pm_3ds') return confirmPage(view);
      return endPage(view, 'Your payment is on its way', 'The bank has not answered yet. You can close this page.');
    case 'expired':
      return overPage(view, expiredWords(view));
    case 'cancelled':
      return overPage(view, { heading: 'This payment was cancelled', text: 'Nothing was charged.' });
    case 'pending':
    case 'failed':
      if (isOver(session, now)) return overPage(view, expiredWords(view));
      return view.entity?.standing?.isPayable === false ? overPage(view, view.entity.standing) : openPage(view);
  }
}

function openPage(view: PageView): string {
  const { session } = view;
  const { money, minute } = formatsOf(view.look.locale);
  const isPayment = session.mode === 'payment';
  const deed = isPayment ? `Pay ${money(session.amount, session.currency)}` : 'Save card';
  const heading = isPayment ? 'Pay by card' : 'Save a card';
  const problem = problemOf(view);
  return frame(
    `${problem ? 'Not paid yet – ' : ''}${deed} – ${sellerOf(view)}`,
    view.look,
    html`<div class="sheet two">
${summary(view)}
<section aria-labelledby="pay">
<h2 id="pay">${heading}</h2>
${problem && html`<div class="notice" role="alert"><strong>${problem.title}</strong>${problem.text}</div>`}
<form method="post" action="${session.id}">
${session.provider === 'sandbox' ? cardChoices : html`<p>You enter your card on the secure page of our payment provider.</p>`}
<button type="submit">${deed}</button>
</form>
<p class="fine">This link works until ${minute(session.expires_at)}.</p>
${back(session.failure_redirect_url, html`Cancel and return to <bdi>${sellerOf(view)}</bdi>`)}
</section>
</div>`,
  );
}

const cardChoices = html`<fieldset><legend>Choose a test card</legend>
${TEST_CARDS.map(cardChoice)}
</fieldset>`;

function problemOf({ session, problem }: PageView): { title: string; text: string } | null {
  if (problem === 'choose a card') return { title: 'Choose a card.', text: 'Nothing was charged.' };
  if (problem === 'not payable')
    return {
      title: 'This can no longer be paid here.',
      text: 'Nothing was charged. Ask for a new link if you still owe it.',
    };
  if (problem === 'provider away')
    return { title: 'The payment provider does not answer.', text: 'Nothing was charged. Try again in a moment.' };
  if (session.status !== 'failed' || session.failure_reason === null) return null;
  return { title: DECLINES[session.failure_reason], text: 'Nothing was charged. Try another card.' };
}

function cardChoice(card: (typeof TEST_CARDS)[number]): Html {
  const { brand, last4, label } = testCards[card];
  return html`<label class="card"><input type="radio" name="paymentMethod" value="${card}" required${card === 'pm_ok' ? new Html(' checked') : null}>
<span><span class="face">${brandName(brand)} <span class="unseen">ending in</span><span aria-hidden="true">••••</span> ${last4}</span><span class="note">${label}</span></span></label>
`;
}

/** What is paid for. The big figure is what the session charges; the lines are upstream's. */
function summary(view: PageView): Html {
  const { session, entity } = view;
  const { money, day } = formatsOf(view.look.locale);
  const isPayment = session.mode === 'payment';
  return html`<section class="summary">
${logoImage(entity?.logo)}
<p class="seller"><bdi>${sellerOf(view)}</bdi></p>
<h1 dir="auto">${titleOf(view)}</h1>
${isPayment ? html`<p class="amount">${money(session.amount, session.currency)}</p>` : html`<p class="lead">Your card is kept for later payments. Nothing is charged now.</p>`}
${entity?.dueAt ? html`<p class="soft">Due ${day(entity.dueAt)}</p>` : null}
${isPayment && entity && entity.lines.length > 0 ? lineTables(view.look.locale, entity, [['To pay', session.amount]]) : null}
${entity?.standing ? downloadLinks(entity.standing.downloads) : null}
</section>`;
}

function completedPage(view: PageView): string {
  const { session, entity } = view;
  const { money, minute } = formatsOf(view.look.locale);
  const isPayment = session.mode === 'payment';
  const heading = isPayment ? 'Payment received' : 'Card saved';
  const standing = isPayment ? entity?.standing : undefined;
  return endFrame(view.look, {
    title: `${heading} – ${sellerOf(view)}`,
    sign: 'check',
    heading,
    body: html`<p class="soft">${isPayment ? html`<bdi>${sellerOf(view)}</bdi> has received your payment.` : html`<bdi>${sellerOf(view)}</bdi> can charge it for what you agree to.`}</p>
${isPayment ? html`<p class="amount">${money(session.amount, session.currency)}</p>` : null}
<p class="soft" dir="auto">${titleOf(view)}</p>
${session.completed_at && html`<p class="soft">${minute(session.completed_at)}</p>`}
${standing ? html`<p class="soft">${standing.text}</p>` : null}
${session.success_redirect_url === null ? null : back(session.success_redirect_url, html`Return to <bdi>${sellerOf(view)}</bdi>`, 'button')}
${standing ? html`${downloadLinks(standing.downloads)}${pageLink(standing)}` : null}
${session.success_redirect_url === null ? html`<p class="fine">You can close this page.</p>` : null}`,
  });
}

/** The bank asks the customer to confirm, as a 3-D Secure page does. */
function confirmPage(view: PageView): string {
  const { session } = view;
  const { money } = formatsOf(view.look.locale);
  const choose = (card: TestCard, label: string) =>
    html`<form method="post" action="${session.id}"><input type="hidden" name="paymentMethod" value="${card}"><button type="submit">${label}</button></form>`;
  return endPage(
    view,
    'Confirm this payment',
    `Your bank asks whether you pay ${money(session.amount, session.currency)}.`,
    html`${choose('pm_3ds', 'Confirm')}${choose('pm_declined', 'Refuse')}`,
  );
}

const expiredWords = ({ session, entity }: PageView): { heading: string; text: string } => {
  if (session.mode === 'setup')
    return {
      heading: 'This link has expired',
      text: 'No card was saved. Ask for a new link if you still want to save one.',
    };
  const isPayable = entity?.standing?.isPayable === true;
  const next = isPayable ? 'You can still pay with a new link.' : 'Ask for a new link if you still want to pay.';
  return { heading: 'This payment link has expired', text: `Nothing was charged. ${next}` };
};

/** A session that can no longer be paid by: what is said of it counts only while its invoice still asks. */
function overPage(view: PageView, words: { readonly heading: string; readonly text: string }): string {
  const standing = view.entity?.standing;
  if (!standing) return endPage(view, words.heading, words.text);
  return standing.isPayable
    ? endPage(view, words.heading, words.text, openForm(standing.page, 'Open a new payment page'))
    : endPage(view, standing.heading, standing.text);
}

function endPage(view: PageView, heading: string, text: string, button: Html | null = null): string {
  const standing = view.entity?.standing;
  return endFrame(view.look, {
    title: `${heading} – ${sellerOf(view)}`,
    sign: 'clock',
    heading,
    body: html`<p class="soft">${text}</p>
<p class="soft" dir="auto">${titleOf(view)}</p>
${button}
${back(view.session.failure_redirect_url, html`Return to <bdi>${sellerOf(view)}</bdi>`, button === null ? 'button' : 'link')}
${standing ? html`${downloadLinks(standing.downloads)}${pageLink(standing)}` : null}`,
  });
}

const pageLink = ({ page }: EntityStanding): Html => html`<p class="fine"><a href="${page}">See the invoice</a></p>`;

/** A way back to the merchant, where it gave one; the address was checked when the session was opened. */
const back = (url: string | null, text: Html, kind: 'link' | 'button' = 'link'): Html | null => {
  if (url === null) return null;
  return kind === 'button'
    ? html`<a class="button" rel="noreferrer" href="${url}">${text}</a>`
    : html`<p class="fine"><a rel="noreferrer" href="${url}">${text}</a></p>`;
};

const sellerOf = ({ entity, seller }: PageView): string => entity?.seller ?? seller;

function titleOf({ session, entity }: PageView): string {
  if (!entity) return session.mode === 'setup' ? 'Payment method' : (session.entity_label ?? 'Payment');
  return entity.number ? `${entity.title} ${entity.number}` : entity.title;
}
