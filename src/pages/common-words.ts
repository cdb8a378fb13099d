import type { InEachLocale } from '../kernel/locale.ts';
import { type Html, html } from './html.ts';

/** Words that several pages and mails have. A table of words takes them in by `...COMMON_WORDS.en`. */
const en = {
  invoice: 'Invoice',
  total: 'Total',
  credited: 'Credited',
  amountPaid: 'Paid',
  toPay: 'To pay',
  fromBalance: 'From your balance',
  pay: (amount: string) => `Pay ${amount}`,
  documents: 'Documents',
  eInvoice: 'E-invoice (XML)',
  creditNotePdf: (number: string) => `Credit note ${number} (PDF)`,
  receiptOf: (day: string) => `Receipt of ${day} (PDF)`,
  holder: 'Account holder',
  account: 'Account',
  bank: 'Bank',
  /** Of a card, before its last four digits. */
  endingIn: 'ending in',
  worksUntil: (minute: string) => `This link works until ${minute}.`,
  linkExpired: 'This link has expired',
  returnTo: (seller: Html) => html`Return to ${seller}`,
  closePage: 'You can close this page.',
};

type Words = typeof en;

const de: Words = {
  invoice: 'Rechnung',
  total: 'Gesamtbetrag',
  credited: 'Gutgeschrieben',
  amountPaid: 'Bezahlt',
  toPay: 'Zu zahlen',
  fromBalance: 'Aus Ihrem Guthaben',
  pay: (amount) => `${amount} zahlen`,
  documents: 'Dokumente',
  eInvoice: 'E-Rechnung (XML)',
  creditNotePdf: (number) => `Gutschrift ${number} (PDF)`,
  receiptOf: (day) => `Zahlungsbeleg vom ${day} (PDF)`,
  holder: 'Kontoinhaber',
  account: 'Konto',
  bank: 'Bank',
  endingIn: 'mit den Endziffern',
  worksUntil: (minute) => `Dieser Link gilt bis ${minute}.`,
  linkExpired: 'Dieser Link ist abgelaufen',
  returnTo: (seller) => html`Zurück zu ${seller}`,
  closePage: 'Sie können diese Seite schließen.',
};

const fr: Words = {
  invoice: 'Facture',
  total: 'Total',
  credited: 'Crédité',
  amountPaid: 'Payé',
  toPay: 'À payer',
  fromBalance: 'Sur votre solde',
  pay: (amount) => `Payer ${amount}`,
  documents: 'Documents',
  eInvoice: 'Facture électronique (XML)',
  creditNotePdf: (number) => `Avoir ${number} (PDF)`,
  receiptOf: (day) => `Reçu du ${day} (PDF)`,
  holder: 'Titulaire du compte',
  account: 'Compte',
  bank: 'Banque',
  endingIn: 'se terminant par',
  worksUntil: (minute) => `Ce lien est valable jusqu’au ${minute}.`,
  linkExpired: 'Ce lien a expiré',
  returnTo: (seller) => html`Revenir chez ${seller}`,
  closePage: 'Vous pouvez fermer cette page.',
};

const es: Words = {
  invoice: 'Factura',
  total: 'Total',
  credited: 'Abonado',
  amountPaid: 'Pagado',
  toPay: 'A pagar',
  fromBalance: 'De su saldo',
  pay: (amount) => `Pagar ${amount}`,
  documents: 'Documentos',
  eInvoice: 'Factura electrónica (XML)',
  creditNotePdf: (number) => `Nota de crédito ${number} (PDF)`,
  receiptOf: (day) => `Recibo del ${day} (PDF)`,
  holder: 'Titular de la cuenta',
  account: 'Cuenta',
  bank: 'Banco',
  endingIn: 'terminada en',
  worksUntil: (minute) => `Este enlace es válido hasta el ${minute}.`,
  linkExpired: 'Este enlace ha caducado',
  returnTo: (seller) => html`Volver a ${seller}`,
  closePage: 'Puede cerrar esta página.',
};

export const COMMON_WORDS: InEachLocale<Words> = { en, de, fr, es };
