import type { InEachLocale } from '../kernel/locale.ts';
import { TERMS } from '../look/index.ts';

/** The words of mails. Amounts, days and names come as they are written in the language. */
const en = {
  greeting: (name: string) => `Hello ${name},`,
  seeInvoice: 'See this invoice',
  payInvoice: 'Pay this invoice',
  label: {
    ...TERMS.en,
    issued: 'Issued',
    due: 'Due',
    paidFromBalance: 'Paid from your balance',
    paidOn: 'Paid on',
    paidBy: 'Paid by',
    nextAttempt: 'Next attempt',
    creditNote: 'Credit note',
    refunded: 'Refunded',
    reference: 'Reference',
    note: 'Note',
    renewsOn: 'Renews on',
    estimate: 'Estimated amount',
    card: 'Card',
    metric: 'Metric',
    threshold: 'Threshold',
    since: 'Since',
    until: 'Until',
  },
  methods: { card: 'Card', bank_transfer: 'Bank transfer', cash: 'Cash', other: 'Other means' },
  subject: {
    issued: (number: string, seller: string) => `Invoice ${number} from ${seller}`,
    paid: (number: string, seller: string) => `Receipt for invoice ${number} from ${seller}`,
    partPaid: (number: string, seller: string) => `Payment received for invoice ${number} from ${seller}`,
    declined: (number: string, seller: string) => `Payment failed for invoice ${number} from ${seller}`,
    refunded: (number: string, seller: string) => `Refund of invoice ${number} from ${seller}`,
    refundVoided: (number: string, seller: string) => `Refund of invoice ${number} from ${seller} cancelled`,
    credited: (note: string, seller: string) => `Credit note ${note} from ${seller}`,
    cancelled: (number: string, seller: string) => `Invoice ${number} from ${seller} cancelled`,
    renewal: (plan: string, day: string) => `Your subscription to ${plan} renews on ${day}`,
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
  renews: (plan: string, seller: string, day: string) =>
    `Your subscription to ${plan} from ${seller} renews on ${day}. You do not need to do anything.`,
  estimated: (amount: string) =>
    `The invoice will be about ${amount}. This is an estimate: usage until then can change it.`,
  willBeCharged: (card: string) => `It will be charged to your ${card}.`,
  howToCancel: (contact: { readonly seller: string } | { readonly address: string }, day: string) =>
    `To change or cancel the subscription, ${'seller' in contact ? `contact ${contact.seller}` : `write to ${contact.address}`} before ${day}.`,
  alert: {
    figure: { balance: 'Balance', invoice_total: 'Invoice total so far, with tax', usage: 'Usage so far' },
    orLess: (amount: string) => `${amount} or less`,
    share: (percent: string, whole: string | null) =>
      whole === null ? `${percent} % used` : `${percent} % of ${whole}`,
    /** @param owner null: the reader */
    used: (percent: string, owner: string | null) =>
      `${percent} % of ${owner === null ? 'your balance' : `the balance of ${owner}`} is used.`,
    reached: {
      balance: (threshold: string, owner: string | null) =>
        `${owner === null ? 'Your balance' : `The balance of ${owner}`} has fallen to ${threshold}.`,
      invoice_total: (threshold: string, owner: string | null) =>
        `${owner === null ? 'Your invoice total with tax' : `The invoice total with tax of ${owner}`} has reached ${threshold}.`,
      usage: (threshold: string, owner: string | null) =>
        `${owner === null ? 'Your usage' : `The usage of ${owner}`} has reached ${threshold}.`,
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
  label: {
    ...TERMS.de,
    issued: 'Ausgestellt am',
    due: 'Fällig am',
    paidFromBalance: 'Aus Ihrem Guthaben bezahlt',
    paidOn: 'Bezahlt am',
    paidBy: 'Zahlungsart',
    nextAttempt: 'Nächster Versuch',
    creditNote: 'Gutschrift',
    refunded: 'Erstattet',
    reference: 'Verwendungszweck',
    note: 'Hinweis',
    renewsOn: 'Verlängert sich am',
    estimate: 'Voraussichtlicher Betrag',
    card: 'Karte',
    metric: 'Messgröße',
    threshold: 'Schwelle',
    since: 'Seit',
    until: 'Bis',
  },
  methods: { card: 'Karte', bank_transfer: 'Überweisung', cash: 'Bar', other: 'Auf anderem Weg' },
  subject: {
    issued: (number, seller) => `Rechnung ${number} von ${seller}`,
    paid: (number, seller) => `Zahlungsbeleg zur Rechnung ${number} von ${seller}`,
    partPaid: (number, seller) => `Zahlung zur Rechnung ${number} von ${seller} erhalten`,
    declined: (number, seller) => `Zahlung der Rechnung ${number} von ${seller} fehlgeschlagen`,
    refunded: (number, seller) => `Erstattung der Rechnung ${number} von ${seller}`,
    refundVoided: (number, seller) => `Erstattung der Rechnung ${number} von ${seller} aufgehoben`,
    credited: (note, seller) => `Gutschrift ${note} von ${seller}`,
    cancelled: (number, seller) => `Rechnung ${number} von ${seller} storniert`,
    renewal: (plan, day) => `Ihr Abonnement ${plan} verlängert sich am ${day}`,
    alert: (named, buyer) =>
      `Schwelle ${named === null ? '' : `„${named}“ `}erreicht${buyer === null ? '' : `: ${buyer}`}`,
  },
  pleasePay: (number, amount, day) => `Hier ist die Rechnung ${number}. Bitte zahlen Sie ${amount} bis zum ${day}.`,
  askForAccount: 'Bitte fragen Sie uns danach',
  nothingLeft: (number) => `Hier ist die Rechnung ${number}. Es ist nichts mehr zu zahlen.`,
  paid: (number) => `Vielen Dank: Die Rechnung ${number} ist bezahlt.`,
  paidFromBalance: (number) => `Die Rechnung ${number} ist aus Ihrem Guthaben bezahlt. Sie müssen nichts weiter tun.`,
  received: (amount, number) => `Vielen Dank: Wir haben ${amount} zur Rechnung ${number} erhalten.`,
  leftToPay: (amount, day) => `Noch zu zahlen sind ${amount}. Die Rechnung ist am ${day} fällig.`,
  notCharged: (amount, number, why) =>
    `Wir konnten ${amount} für die Rechnung ${number} nicht abbuchen: ${why}. Es wurde nichts abgebucht.`,
  noCard: 'Es ist keine Karte hinterlegt, die belastet werden könnte',
  insufficientFunds: (card) => `Ihre Karte${card === null ? '' : ` (${card})`} war nicht ausreichend gedeckt`,
  cardOfAnotherAccount: (card) => `Ihre Karte${card === null ? '' : ` (${card})`} kann nicht mehr belastet werden`,
  cardDeclined: (card) => `Ihre Karte${card === null ? '' : ` (${card})`} wurde abgelehnt`,
  tryAgainOn: (day, online) =>
    `Wir versuchen es am ${day} noch einmal. Sie können vorher auch ${online ? 'mit einer beliebigen Karte' : 'per Überweisung'} zahlen.`,
  writtenOff: 'Wir versuchen es nicht noch einmal, und Sie müssen diese Rechnung nicht mehr bezahlen.',
  noMoreAttempts: 'Wir versuchen es nicht von selbst noch einmal.',
  subscriptionEnds: 'Ihr Abonnement endet, und die Rechnung ist weiterhin zu bezahlen.',
  payOtherwise: (online) => `Bitte zahlen Sie ${online ? 'mit einer beliebigen Karte' : 'per Überweisung'}.`,
  refunded: (number, note, total) =>
    `Wir haben die Rechnung ${number} erstattet. Die Gutschrift ${note} lautet auf ${total}.`,
  backToCard: (amount, card) => `${amount} gehen zurück auf Ihre Karte${card === null ? '' : ` (${card})`}.`,
  backAsItCame: (amount) => `${amount} gehen auf demselben Weg zurück; wir senden Ihnen den Betrag.`,
  takenOff: (amount) => `${amount} werden vom offenen Betrag abgezogen.`,
  intoBalance: (amount) => `${amount} sind in Ihrem Guthaben und bezahlen Ihre nächsten Rechnungen.`,
  refundVoided: (number, note) =>
    `Die Erstattung der Rechnung ${number} wurde aufgehoben, und die Gutschrift ${note} ist ungültig.`,
  notSentBack: (amount) => `${amount} gehen nicht zurück: Sie bezahlen die Rechnung wie zuvor.`,
  sentBackAlready: (amount, seller) =>
    `${amount} waren schon zurückgezahlt. ${seller} wird sich deswegen bei Ihnen melden.`,
  credited: (note, total, number) => `Die Gutschrift ${note} nimmt ${total} der Rechnung ${number} zurück.`,
  nothingLeftToPay: 'Es ist nichts mehr zu zahlen.',
  cancelled: (number) => `Die Rechnung ${number} wurde storniert. Es ist nichts zu zahlen.`,
  backInBalance: (amount) => `${amount} sind wieder in Ihrem Guthaben.`,
  renews: (plan, seller, day) =>
    `Ihr Abonnement ${plan} von ${seller} verlängert sich am ${day}. Sie müssen nichts tun, um es zu behalten.`,
  estimated: (amount) =>
    `Die Rechnung wird etwa ${amount} betragen. Das ist eine Schätzung: Die Nutzung bis dahin kann sie ändern.`,
  willBeCharged: (card) => `Der Betrag wird von Ihrer Karte abgebucht: ${card}.`,
  howToCancel: (contact, day) =>
    `Um das Abonnement zu ändern oder zu kündigen, ${'seller' in contact ? `wenden Sie sich vor dem ${day} an ${contact.seller}` : `schreiben Sie vor dem ${day} an ${contact.address}`}.`,
  alert: {
    figure: {
      balance: 'Guthaben',
      invoice_total: 'Rechnungsbetrag bisher, mit Steuer',
      usage: 'Nutzung bisher',
    },
    orLess: (amount) => `${amount} oder weniger`,
    share: (percent, whole) => (whole === null ? `${percent} % verbraucht` : `${percent} % von ${whole}`),
    used: (percent, owner) =>
      `${percent} % ${owner === null ? 'Ihres Guthabens' : `des Guthabens von ${owner}`} sind verbraucht.`,
    reached: {
      balance: (threshold, owner) =>
        `${owner === null ? 'Ihr Guthaben' : `Das Guthaben von ${owner}`} ist gesunken auf ${threshold}.`,
      invoice_total: (threshold, owner) =>
        `${owner === null ? 'Ihr Rechnungsbetrag mit Steuer' : `Der Rechnungsbetrag mit Steuer von ${owner}`} hat die Schwelle erreicht: ${threshold}.`,
      usage: (threshold, owner) =>
        `${owner === null ? 'Ihre Nutzung' : `Die Nutzung von ${owner}`} hat die Schwelle erreicht: ${threshold}.`,
    },
    budget: 'Dies ist ein Budget: Der Zugang endet jetzt, bis der Zeitraum endet oder das Budget erhöht wird.',
    once: 'Diese E-Mail wird in jedem Zeitraum einmal gesendet.',
  },
};

const fr: MailWords = {
  greeting: (name) => `Bonjour ${name},`,
  seeInvoice: 'Voir cette facture',
  payInvoice: 'Payer cette facture',
  label: {
    ...TERMS.fr,
    issued: 'Émise le',
    due: 'À payer avant le',
    paidFromBalance: 'Payé par votre solde',
    paidOn: 'Payé le',
    paidBy: 'Moyen de paiement',
    nextAttempt: 'Prochain essai',
    creditNote: 'Avoir',
    refunded: 'Remboursé',
    reference: 'Référence',
    note: 'Remarque',
    renewsOn: 'Renouvellement le',
    estimate: 'Montant estimé',
    card: 'Carte',
    metric: 'Mesure',
    threshold: 'Seuil',
    since: 'Depuis le',
    until: 'Jusqu’au',
  },
  methods: { card: 'Carte', bank_transfer: 'Virement', cash: 'Espèces', other: 'Autre moyen' },
  subject: {
    issued: (number, seller) => `Facture ${number} de ${seller}`,
    paid: (number, seller) => `Reçu pour la facture ${number} de ${seller}`,
    partPaid: (number, seller) => `Paiement reçu pour la facture ${number} de ${seller}`,
    declined: (number, seller) => `Échec du paiement de la facture ${number} de ${seller}`,
    refunded: (number, seller) => `Remboursement de la facture ${number} de ${seller}`,
    refundVoided: (number, seller) => `Remboursement de la facture ${number} de ${seller} annulé`,
    credited: (note, seller) => `Avoir ${note} de ${seller}`,
    cancelled: (number, seller) => `Facture ${number} de ${seller} annulée`,
    renewal: (plan, day) => `Votre abonnement ${plan} sera renouvelé le ${day}`,
    alert: (named, buyer) =>
      `Alerte ${named === null ? '' : `« ${named} » `}atteinte${buyer === null ? '' : ` : ${buyer}`}`,
  },
  pleasePay: (number, amount, day) => `Voici la facture ${number}. Veuillez payer ${amount} avant le ${day}.`,
  askForAccount: 'Veuillez nous le demander',
  nothingLeft: (number) => `Voici la facture ${number}. Il ne reste rien à payer.`,
  paid: (number) => `Merci : la facture ${number} est payée.`,
  paidFromBalance: (number) => `La facture ${number} est payée par votre solde. Vous n’avez rien à faire.`,
  received: (amount, number) => `Merci : nous avons reçu ${amount} pour la facture ${number}.`,
  leftToPay: (amount, day) => `Reste à payer : ${amount}. La facture est à payer avant le ${day}.`,
  notCharged: (amount, number, why) =>
    `Nous n’avons pas pu débiter ${amount} pour la facture ${number} : ${why}. Rien n’a été débité.`,
  noCard: 'aucune carte n’est enregistrée',
  insufficientFunds: (card) => `la provision de votre carte${card === null ? '' : ` (${card})`} était insuffisante`,
  cardOfAnotherAccount: (card) => `votre carte${card === null ? '' : ` (${card})`} ne peut plus être débitée`,
  cardDeclined: (card) => `votre carte${card === null ? '' : ` (${card})`} a été refusée`,
  tryAgainOn: (day, online) =>
    `Nous essaierons de nouveau le ${day}. Vous pouvez aussi payer avant ${online ? 'avec n’importe quelle carte' : 'par virement'}.`,
  writtenOff: 'Nous n’essaierons plus, et vous n’avez plus à payer cette facture.',
  noMoreAttempts: 'Nous n’essaierons plus de nous-mêmes.',
  subscriptionEnds: 'Votre abonnement prend fin, et la facture reste à payer.',
  payOtherwise: (online) => `Veuillez payer ${online ? 'avec n’importe quelle carte' : 'par virement'}.`,
  refunded: (number, note, total) => `Nous avons remboursé la facture ${number}. L’avoir ${note} est de ${total}.`,
  backToCard: (amount, card) => `${amount} retournent sur votre carte${card === null ? '' : ` (${card})`}.`,
  backAsItCame: (amount) => `${amount} retournent par la même voie ; nous vous les enverrons.`,
  takenOff: (amount) => `${amount} sont déduits de ce qui restait à payer.`,
  intoBalance: (amount) => `${amount} sont sur votre solde et paieront vos prochaines factures.`,
  refundVoided: (number, note) =>
    `Le remboursement de la facture ${number} a été annulé, et l’avoir ${note} est sans effet.`,
  notSentBack: (amount) => `${amount} ne sont pas renvoyés : ils paient la facture, comme avant.`,
  sentBackAlready: (amount, seller) => `${amount} avaient déjà été renvoyés. ${seller} vous contactera à ce sujet.`,
  credited: (note, total, number) => `L’avoir ${note} retire ${total} de la facture ${number}.`,
  nothingLeftToPay: 'Il ne reste rien à payer.',
  cancelled: (number) => `La facture ${number} a été annulée. Il n’y a rien à payer.`,
  backInBalance: (amount) => `${amount} sont de nouveau sur votre solde.`,
  renews: (plan, seller, day) =>
    `Votre abonnement ${plan} chez ${seller} sera renouvelé le ${day}. Vous n’avez rien à faire pour le garder.`,
  estimated: (amount) =>
    `La facture sera d’environ ${amount}. C’est une estimation : l’utilisation d’ici là peut la changer.`,
  willBeCharged: (card) => `Le montant sera débité de votre carte : ${card}.`,
  howToCancel: (contact, day) =>
    `Pour modifier ou résilier l’abonnement, ${'seller' in contact ? `contactez ${contact.seller}` : `écrivez à ${contact.address}`} avant le ${day}.`,
  alert: {
    figure: {
      balance: 'Solde',
      invoice_total: 'Total de la facture à ce jour, taxes comprises',
      usage: 'Utilisation à ce jour',
    },
    orLess: (amount) => `${amount} ou moins`,
    share: (percent, whole) => (whole === null ? `${percent} % utilisés` : `${percent} % de ${whole}`),
    used: (percent, owner) =>
      `${percent} % ${owner === null ? 'de votre solde' : `du solde de ${owner}`} sont utilisés.`,
    reached: {
      balance: (threshold, owner) =>
        `${owner === null ? 'Votre solde' : `Le solde de ${owner}`} est descendu à ${threshold}.`,
      invoice_total: (threshold, owner) =>
        `${owner === null ? 'Le total de votre facture, taxes comprises,' : `Le total, taxes comprises, de la facture de ${owner}`} a atteint ${threshold}.`,
      usage: (threshold, owner) =>
        `${owner === null ? 'Votre utilisation' : `L’utilisation de ${owner}`} a atteint ${threshold}.`,
    },
    budget:
      'Ceci est un budget : l’accès prend fin maintenant, jusqu’à la fin de la période ou au relèvement du budget.',
    once: 'Cet e-mail est envoyé une fois par période.',
  },
};

const es: MailWords = {
  greeting: (name) => `Hola, ${name}:`,
  seeInvoice: 'Ver esta factura',
  payInvoice: 'Pagar esta factura',
  label: {
    ...TERMS.es,
    issued: 'Emitida el',
    due: 'Vence el',
    paidFromBalance: 'Pagado con su saldo',
    paidOn: 'Pagado el',
    paidBy: 'Medio de pago',
    nextAttempt: 'Próximo intento',
    creditNote: 'Nota de crédito',
    refunded: 'Reembolsado',
    reference: 'Concepto',
    note: 'Nota',
    renewsOn: 'Se renueva el',
    estimate: 'Importe estimado',
    card: 'Tarjeta',
    metric: 'Métrica',
    threshold: 'Umbral',
    since: 'Desde el',
    until: 'Hasta el',
  },
  methods: { card: 'Tarjeta', bank_transfer: 'Transferencia', cash: 'Efectivo', other: 'Otro medio' },
  subject: {
    issued: (number, seller) => `Factura ${number} de ${seller}`,
    paid: (number, seller) => `Recibo de la factura ${number} de ${seller}`,
    partPaid: (number, seller) => `Pago recibido de la factura ${number} de ${seller}`,
    declined: (number, seller) => `Error en el pago de la factura ${number} de ${seller}`,
    refunded: (number, seller) => `Reembolso de la factura ${number} de ${seller}`,
    refundVoided: (number, seller) => `Reembolso de la factura ${number} de ${seller} anulado`,
    credited: (note, seller) => `Nota de crédito ${note} de ${seller}`,
    cancelled: (number, seller) => `Factura ${number} de ${seller} anulada`,
    renewal: (plan, day) => `Su suscripción a ${plan} se renueva el ${day}`,
    alert: (named, buyer) =>
      `Alerta ${named === null ? '' : `«${named}» `}alcanzada${buyer === null ? '' : `: ${buyer}`}`,
  },
  pleasePay: (number, amount, day) => `Aquí tiene la factura ${number}. Pague ${amount} hasta el ${day}, por favor.`,
  askForAccount: 'Pídanosla, por favor',
  nothingLeft: (number) => `Aquí tiene la factura ${number}. No queda nada por pagar.`,
  paid: (number) => `Gracias: la factura ${number} está pagada.`,
  paidFromBalance: (number) => `La factura ${number} está pagada con su saldo. No tiene que hacer nada.`,
  received: (amount, number) => `Gracias: hemos recibido ${amount} de la factura ${number}.`,
  leftToPay: (amount, day) => `Quedan por pagar ${amount}. La factura vence el ${day}.`,
  notCharged: (amount, number, why) =>
    `No hemos podido cobrar ${amount} de la factura ${number}: ${why}. No se ha cobrado nada.`,
  noCard: 'no hay ninguna tarjeta guardada',
  insufficientFunds: (card) => `su tarjeta${card === null ? '' : ` (${card})`} no tenía fondos suficientes`,
  cardOfAnotherAccount: (card) => `ya no se puede cobrar en su tarjeta${card === null ? '' : ` (${card})`}`,
  cardDeclined: (card) => `su tarjeta${card === null ? '' : ` (${card})`} fue rechazada`,
  tryAgainOn: (day, online) =>
    `Lo intentaremos de nuevo el ${day}. Antes puede pagar también ${online ? 'con cualquier tarjeta' : 'por transferencia'}.`,
  writtenOff: 'No lo intentaremos de nuevo, y ya no tiene que pagar esta factura.',
  noMoreAttempts: 'No lo intentaremos de nuevo por nuestra cuenta.',
  subscriptionEnds: 'Su suscripción termina, y la factura sigue pendiente de pago.',
  payOtherwise: (online) => `Pague ${online ? 'con cualquier tarjeta' : 'por transferencia'}, por favor.`,
  refunded: (number, note, total) =>
    `Hemos reembolsado la factura ${number}. La nota de crédito ${note} es de ${total}.`,
  backToCard: (amount, card) => `${amount} vuelven a su tarjeta${card === null ? '' : ` (${card})`}.`,
  backAsItCame: (amount) => `${amount} vuelven por la misma vía; se los enviaremos.`,
  takenOff: (amount) => `${amount} se descuentan de lo que quedaba por pagar.`,
  intoBalance: (amount) => `${amount} están en su saldo y pagarán sus próximas facturas.`,
  refundVoided: (number, note) =>
    `El reembolso de la factura ${number} se ha anulado, y la nota de crédito ${note} queda sin efecto.`,
  notSentBack: (amount) => `${amount} no se devuelven: pagan la factura, como antes.`,
  sentBackAlready: (amount, seller) => `${amount} ya se habían devuelto. ${seller} le informará sobre ello.`,
  credited: (note, total, number) => `La nota de crédito ${note} descuenta ${total} de la factura ${number}.`,
  nothingLeftToPay: 'No queda nada por pagar.',
  cancelled: (number) => `La factura ${number} se ha anulado. No hay nada que pagar.`,
  backInBalance: (amount) => `${amount} están de nuevo en su saldo.`,
  renews: (plan, seller, day) =>
    `Su suscripción a ${plan} de ${seller} se renueva el ${day}. No tiene que hacer nada para conservarla.`,
  estimated: (amount) => `La factura será de unos ${amount}. Es una estimación: el uso hasta entonces puede cambiarla.`,
  willBeCharged: (card) => `Se cobrará en su tarjeta: ${card}.`,
  howToCancel: (contact, day) =>
    `Para cambiar o cancelar la suscripción, ${'seller' in contact ? `contacte con ${contact.seller}` : `escriba a ${contact.address}`} antes del ${day}.`,
  alert: {
    figure: {
      balance: 'Saldo',
      invoice_total: 'Total de la factura hasta ahora, con impuestos',
      usage: 'Uso hasta ahora',
    },
    orLess: (amount) => `${amount} o menos`,
    share: (percent, whole) => (whole === null ? `${percent} % usado` : `${percent} % de ${whole}`),
    used: (percent, owner) =>
      `Se ha usado el ${percent} % ${owner === null ? 'de su saldo' : `del saldo de ${owner}`}.`,
    reached: {
      balance: (threshold, owner) =>
        `${owner === null ? 'Su saldo' : `El saldo de ${owner}`} ha bajado a ${threshold}.`,
      invoice_total: (threshold, owner) =>
        `${owner === null ? 'El total de su factura, con impuestos,' : `El total, con impuestos, de la factura de ${owner}`} ha alcanzado ${threshold}.`,
      usage: (threshold, owner) => `${owner === null ? 'Su uso' : `El uso de ${owner}`} ha alcanzado ${threshold}.`,
    },
    budget: 'Esto es un presupuesto: el acceso termina ahora, hasta que acabe el período o se aumente el presupuesto.',
    once: 'Este correo se envía una vez en cada período.',
  },
};

export const MAIL_WORDS: InEachLocale<MailWords> = { en, de, fr, es };
