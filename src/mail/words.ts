import type { InEachLocale } from '../kernel/locale.ts';
import { TERMS } from '../look/index.ts';

/** The words of mails. Amounts, days and names come as they are written in the language. */
const en = {
  greeting: (name: string) => `Hello ${name},`,
  seeInvoice: 'See this invoice',
  payInvoice: 'Pay this invoice',
  openAccount: 'Open your account',
  allInvoices: 'All your invoices',
  changeMethod: 'Change the payment method',
  manage: 'Manage the subscription',
  /** Between a label and its value, in plain text. */
  colon: ':',
  sandbox: 'Sandbox: this email is stored, not sent, and no money moves.',
  /** Why somebody gets a mail. */
  because: {
    invoices: (seller: string, buyer: string) =>
      `You get this email because ${seller} sends the invoices of ${buyer} to this address.`,
    subscription: (seller: string, buyer: string) =>
      `You get this email because ${buyer} has a subscription from ${seller}.`,
    alert: (seller: string, buyer: string) => `You get this email because ${seller} has set an alert for ${buyer}.`,
    ownAlert: (seller: string) => `You get this email because ${seller} has set this alert.`,
    account: (seller: string) => `You get this email because somebody asked for a link to your account at ${seller}.`,
  },
  label: {
    ...TERMS.en,
    paidOn: 'Paid on',
    nextAttempt: 'Next attempt',
    refunded: 'Refunded',
    creditTotal: 'Credit note total',
    note: 'Note',
    renewsOn: 'Renews on',
    trialEndsOn: 'Trial ends on',
    estimate: 'Estimated amount',
    card: 'Card',
    metric: 'Metric',
    feature: 'Feature',
    threshold: 'Threshold',
    since: 'Since',
    until: 'Until',
    customer: 'Customer',
    alert: 'Alert',
  },
  subject: {
    issued: (number: string, seller: string) => `Invoice ${number} from ${seller}`,
    paid: (number: string, seller: string) => `Receipt for invoice ${number} from ${seller}`,
    partPaid: (number: string, seller: string) => `Payment received for invoice ${number} from ${seller}`,
    reversed: (number: string, seller: string) => `Payment returned for invoice ${number} from ${seller}`,
    declined: (number: string, seller: string) => `Payment failed for invoice ${number} from ${seller}`,
    refunded: (number: string, seller: string) => `Refund of invoice ${number} from ${seller}`,
    refundVoided: (number: string, seller: string) => `Refund of invoice ${number} from ${seller} cancelled`,
    credited: (note: string, seller: string) => `Credit note ${note} from ${seller}`,
    cancelled: (number: string, seller: string) => `Invoice ${number} from ${seller} cancelled`,
    renewal: (plan: string, day: string) => `Your subscription to ${plan} renews on ${day}`,
    trialEnding: (plan: string, day: string) => `Your free trial of ${plan} ends on ${day}`,
    /** @param buyer of an alert that the merchant reads */
    alert: (named: string | null, buyer: string | null) =>
      `Alert ${named === null ? '' : `“${named}” `}reached${buyer === null ? '' : `: ${buyer}`}`,
  },
  pleasePay: (number: string, amount: string, day: string) =>
    `Here is invoice ${number}. Please pay ${amount} by ${day}.`,
  askForAccount: 'Please ask us for it',
  nothingLeft: (number: string) => `Here is invoice ${number}. There is nothing left to pay.`,
  paid: (number: string) => `Thank you: invoice ${number} is paid.`,
  paidFromBalance: (number: string) => `Invoice ${number} is paid from your balance. You need to do nothing.`,
  received: (amount: string, number: string) => `Thank you: we have received ${amount} for invoice ${number}.`,
  cameBack: (amount: string, number: string) =>
    `Your payment of ${amount} for invoice ${number} did not reach us, or was returned.`,
  leftToPay: (amount: string, day: string) => `${amount} is left to pay. The invoice is due on ${day}.`,
  notCharged: (amount: string, number: string, why: string) =>
    `We could not charge ${amount} for invoice ${number}: ${why}. Nothing was charged.`,
  noCard: 'no card is stored that could be charged',
  /** @param card null: nobody knows which */
  insufficientFunds: (card: string | null) => `your ${card ?? 'card'} had insufficient funds`,
  cardOfAnotherAccount: (card: string | null) => `your ${card ?? 'card'} cannot be charged any more`,
  cardDeclined: (card: string | null) => `your ${card ?? 'card'} was declined`,
  tryAgainOn: (day: string, online: boolean) =>
    `We will try again on ${day}. You can also pay ${online ? 'with any card' : 'by bank transfer'} before that.`,
  otherCard: 'To have another card charged then, change the payment method in your account.',
  writtenOff: 'We will not try again, and you are not asked to pay this invoice any more.',
  noMoreAttempts: 'We will not try again by ourselves.',
  subscriptionEnds: 'Your subscription ends, and the invoice is still to be paid.',
  payOtherwise: (online: boolean) => `Please pay ${online ? 'with any card' : 'by bank transfer'}.`,
  refunded: (number: string, note: string, total: string) =>
    `We have refunded invoice ${number}. Credit note ${note} is over ${total}.`,
  /** @param card null: the payment was by a card that is not known */
  backToCard: (amount: string, card: string | null) => `${amount} goes back to your ${card ?? 'card'}.`,
  backAsItCame: (amount: string) => `${amount} is refunded to you the same way it was paid.`,
  takenOff: (amount: string) => `${amount} is deducted from the amount due.`,
  intoBalance: (amount: string) => `${amount} is in your balance and pays your next invoices.`,
  refundVoided: (number: string, note: string) =>
    `The refund of invoice ${number} was cancelled, and credit note ${note} is void.`,
  notSentBack: (amount: string) => `${amount} is not sent back: it pays the invoice, as before.`,
  sentBackAlready: (amount: string, seller: string) =>
    `${amount} had already been sent back. ${seller} will contact you about it.`,
  credited: (note: string, total: string, number: string) =>
    `Credit note ${note} reduces invoice ${number} by ${total}.`,
  nothingLeftToPay: 'Nothing is left to pay.',
  cancelled: (number: string) => `Invoice ${number} was cancelled. There is nothing to pay.`,
  backInBalance: (amount: string) => `${amount} is in your balance again.`,
  trialEnds: (plan: string, seller: string, day: string) => `Your free trial of ${plan} from ${seller} ends on ${day}.`,
  afterTrial: {
    invoice: 'Your subscription goes on after it, and we will send you invoices.',
    terminate: 'No payment method is stored: without one, your subscription ends then.',
    pause: 'No payment method is stored: without one, your subscription is paused then.',
  },
  renews: (plan: string, seller: string, day: string) =>
    `Your subscription to ${plan} from ${seller} renews on ${day}. You do not need to do anything.`,
  estimated: (amount: string) =>
    `The invoice will be about ${amount}. This is an estimate: usage until then can change it.`,
  willBeCharged: (card: string) => `It will be charged to your ${card}.`,
  changes: { change: 'change', cancel: 'cancel', both: 'change or cancel' },
  inAccount: (what: string, day: string) => `You can ${what} the subscription in your account before ${day}.`,
  byContact: (what: string, contact: { readonly seller: string } | { readonly address: string }, day: string) =>
    `To ${what} the subscription, ${'seller' in contact ? `contact ${contact.seller}` : `write to ${contact.address}`} before ${day}.`,
  alert: {
    figure: {
      balance: 'Remaining allowance',
      invoice_total: 'Invoice total so far, with tax',
      usage: 'Usage so far',
      billing_credits: 'Remaining credit',
    },
    orLess: (amount: string) => `${amount} or less`,
    share: (percent: string, whole: string | null) => (whole === null ? `${percent} used` : `${percent} of ${whole}`),
    /** @param owner null: the reader */
    used: (percent: string, owner: string | null) =>
      `${percent} of ${owner === null ? 'your allowance' : `the allowance of ${owner}`} is used.`,
    creditsUsed: (percent: string, owner: string | null) =>
      `${percent} of ${owner === null ? 'your credit' : `the credit of ${owner}`} is used.`,
    reached: {
      balance: (threshold: string, owner: string | null) =>
        `${owner === null ? 'Your remaining allowance' : `The remaining allowance of ${owner}`} has fallen to ${threshold}.`,
      invoice_total: (threshold: string, owner: string | null) =>
        `${owner === null ? 'Your invoice total with tax' : `The invoice total with tax of ${owner}`} has reached ${threshold}.`,
      usage: (threshold: string, owner: string | null) =>
        `${owner === null ? 'Your usage' : `The usage of ${owner}`} has reached ${threshold}.`,
      billing_credits: (threshold: string, owner: string | null) =>
        `${owner === null ? 'Your remaining credit' : `The remaining credit of ${owner}`} has fallen to ${threshold}.`,
    },
    budget: 'This is a budget: access ends now, until the period ends or the budget is raised.',
    once: 'This email is sent once in each period.',
  },
};

export type MailWords = typeof en;

const de: MailWords = {
  greeting: (name) => `Guten Tag ${name},`,
  seeInvoice: 'Rechnung ansehen',
  payInvoice: 'Rechnung bezahlen',
  openAccount: 'Konto öffnen',
  allInvoices: 'Alle Ihre Rechnungen',
  changeMethod: 'Zahlungsart ändern',
  manage: 'Abonnement verwalten',
  colon: ':',
  sandbox: 'Testumgebung: Diese E-Mail wird gespeichert und nicht gesendet, und es fließt kein Geld.',
  because: {
    invoices: (seller, buyer) =>
      `Sie erhalten diese E-Mail, weil ${seller} die Rechnungen für ${buyer} an diese Adresse sendet.`,
    subscription: (seller, buyer) => `Sie erhalten diese E-Mail, weil ${buyer} ein Abonnement von ${seller} hat.`,
    alert: (seller, buyer) => `Sie erhalten diese E-Mail, weil ${seller} für ${buyer} eine Schwelle festgelegt hat.`,
    ownAlert: (seller) => `Sie erhalten diese E-Mail, weil ${seller} diese Schwelle festgelegt hat.`,
    account: (seller) => `Sie erhalten diese E-Mail, weil ein Link zu Ihrem Konto bei ${seller} angefordert wurde.`,
  },
  label: {
    ...TERMS.de,
    paidOn: 'Bezahlt am',
    nextAttempt: 'Nächster Versuch',
    refunded: 'Erstattet',
    creditTotal: 'Betrag der Gutschrift',
    note: 'Hinweis',
    renewsOn: 'Verlängert sich am',
    trialEndsOn: 'Testphase endet am',
    estimate: 'Voraussichtlicher Betrag',
    card: 'Karte',
    metric: 'Messgröße',
    feature: 'Funktion',
    threshold: 'Schwelle',
    since: 'Seit',
    until: 'Bis',
    customer: 'Kunde',
    alert: 'Warnung',
  },
  subject: {
    issued: (number, seller) => `Rechnung ${number} von ${seller}`,
    paid: (number, seller) => `Zahlungsbeleg zur Rechnung ${number} von ${seller}`,
    partPaid: (number, seller) => `Zahlung zur Rechnung ${number} von ${seller} erhalten`,
    reversed: (number, seller) => `Zahlung zur Rechnung ${number} von ${seller} zurückgegangen`,
    declined: (number, seller) => `Zahlung der Rechnung ${number} von ${seller} fehlgeschlagen`,
    refunded: (number, seller) => `Erstattung zu Rechnung ${number} von ${seller}`,
    refundVoided: (number, seller) => `Erstattung zu Rechnung ${number} von ${seller} aufgehoben`,
    credited: (note, seller) => `Gutschrift ${note} von ${seller}`,
    cancelled: (number, seller) => `Rechnung ${number} von ${seller} storniert`,
    renewal: (plan, day) => `Ihr Abonnement ${plan} verlängert sich am ${day}`,
    trialEnding: (plan, day) => `Ihre kostenlose Testphase von ${plan} endet am ${day}`,
    alert: (named, buyer) =>
      `Schwelle ${named === null ? '' : `„${named}“ `}erreicht${buyer === null ? '' : `: ${buyer}`}`,
  },
  pleasePay: (number, amount, day) => `Hier ist die Rechnung ${number}. Bitte zahlen Sie ${amount} bis zum ${day}.`,
  askForAccount: 'Bitte fragen Sie uns danach',
  nothingLeft: (number) => `Hier ist die Rechnung ${number}. Es ist nichts mehr zu zahlen.`,
  paid: (number) => `Vielen Dank: Die Rechnung ${number} ist bezahlt.`,
  paidFromBalance: (number) => `Die Rechnung ${number} ist aus Ihrem Guthaben bezahlt. Sie müssen nichts weiter tun.`,
  received: (amount, number) => `Vielen Dank: Wir haben ${amount} zur Rechnung ${number} erhalten.`,
  cameBack: (amount, number) => `Ihre Zahlung über ${amount} zur Rechnung ${number} kam nicht an oder ging zurück.`,
  leftToPay: (amount, day) => `Noch zu zahlen sind ${amount}. Die Rechnung ist am ${day} fällig.`,
  notCharged: (amount, number, why) =>
    `Wir konnten ${amount} für die Rechnung ${number} nicht abbuchen: ${why}. Es wurde nichts abgebucht.`,
  noCard: 'Es ist keine Karte hinterlegt, die belastet werden könnte',
  insufficientFunds: (card) => `Ihre Karte${card === null ? '' : ` (${card})`} war nicht ausreichend gedeckt`,
  cardOfAnotherAccount: (card) => `Ihre Karte${card === null ? '' : ` (${card})`} kann nicht mehr belastet werden`,
  cardDeclined: (card) => `Ihre Karte${card === null ? '' : ` (${card})`} wurde abgelehnt`,
  tryAgainOn: (day, online) =>
    `Wir versuchen es am ${day} noch einmal. Sie können vorher auch ${online ? 'mit einer beliebigen Karte' : 'per Überweisung'} zahlen.`,
  otherCard: 'Damit dann eine andere Karte belastet wird, ändern Sie die Zahlungsart in Ihrem Konto.',
  writtenOff: 'Wir versuchen es nicht noch einmal, und Sie müssen diese Rechnung nicht mehr bezahlen.',
  noMoreAttempts: 'Wir versuchen es nicht von selbst noch einmal.',
  subscriptionEnds: 'Ihr Abonnement endet, und die Rechnung ist weiterhin zu bezahlen.',
  payOtherwise: (online) => `Bitte zahlen Sie ${online ? 'mit einer beliebigen Karte' : 'per Überweisung'}.`,
  refunded: (number, note, total) =>
    `Wir haben Ihnen den Betrag der Rechnung ${number} erstattet. Die Gutschrift ${note} lautet auf ${total}.`,
  backToCard: (amount, card) => `${amount} werden Ihrer Karte gutgeschrieben${card === null ? '' : ` (${card})`}.`,
  backAsItCame: (amount) => `${amount} erstatten wir Ihnen auf dem Weg, auf dem Sie bezahlt haben.`,
  takenOff: (amount) => `${amount} werden vom offenen Betrag abgezogen.`,
  intoBalance: (amount) => `${amount} sind in Ihrem Guthaben und bezahlen Ihre nächsten Rechnungen.`,
  refundVoided: (number, note) =>
    `Die Erstattung zu Rechnung ${number} wurde aufgehoben, und die Gutschrift ${note} ist ungültig.`,
  notSentBack: (amount) => `${amount} werden nicht erstattet: Der Betrag bezahlt die Rechnung, wie zuvor.`,
  sentBackAlready: (amount, seller) =>
    `${amount} waren schon erstattet. ${seller} wird sich deswegen bei Ihnen melden.`,
  credited: (note, total, number) => `Die Gutschrift ${note} mindert die Rechnung ${number} um ${total}.`,
  nothingLeftToPay: 'Es ist nichts mehr zu zahlen.',
  cancelled: (number) => `Die Rechnung ${number} wurde storniert. Es ist nichts zu zahlen.`,
  backInBalance: (amount) => `${amount} sind wieder in Ihrem Guthaben.`,
  trialEnds: (plan, seller, day) => `Ihre kostenlose Testphase von ${plan} bei ${seller} endet am ${day}.`,
  afterTrial: {
    invoice: 'Danach läuft Ihr Abonnement weiter, und wir senden Ihnen Rechnungen.',
    terminate: 'Es ist kein Zahlungsmittel hinterlegt: Ohne ein solches endet Ihr Abonnement dann.',
    pause: 'Es ist kein Zahlungsmittel hinterlegt: Ohne ein solches wird Ihr Abonnement dann pausiert.',
  },
  renews: (plan, seller, day) =>
    `Ihr Abonnement ${plan} von ${seller} verlängert sich am ${day}. Sie müssen dafür nichts tun.`,
  estimated: (amount) =>
    `Die Rechnung wird etwa ${amount} betragen. Das ist eine Schätzung: Die Nutzung bis dahin kann sie ändern.`,
  willBeCharged: (card) => `Der Betrag wird von Ihrer Karte abgebucht: ${card}.`,
  changes: { change: 'ändern', cancel: 'kündigen', both: 'ändern oder kündigen' },
  inAccount: (what, day) => `Sie können das Abonnement vor dem ${day} in Ihrem Konto ${what}.`,
  byContact: (what, contact, day) =>
    `Wenn Sie das Abonnement ${what} möchten, ${'seller' in contact ? `wenden Sie sich vor dem ${day} an ${contact.seller}` : `schreiben Sie vor dem ${day} an ${contact.address}`}.`,
  alert: {
    figure: {
      balance: 'Verbleibendes Kontingent',
      invoice_total: 'Rechnungsbetrag bisher, mit Steuer',
      usage: 'Nutzung bisher',
      billing_credits: 'Verbleibendes Guthaben',
    },
    orLess: (amount) => `${amount} oder weniger`,
    share: (percent, whole) => (whole === null ? `${percent} verbraucht` : `${percent} von ${whole}`),
    used: (percent, owner) =>
      `${percent} ${owner === null ? 'Ihres Kontingents' : `des Kontingents von ${owner}`} sind verbraucht.`,
    creditsUsed: (percent, owner) =>
      `${percent} ${owner === null ? 'Ihres Guthabens' : `des Guthabens von ${owner}`} sind verbraucht.`,
    reached: {
      balance: (threshold, owner) =>
        `${owner === null ? 'Ihr verbleibendes Kontingent' : `Das verbleibende Kontingent von ${owner}`} ist auf ${threshold} gesunken.`,
      invoice_total: (threshold, owner) =>
        `${owner === null ? 'Ihr Rechnungsbetrag mit Steuer' : `Der Rechnungsbetrag mit Steuer von ${owner}`} hat ${threshold} erreicht.`,
      usage: (threshold, owner) =>
        `${owner === null ? 'Ihre Nutzung' : `Die Nutzung von ${owner}`} hat ${threshold} erreicht.`,
      billing_credits: (threshold, owner) =>
        `${owner === null ? 'Ihr verbleibendes Guthaben' : `Das verbleibende Guthaben von ${owner}`} ist auf ${threshold} gesunken.`,
    },
    budget: 'Dies ist ein Budget: Der Zugang endet jetzt, bis der Zeitraum endet oder das Budget erhöht wird.',
    once: 'Diese E-Mail wird in jedem Zeitraum einmal gesendet.',
  },
};

const fr: MailWords = {
  greeting: (name) => `Bonjour ${name},`,
  seeInvoice: 'Voir cette facture',
  payInvoice: 'Payer cette facture',
  openAccount: 'Ouvrir votre compte',
  allInvoices: 'Toutes vos factures',
  changeMethod: 'Modifier le moyen de paiement',
  manage: 'Gérer l’abonnement',
  colon: '\u00a0:',
  sandbox: 'Environnement de test\u00a0: cet e-mail est conservé sans être envoyé, aucun débit réel.',
  because: {
    invoices: (seller, buyer) =>
      `Vous recevez cet e-mail parce que ${seller} envoie les factures de ${buyer} à cette adresse.`,
    subscription: (seller, buyer) => `Vous recevez cet e-mail parce que ${buyer} a un abonnement chez ${seller}.`,
    alert: (seller, buyer) => `Vous recevez cet e-mail parce que ${seller} a fixé un seuil pour ${buyer}.`,
    ownAlert: (seller) => `Vous recevez cet e-mail parce que ${seller} a fixé ce seuil.`,
    account: (seller) => `Vous recevez cet e-mail parce qu’un lien vers votre compte chez ${seller} a été demandé.`,
  },
  label: {
    ...TERMS.fr,
    paidOn: 'Payé le',
    nextAttempt: 'Prochaine tentative',
    refunded: 'Remboursé',
    creditTotal: 'Montant de l’avoir',
    note: 'Remarque',
    renewsOn: 'Renouvellement le',
    trialEndsOn: 'Fin de l’essai le',
    estimate: 'Montant estimé',
    card: 'Carte',
    metric: 'Mesure',
    feature: 'Fonctionnalité',
    threshold: 'Seuil',
    since: 'Depuis le',
    until: 'Jusqu’au',
    customer: 'Client',
    alert: 'Alerte',
  },
  subject: {
    issued: (number, seller) => `Facture ${number} de ${seller}`,
    paid: (number, seller) => `Reçu pour la facture ${number} de ${seller}`,
    partPaid: (number, seller) => `Paiement reçu pour la facture ${number} de ${seller}`,
    reversed: (number, seller) => `Paiement annulé pour la facture ${number} de ${seller}`,
    declined: (number, seller) => `Échec du paiement de la facture ${number} de ${seller}`,
    refunded: (number, seller) => `Remboursement de la facture ${number} de ${seller}`,
    refundVoided: (number, seller) => `Remboursement de la facture ${number} de ${seller} annulé`,
    credited: (note, seller) => `Avoir ${note} de ${seller}`,
    cancelled: (number, seller) => `Facture ${number} de ${seller} annulée`,
    renewal: (plan, day) => `Votre abonnement ${plan} sera renouvelé le ${day}`,
    trialEnding: (plan, day) => `Votre essai gratuit de ${plan} se termine le ${day}`,
    alert: (named, buyer) =>
      `Seuil ${named === null ? '' : `«\u00a0${named}\u00a0» `}atteint${buyer === null ? '' : `\u00a0: ${buyer}`}`,
  },
  pleasePay: (number, amount, day) => `Voici la facture ${number}. Veuillez payer ${amount} au plus tard le ${day}.`,
  askForAccount: 'Veuillez nous le demander',
  nothingLeft: (number) => `Voici la facture ${number}. Il ne reste rien à payer.`,
  paid: (number) => `Merci\u00a0: la facture ${number} est payée.`,
  paidFromBalance: (number) => `La facture ${number} est réglée avec votre solde. Vous n’avez rien à faire.`,
  received: (amount, number) => `Merci\u00a0: nous avons reçu ${amount} pour la facture ${number}.`,
  cameBack: (amount, number) =>
    `Votre paiement de ${amount} pour la facture ${number} ne nous est pas parvenu ou a été annulé.`,
  leftToPay: (amount, day) => `Reste à payer\u00a0: ${amount}. La facture est à payer au plus tard le ${day}.`,
  notCharged: (amount, number, why) =>
    `Nous n’avons pas pu débiter ${amount} pour la facture ${number}\u00a0: ${why}. Rien n’a été débité.`,
  noCard: 'aucune carte n’est enregistrée',
  insufficientFunds: (card) => `la provision de votre carte${card === null ? '' : ` (${card})`} était insuffisante`,
  cardOfAnotherAccount: (card) => `votre carte${card === null ? '' : ` (${card})`} ne peut plus être débitée`,
  cardDeclined: (card) => `votre carte${card === null ? '' : ` (${card})`} a été refusée`,
  tryAgainOn: (day, online) =>
    `Nous essaierons de nouveau le ${day}. Vous pouvez aussi payer avant ${online ? 'avec n’importe quelle carte' : 'par virement'}.`,
  otherCard: 'Pour qu’une autre carte soit débitée, modifiez le moyen de paiement dans votre compte.',
  writtenOff: 'Nous n’essaierons plus, et vous n’avez plus à payer cette facture.',
  noMoreAttempts: 'Nous n’essaierons plus de nous-mêmes.',
  subscriptionEnds: 'Votre abonnement prend fin, et la facture reste à payer.',
  payOtherwise: (online) => `Veuillez payer ${online ? 'avec n’importe quelle carte' : 'par virement'}.`,
  refunded: (number, note, total) =>
    `Nous vous avons remboursé le montant de la facture ${number}. L’avoir ${note} est de ${total}.`,
  backToCard: (amount, card) => `${amount} vous seront remboursés sur votre carte${card === null ? '' : ` (${card})`}.`,
  backAsItCame: (amount) => `${amount} vous seront remboursés par le même moyen.`,
  takenOff: (amount) => `${amount} sont déduits de ce qui restait à payer.`,
  intoBalance: (amount) => `${amount} sont sur votre solde et régleront vos prochaines factures.`,
  refundVoided: (number, note) =>
    `Le remboursement de la facture ${number} a été annulé, et l’avoir ${note} est sans effet.`,
  notSentBack: (amount) => `${amount} ne sont pas remboursés\u00a0: ils règlent la facture, comme auparavant.`,
  sentBackAlready: (amount, seller) => `${amount} avaient déjà été remboursés. ${seller} vous contactera à ce sujet.`,
  credited: (note, total, number) => `L’avoir ${note} réduit la facture ${number} de ${total}.`,
  nothingLeftToPay: 'Il ne reste rien à payer.',
  cancelled: (number) => `La facture ${number} a été annulée. Il n’y a rien à payer.`,
  backInBalance: (amount) => `${amount} sont de nouveau sur votre solde.`,
  trialEnds: (plan, seller, day) => `Votre essai gratuit de ${plan} chez ${seller} se termine le ${day}.`,
  afterTrial: {
    invoice: 'Votre abonnement continue ensuite, et nous vous enverrons des factures.',
    terminate: 'Aucun moyen de paiement n’est enregistré\u00a0: sans cela, votre abonnement prendra fin.',
    pause: 'Aucun moyen de paiement n’est enregistré\u00a0: sans cela, votre abonnement sera mis en pause.',
  },
  renews: (plan, seller, day) =>
    `Votre abonnement ${plan} chez ${seller} sera renouvelé le ${day}. Vous n’avez rien à faire.`,
  estimated: (amount) =>
    `La facture sera d’environ ${amount}. C’est une estimation\u00a0: la consommation d’ici là peut la modifier.`,
  willBeCharged: (card) => `Le montant sera débité de votre carte\u00a0: ${card}.`,
  changes: { change: 'modifier', cancel: 'résilier', both: 'modifier ou résilier' },
  inAccount: (what, day) => `Vous pouvez ${what} l’abonnement dans votre compte avant le ${day}.`,
  byContact: (what, contact, day) =>
    `Pour ${what} l’abonnement, ${'seller' in contact ? `contactez ${contact.seller}` : `écrivez à ${contact.address}`} avant le ${day}.`,
  alert: {
    figure: {
      balance: 'Quota restant',
      invoice_total: 'Total de la facture à ce jour, taxes comprises',
      usage: 'Consommation à ce jour',
      billing_credits: 'Crédit restant',
    },
    orLess: (amount) => `${amount} ou moins`,
    share: (percent, whole) => (whole === null ? `${percent} consommés` : `${percent} de ${whole}`),
    used: (percent, owner) =>
      `${percent} ${owner === null ? 'de votre quota' : `du quota de ${owner}`} sont consommés.`,
    creditsUsed: (percent, owner) =>
      `${percent} ${owner === null ? 'de votre crédit' : `du crédit de ${owner}`} sont consommés.`,
    reached: {
      balance: (threshold, owner) =>
        `${owner === null ? 'Votre quota restant' : `Le quota restant de ${owner}`} est descendu à ${threshold}.`,
      invoice_total: (threshold, owner) =>
        `${owner === null ? 'Le total de votre facture, taxes comprises,' : `Le total, taxes comprises, de la facture de ${owner}`} a atteint ${threshold}.`,
      usage: (threshold, owner) =>
        `${owner === null ? 'Votre consommation' : `La consommation de ${owner}`} a atteint ${threshold}.`,
      billing_credits: (threshold, owner) =>
        `${owner === null ? 'Votre crédit restant' : `Le crédit restant de ${owner}`} est descendu à ${threshold}.`,
    },
    budget:
      'C’est un budget\u00a0: l’accès prend fin maintenant, jusqu’à la fin de la période ou au relèvement du budget.',
    once: 'Cet e-mail est envoyé une fois par période.',
  },
};

const es: MailWords = {
  greeting: (name) => `Hola, ${name}:`,
  seeInvoice: 'Ver esta factura',
  payInvoice: 'Pagar esta factura',
  openAccount: 'Abrir su cuenta',
  allInvoices: 'Todas sus facturas',
  changeMethod: 'Cambiar el método de pago',
  manage: 'Gestionar la suscripción',
  colon: ':',
  sandbox: 'Entorno de pruebas: este correo se guarda sin enviarse y no se mueve dinero.',
  because: {
    invoices: (seller, buyer) => `Recibe este correo porque ${seller} envía las facturas de ${buyer} a esta dirección.`,
    subscription: (seller, buyer) => `Recibe este correo porque ${buyer} tiene una suscripción de ${seller}.`,
    alert: (seller, buyer) => `Recibe este correo porque ${seller} ha fijado un umbral para ${buyer}.`,
    ownAlert: (seller) => `Recibe este correo porque ${seller} ha fijado este umbral.`,
    account: (seller) => `Recibe este correo porque se ha solicitado un enlace a su cuenta en ${seller}.`,
  },
  label: {
    ...TERMS.es,
    paidOn: 'Pagado el',
    nextAttempt: 'Próximo intento',
    refunded: 'Reembolsado',
    creditTotal: 'Importe de la rectificativa',
    note: 'Nota',
    renewsOn: 'Se renueva el',
    trialEndsOn: 'La prueba termina el',
    estimate: 'Importe estimado',
    card: 'Tarjeta',
    metric: 'Métrica',
    feature: 'Función',
    threshold: 'Umbral',
    since: 'Desde el',
    until: 'Hasta el',
    customer: 'Cliente',
    alert: 'Alerta',
  },
  subject: {
    issued: (number, seller) => `Factura ${number} de ${seller}`,
    paid: (number, seller) => `Recibo de la factura ${number} de ${seller}`,
    partPaid: (number, seller) => `Pago recibido de la factura ${number} de ${seller}`,
    reversed: (number, seller) => `Pago devuelto de la factura ${number} de ${seller}`,
    declined: (number, seller) => `Error en el pago de la factura ${number} de ${seller}`,
    refunded: (number, seller) => `Reembolso de la factura ${number} de ${seller}`,
    refundVoided: (number, seller) => `Reembolso de la factura ${number} de ${seller} anulado`,
    credited: (note, seller) => `Factura rectificativa ${note} de ${seller}`,
    cancelled: (number, seller) => `Factura ${number} de ${seller} anulada`,
    renewal: (plan, day) => `Su suscripción a ${plan} se renueva el ${day}`,
    trialEnding: (plan, day) => `Su prueba gratuita de ${plan} termina el ${day}`,
    alert: (named, buyer) =>
      `Umbral ${named === null ? '' : `«${named}» `}alcanzado${buyer === null ? '' : `: ${buyer}`}`,
  },
  pleasePay: (number, amount, day) =>
    `Aquí tiene la factura ${number}. Pague ${amount} a más tardar el ${day}, por favor.`,
  askForAccount: 'Pídanosla, por favor',
  nothingLeft: (number) => `Aquí tiene la factura ${number}. No queda nada por pagar.`,
  paid: (number) => `Gracias: la factura ${number} está pagada.`,
  paidFromBalance: (number) => `La factura ${number} está pagada con su saldo. No tiene que hacer nada.`,
  received: (amount, number) => `Gracias: hemos recibido ${amount} de la factura ${number}.`,
  cameBack: (amount, number) => `Su pago de ${amount} de la factura ${number} no nos ha llegado o ha sido devuelto.`,
  leftToPay: (amount, day) => `Quedan por pagar ${amount}. La factura vence el ${day}.`,
  notCharged: (amount, number, why) =>
    `No hemos podido cobrar ${amount} de la factura ${number}: ${why}. No se ha cobrado nada.`,
  noCard: 'no hay ninguna tarjeta guardada',
  insufficientFunds: (card) => `su tarjeta${card === null ? '' : ` (${card})`} no tenía fondos suficientes`,
  cardOfAnotherAccount: (card) => `ya no se puede cobrar en su tarjeta${card === null ? '' : ` (${card})`}`,
  cardDeclined: (card) => `su tarjeta${card === null ? '' : ` (${card})`} fue rechazada`,
  tryAgainOn: (day, online) =>
    `Lo intentaremos de nuevo el ${day}. Antes puede pagar también ${online ? 'con cualquier tarjeta' : 'por transferencia'}.`,
  otherCard: 'Para que se cobre en otra tarjeta, cambie el método de pago en su cuenta.',
  writtenOff: 'No lo intentaremos de nuevo, y ya no tiene que pagar esta factura.',
  noMoreAttempts: 'No lo intentaremos de nuevo por nuestra cuenta.',
  subscriptionEnds: 'Su suscripción termina, y la factura sigue pendiente de pago.',
  payOtherwise: (online) => `Pague ${online ? 'con cualquier tarjeta' : 'por transferencia'}, por favor.`,
  refunded: (number, note, total) =>
    `Le hemos reembolsado el importe de la factura ${number}. La factura rectificativa ${note} es de ${total}.`,
  backToCard: (amount, card) => `${amount} se le reembolsarán en su tarjeta${card === null ? '' : ` (${card})`}.`,
  backAsItCame: (amount) => `${amount} se le reembolsarán por el mismo medio.`,
  takenOff: (amount) => `${amount} se descuentan de lo que quedaba por pagar.`,
  intoBalance: (amount) => `${amount} están en su saldo y pagarán sus próximas facturas.`,
  refundVoided: (number, note) =>
    `El reembolso de la factura ${number} se ha anulado, y la factura rectificativa ${note} queda sin efecto.`,
  notSentBack: (amount) => `${amount} no se reembolsan: pagan la factura, como antes.`,
  sentBackAlready: (amount, seller) => `${amount} ya se habían reembolsado. ${seller} le informará sobre ello.`,
  credited: (note, total, number) => `La factura rectificativa ${note} reduce la factura ${number} en ${total}.`,
  nothingLeftToPay: 'No queda nada por pagar.',
  cancelled: (number) => `La factura ${number} se ha anulado. No hay nada que pagar.`,
  backInBalance: (amount) => `${amount} están de nuevo en su saldo.`,
  trialEnds: (plan, seller, day) => `Su prueba gratuita de ${plan} de ${seller} termina el ${day}.`,
  afterTrial: {
    invoice: 'Después, su suscripción continúa y le enviaremos facturas.',
    terminate: 'No hay ningún método de pago guardado: sin él, su suscripción terminará entonces.',
    pause: 'No hay ningún método de pago guardado: sin él, su suscripción quedará en pausa.',
  },
  renews: (plan, seller, day) => `Su suscripción a ${plan} de ${seller} se renueva el ${day}. No tiene que hacer nada.`,
  estimated: (amount) =>
    `La factura será de unos ${amount}. Es una estimación: el consumo hasta entonces puede cambiarla.`,
  willBeCharged: (card) => `Se cobrará en su tarjeta: ${card}.`,
  changes: { change: 'cambiar', cancel: 'cancelar', both: 'cambiar o cancelar' },
  inAccount: (what, day) => `Puede ${what} la suscripción en su cuenta antes del ${day}.`,
  byContact: (what, contact, day) =>
    `Para ${what} la suscripción, ${'seller' in contact ? `contacte con ${contact.seller}` : `escriba a ${contact.address}`} antes del ${day}.`,
  alert: {
    figure: {
      balance: 'Unidades disponibles',
      invoice_total: 'Total de la factura hasta ahora, con impuestos',
      usage: 'Consumo hasta ahora',
      billing_credits: 'Crédito disponible',
    },
    orLess: (amount) => `${amount} o menos`,
    share: (percent, whole) => (whole === null ? `${percent} consumido` : `${percent} de ${whole}`),
    used: (percent, owner) =>
      `Se ha consumido el ${percent} ${owner === null ? 'de sus unidades' : `de las unidades de ${owner}`}.`,
    creditsUsed: (percent, owner) =>
      `Se ha consumido el ${percent} ${owner === null ? 'de su crédito' : `del crédito de ${owner}`}.`,
    reached: {
      balance: (threshold, owner) =>
        `${owner === null ? 'Sus unidades disponibles' : `Las unidades disponibles de ${owner}`} han bajado a ${threshold}.`,
      invoice_total: (threshold, owner) =>
        `${owner === null ? 'El total de su factura, con impuestos,' : `El total, con impuestos, de la factura de ${owner}`} ha alcanzado ${threshold}.`,
      usage: (threshold, owner) =>
        `${owner === null ? 'Su consumo' : `El consumo de ${owner}`} ha alcanzado ${threshold}.`,
      billing_credits: (threshold, owner) =>
        `${owner === null ? 'Su crédito disponible' : `El crédito disponible de ${owner}`} ha bajado a ${threshold}.`,
    },
    budget: 'Es un límite de gasto: el acceso termina ahora, hasta que acabe el periodo o se aumente el límite.',
    once: 'Este correo se envía una vez en cada periodo.',
  },
};

export const MAIL_WORDS: InEachLocale<MailWords> = { en, de, fr, es };
