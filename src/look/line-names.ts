import type { InEachLocale, Locale } from '../kernel/locale.ts';

/** The additions to the name of a line, and names that are not the merchant's. */
const en = {
  discount: 'discount',
  grants: 'covered by grants',
  minimum: 'minimum',
  maximum: 'maximum',
  late: 'late usage',
  correction: 'correction of usage',
  unused: 'not used',
  credit: 'credit',
  carried: 'carried over',
  reversed: 'reversed payment',
  elsewhere: 'billing credit used elsewhere',
  givenBack: 'billing credit given back',
  couponBack: 'coupon given back',
  trueUp: 'true-up',
  prepayment: 'prepayment',
  commitment: 'Minimum commitment',
  balance: 'Prepaid balance',
  topUp: 'Wallet top-up',
  credits: 'Billing credit',
};

type LineWord = keyof typeof en;

const LINE_NAMES: InEachLocale<Readonly<Record<LineWord, string>>> = {
  en,
  de: {
    discount: 'Rabatt',
    grants: 'durch Kontingente gedeckt',
    minimum: 'Mindestbetrag',
    maximum: 'Höchstbetrag',
    late: 'nachgemeldete Nutzung',
    correction: 'Korrektur der Nutzung',
    unused: 'nicht genutzte Zeit',
    credit: 'Gutschrift',
    carried: 'Übertrag',
    reversed: 'zurückgebuchte Zahlung',
    elsewhere: 'anderweitig verbrauchtes Guthaben',
    givenBack: 'Rückgabe an das Guthaben',
    couponBack: 'zurückgenommener Rabatt',
    trueUp: 'Differenz zur vereinbarten Summe',
    prepayment: 'Vorauszahlung',
    commitment: 'Mindestumsatz',
    balance: 'Vorausbezahltes Guthaben',
    topUp: 'Guthabenaufladung',
    credits: 'Guthaben für Rechnungen',
  },
  fr: {
    discount: 'remise',
    grants: 'couvert par vos quotas',
    minimum: 'minimum',
    maximum: 'plafond',
    late: 'consommation déclarée après coup',
    correction: 'correction de la consommation',
    unused: 'avoir pour période non utilisée',
    credit: 'avoir',
    carried: 'report',
    reversed: 'paiement annulé',
    elsewhere: 'crédit utilisé ailleurs',
    givenBack: 'crédit restitué',
    couponBack: 'remise reprise',
    trueUp: 'complément au montant convenu',
    prepayment: 'paiement d’avance',
    commitment: 'Engagement minimal',
    balance: 'Solde prépayé',
    topUp: 'Rechargement du solde',
    credits: 'Crédit de facturation',
  },
  es: {
    discount: 'descuento',
    grants: 'cubierto por sus unidades disponibles',
    minimum: 'mínimo',
    maximum: 'máximo',
    late: 'consumo comunicado después',
    correction: 'corrección del consumo',
    unused: 'periodo no utilizado',
    credit: 'abono',
    carried: 'traspaso',
    reversed: 'pago anulado',
    elsewhere: 'crédito usado en otra factura',
    givenBack: 'crédito restituido',
    couponBack: 'descuento retirado',
    trueUp: 'diferencia hasta el importe acordado',
    prepayment: 'pago anticipado',
    commitment: 'Compromiso mínimo',
    balance: 'Saldo prepagado',
    topUp: 'Recarga del saldo',
    credits: 'Crédito de facturación',
  },
};

/** Names of lines that say nothing of the merchant's. */
const WHOLE: readonly LineWord[] = ['commitment', 'balance', 'topUp', 'credits'];
const ENGLISH = Object.entries(en) as [LineWord, string][];
const WHOLE_BY_NAME = new Map(ENGLISH.filter(([word]) => WHOLE.includes(word)).map(([word, name]) => [name, word]));
/** Also the name of a bought credit under the charge that it pays. */
const isAdded = ([word]: [LineWord, string]): boolean => word === 'credits' || !WHOLE.includes(word);
const ADDED_BY_NAME = new Map(ENGLISH.filter(isAdded).map(([word, name]) => [name, word]));

/** An amount may follow in brackets: `Billing credit (110.00 USD)`. */
const WITH_AMOUNT = /^(.+?)( \([\d.]+ [A-Z]{3}\))?$/s;

/** Added behind a name: `Tokens: minimum`, `Tokens: minimum: carried over`; a credit note may follow, in brackets. */
const ADDED = /^(.+): ([^:()]+?)( \([^()]*\))?$/s;

/**
 * The name of a line in this language. It is stored in English, made of the merchant's name of a price
 * and what the line does with it; that is said in the language of its reader. Other names stay as they are.
 */
export function lineNameIn(locale: Locale, name: string): string {
  if (locale === 'en') return name;
  const words = LINE_NAMES[locale];
  const [, start = '', amount = ''] = WITH_AMOUNT.exec(name) ?? [];
  const whole = WHOLE_BY_NAME.get(start);
  if (whole !== undefined) return words[whole] + amount;
  const [, first, added, note = ''] = ADDED.exec(name) ?? [];
  const word = added === undefined ? undefined : ADDED_BY_NAME.get(added);
  return word === undefined ? name : `${lineNameIn(locale, first as string)}: ${words[word]}${note}`;
}
