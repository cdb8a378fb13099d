import type { InEachLocale } from '../kernel/locale.ts';
import type { TaxWord } from './tax-words.ts';

type OfTax = Readonly<Record<TaxWord, string>>;

/** The words of documents. Figures, days and names come as they are written in the language. */
export interface DocumentWords {
  readonly titles: {
    readonly invoice: string;
    readonly creditNote: string;
    readonly onAccount: string;
    readonly receipt: string;
  };
  readonly sandbox: string;
  readonly sandboxReceipt: string;
  /** The fixed words of the template. */
  readonly template: {
    readonly from: string;
    readonly payOnline: string;
    /** Before the address. */
    readonly payOnlineAt: string;
    readonly description: string;
    readonly quantity: string;
    readonly unitPrice: string;
    readonly notes: string;
  };
  /**
   * The name of the tax at the head of a column, in a sum, inside a sentence, and of a number that is registered for
   * it.
   */
  readonly tax: { readonly head: OfTax; readonly sum: OfTax; readonly inSentence: OfTax; readonly id: OfTax };
  readonly amount: (currency: string) => string;
  readonly amountWithTax: (currency: string, tax: string) => string;
  readonly pricesInclude: (tax: string) => string;
  readonly billedTo: string;
  readonly creditedTo: string;
  readonly receivedFrom: string;
  readonly facts: {
    readonly invoiceNumber: string;
    readonly number: string;
    readonly creditNote: string;
    readonly issued: string;
    readonly yourReference: string;
    readonly due: string;
    readonly period: string;
    readonly originalInvoice: string;
    readonly invoiceIssued: string;
    readonly receiptNumber: string;
    readonly paidOn: string;
    readonly paidBy: string;
    readonly reference: string;
    readonly invoice: string;
  };
  readonly account: { readonly holder: string; readonly number: string; readonly bank: string };
  readonly headline: {
    readonly totalCredited: string;
    readonly amountDue: string;
    readonly amountPaid: string;
    readonly nothingToPay: string;
    readonly paidInFull: string;
    readonly due: (day: string) => string;
  };
  readonly totals: {
    readonly subtotal: string;
    readonly subtotalWithout: (tax: string) => string;
    readonly taxOf: (tax: string, rate: string, base: string) => string;
    readonly allTax: (tax: string) => string;
    readonly total: string;
    readonly fromWallet: string;
    readonly paid: string;
  };
  readonly payment: string;
  readonly terms: (days: number, until: string | null) => string;
  readonly quote: (number: string) => string;
  readonly onAccount: string;
  readonly aboutCredit: string;
  readonly corrects: (number: string, day: string) => string;
  readonly reason: (text: string) => string;
  readonly exempt: (tax: string) => string;
  readonly reverseCharge: string;
  readonly outside: (tax: string) => string;
  /** The words of the e-invoice alone. */
  readonly eInvoice: {
    readonly prepayment: string;
    readonly notRegistered: string;
    readonly due: (days: number) => string;
    readonly payOnline: (address: string) => string;
    readonly credit: string;
    readonly unit: string;
  };
  readonly receipt: {
    readonly about: string;
    readonly confirms: (number: string) => string;
    readonly noTaxes: string;
    readonly invoiceTotal: string;
    readonly paidBefore: string;
    readonly thisPayment: string;
    readonly thisPaymentAsDue: string;
    readonly remaining: string;
    readonly overpaid: string;
    readonly methods: Readonly<Record<'card' | 'bank_transfer' | 'cash' | 'other', string>>;
    readonly cardEndingIn: (brand: string | null, last4: string) => string;
    /** @param how `paidWith` of the method, or of the card */
    readonly paidOn: (day: string, how: string) => string;
    readonly paidWith: Readonly<Record<'card' | 'bank_transfer' | 'cash' | 'other', string>>;
    readonly paidWithCard: (brand: string | null, last4: string) => string;
  };
  readonly price: {
    readonly tiered: string;
    readonly per: (count: string) => string;
    readonly allUnits: string;
    readonly over: (bound: string) => string;
    readonly plusFlat: (bounds: string, flat: string) => string;
  };
  /** The words for the calculation of a line. */
  readonly notes: {
    readonly time: Readonly<Record<'days' | 'hours' | 'seconds', (part: string, whole: string) => string>>;
    readonly shareOf: (share: string, whole: string) => string;
    readonly percentOf: (percent: string, whole: string) => string;
    readonly included: (units: string, charged: string) => string;
    readonly includedShare: (share: string, allowance: string) => string;
    readonly flat: (share: string) => string;
    readonly packages: (count: string, isOne: boolean, size: string, price: string) => string;
    readonly least: (amount: string) => string;
    readonly most: (amount: string) => string;
    readonly others: (groups: string, more: number) => string;
    readonly maximum: (reached: string, limit: string) => string;
    readonly minimum: (limit: string, reached: string) => string;
    readonly soFar: (total: string, before: string) => string;
    readonly carried: (all: string, left: string) => string;
    readonly exactly: (amount: string) => string;
    readonly rounded: (count: number, exact: string, amount: string) => string;
    readonly part: string;
    readonly theCharge: string;
    readonly credit: (credit: {
      readonly share: string;
      readonly of: string;
      readonly number: string | null;
      readonly period: string;
      readonly before: string | null;
    }) => string;
    readonly onNote: (amount: string, number: string) => string;
    readonly creditInAll: (all: string, here: string, notes: string) => string;
  };
  /** The additions to the name of a line, and names that are not the merchant's. */
  readonly lineNames: {
    readonly discount: string;
    readonly grants: string;
    readonly minimum: string;
    readonly maximum: string;
    readonly late: string;
    readonly unused: string;
    readonly credit: string;
    readonly carried: string;
    readonly commitment: string;
    readonly balance: string;
    readonly topUp: string;
  };
}

export const DOCUMENT_WORDS: InEachLocale<DocumentWords> = {
  en: {
    titles: {
      invoice: 'Invoice',
      creditNote: 'Credit note',
      onAccount: 'Payment on account',
      receipt: 'Receipt',
    },
    sandbox: 'Sandbox – not a tax document',
    sandboxReceipt: 'Sandbox – no money was paid',
    template: {
      from: 'From',
      payOnline: 'Pay online',
      payOnlineAt: 'Pay online:',
      description: 'Description',
      quantity: 'Quantity',
      unitPrice: 'Unit price',
      notes: 'Notes',
    },
    tax: {
      head: { VAT: 'VAT', GST: 'GST', Tax: 'Tax' },
      sum: { VAT: 'VAT', GST: 'GST', Tax: 'Tax' },
      inSentence: { VAT: 'VAT', GST: 'GST', Tax: 'tax' },
      id: { VAT: 'VAT ID', GST: 'GST ID', Tax: 'Tax ID' },
    },
    amount: (currency) => `Amount ${currency}`,
    amountWithTax: (currency, tax) => `${currency} incl. ${tax}`,
    pricesInclude: (tax) => `Prices and amounts of the lines include ${tax}.`,
    billedTo: 'Billed to',
    creditedTo: 'Credited to',
    receivedFrom: 'Received from',
    facts: {
      invoiceNumber: 'Invoice number',
      number: 'Number',
      creditNote: 'Credit note',
      issued: 'Issued',
      yourReference: 'Your reference',
      due: 'Due',
      period: 'Period',
      originalInvoice: 'Original invoice',
      invoiceIssued: 'Invoice issued',
      receiptNumber: 'Receipt number',
      paidOn: 'Paid on',
      paidBy: 'Paid by',
      reference: 'Reference',
      invoice: 'Invoice',
    },
    account: { holder: 'Account holder', number: 'Account', bank: 'Bank' },
    headline: {
      totalCredited: 'Total credited',
      amountDue: 'Amount due',
      amountPaid: 'Amount paid',
      nothingToPay: 'Nothing to pay',
      paidInFull: 'Paid in full',
      due: (day) => `Due ${day}`,
    },
    totals: {
      subtotal: 'Subtotal',
      subtotalWithout: (tax) => `Subtotal without ${tax}`,
      taxOf: (tax, rate, base) => `${tax} ${rate} on ${base}`,
      allTax: (tax) => `Total ${tax}`,
      total: 'Total',
      fromWallet: 'Paid from wallet',
      paid: 'Paid',
    },
    payment: 'Payment',
    terms: (days, until) =>
      `Payment is due ${days === 0 ? 'on receipt' : `within ${days} ${days === 1 ? 'day' : 'days'}`}${until === null ? '' : `, by ${until}`}.`,
    quote: (number) => `Please quote ${number} with your payment.`,
    onAccount: 'This payment goes to your wallet and pays later invoices. They state the taxes.',
    aboutCredit: 'About this credit',
    corrects: (number, day) => `This credit note corrects invoice ${number} of ${day}.`,
    reason: (text) => `Reason: ${text}`,
    exempt: (tax) => `Exempt from ${tax}`,
    outside: (tax) => `Outside the scope of ${tax}: the place of supply is not in the country of the seller`,
    reverseCharge: 'Reverse charge: the recipient accounts for the VAT (Article 196 of Directive 2006/112/EC)',
    eInvoice: {
      prepayment: 'Payment in advance of any supply, outside the scope of tax',
      notRegistered: 'Not subject to tax: the seller is not registered for tax',
      due: (days) => (days === 0 ? 'Due on receipt.' : `Due within ${days} ${days === 1 ? 'day' : 'days'}.`),
      payOnline: (address) => `Pay online: ${address}`,
      credit: 'Nothing to pay: this is a credit.',
      unit: 'Unit',
    },
    receipt: {
      about: 'About this receipt',
      confirms: (number) => `This receipt confirms a payment of invoice ${number}.`,
      noTaxes: 'The invoice states the taxes. This receipt is not an invoice.',
      invoiceTotal: 'Invoice total',
      paidBefore: 'Paid or credited before',
      thisPayment: 'This payment',
      thisPaymentAsDue: 'This payment, up to the amount due',
      remaining: 'Remaining on the invoice',
      overpaid: 'Overpaid, added to the wallet',
      methods: { card: 'Card', bank_transfer: 'Bank transfer', cash: 'Cash', other: 'Other means' },
      cardEndingIn: (brand, last4) => `${brand ?? 'Card'} ending in ${last4}`,
      paidOn: (day, how) => `Paid on ${day} ${how}`,
      paidWith: { card: 'by card', bank_transfer: 'by bank transfer', cash: 'in cash', other: 'by other means' },
      paidWithCard: (brand, last4) => `with ${brand ?? 'a card'} ending in ${last4}`,
    },
    price: {
      tiered: 'tiered',
      per: (count) => `per ${count}`,
      allUnits: 'All units',
      over: (bound) => `Over ${bound}`,
      plusFlat: (bounds, flat) => `${bounds}, plus ${flat} flat`,
    },
    notes: {
      time: {
        days: (part, whole) => `${part} of ${whole} days`,
        hours: (part, whole) => `${part} of ${whole} hours`,
        seconds: (part, whole) => `${part} of ${whole} seconds`,
      },
      shareOf: (share, whole) => `${share} of ${whole}`,
      percentOf: (percent, whole) => `${percent} of ${whole}`,
      included: (units, charged) => `${units} included, ${charged} charged`,
      includedShare: (share, allowance) => `included: ${share} of ${allowance}`,
      flat: (share) => `Flat prices for ${share}`,
      packages: (count, isOne, size, price) => `${count} ${isOne ? 'package' : 'packages'} of ${size} at ${price}`,
      least: (amount) => `at least ${amount}`,
      most: (amount) => `at most ${amount}`,
      others: (groups, more) => `Others: ${groups}${more > 0 ? ` and ${more} more` : ''}`,
      maximum: (reached, limit) => `${reached}, limited to ${limit}`,
      minimum: (limit, reached) => `Minimum ${limit} less ${reached}`,
      soFar: (total, before) => `${total} in all, less ${before} billed before`,
      carried: (all, left) => `${all} in all, of which ${left} is carried over`,
      exactly: (amount) => `Exactly ${amount}`,
      rounded: (count, exact, amount) => `The ${count} lines of this price come to ${exact}, rounded to ${amount}`,
      part: 'Part',
      theCharge: 'the charge',
      credit: ({ share, of, number, period, before }) =>
        `${share} of ${of} billed${number === null ? '' : ` on ${number}`} for ${period}${before === null ? '' : `, less ${before} credited before`}`,
      onNote: (amount, number) => `${amount} on credit note ${number}`,
      creditInAll: (all, here, notes) => `${all} in all: ${here} here, ${notes}`,
    },
    lineNames: {
      discount: 'discount',
      grants: 'covered by grants',
      minimum: 'minimum',
      maximum: 'maximum',
      late: 'late usage',
      unused: 'not used',
      credit: 'credit',
      carried: 'carried over',
      commitment: 'Minimum commitment',
      balance: 'Prepaid balance',
      topUp: 'Wallet top-up',
    },
  },
  de: {
    titles: {
      invoice: 'Rechnung',
      creditNote: 'Gutschrift',
      onAccount: 'Guthabenzahlung',
      receipt: 'Zahlungsbeleg',
    },
    sandbox: 'Testumgebung – kein Steuerbeleg',
    sandboxReceipt: 'Testumgebung – kein Geld geflossen',
    template: {
      from: 'Von',
      payOnline: 'Online zahlen',
      payOnlineAt: 'Online zahlen:',
      description: 'Beschreibung',
      quantity: 'Menge',
      unitPrice: 'Einzelpreis',
      notes: 'Hinweise',
    },
    tax: {
      head: { VAT: 'USt.', GST: 'GST', Tax: 'Steuer' },
      sum: { VAT: 'Umsatzsteuer', GST: 'GST', Tax: 'Steuer' },
      inSentence: { VAT: 'Umsatzsteuer', GST: 'GST', Tax: 'Steuer' },
      id: { VAT: 'USt-IdNr.', GST: 'GST-Nr.', Tax: 'Steuernummer' },
    },
    amount: (currency) => `Betrag ${currency}`,
    amountWithTax: (currency, tax) => `${currency} inkl. ${tax}`,
    pricesInclude: (tax) => `Preise und Beträge der Positionen enthalten die ${tax}.`,
    billedTo: 'Rechnung an',
    creditedTo: 'Gutschrift an',
    receivedFrom: 'Erhalten von',
    facts: {
      invoiceNumber: 'Rechnungsnr.',
      number: 'Nummer',
      creditNote: 'Gutschrift',
      issued: 'Ausgestellt',
      yourReference: 'Ihr Zeichen',
      due: 'Fällig',
      period: 'Zeitraum',
      originalInvoice: 'Zu Rechnung',
      invoiceIssued: 'Rechnung vom',
      receiptNumber: 'Belegnummer',
      paidOn: 'Bezahlt am',
      paidBy: 'Zahlungsart',
      reference: 'Referenz',
      invoice: 'Rechnung',
    },
    account: { holder: 'Kontoinhaber', number: 'Konto', bank: 'Bank' },
    headline: {
      totalCredited: 'Gutgeschriebener Betrag',
      amountDue: 'Zu zahlen',
      amountPaid: 'Gezahlter Betrag',
      nothingToPay: 'Nichts zu zahlen',
      paidInFull: 'Vollständig bezahlt',
      due: (day) => `Fällig am ${day}`,
    },
    totals: {
      subtotal: 'Zwischensumme',
      subtotalWithout: (tax) => `Zwischensumme ohne ${tax}`,
      taxOf: (tax, rate, base) => `${tax} ${rate} auf ${base}`,
      allTax: (tax) => `${tax} gesamt`,
      total: 'Gesamtbetrag',
      fromWallet: 'Aus dem Guthaben bezahlt',
      paid: 'Bezahlt',
    },
    payment: 'Zahlung',
    terms: (days, until) =>
      `Zahlbar ${days === 0 ? 'sofort nach Erhalt' : `innerhalb von ${days} ${days === 1 ? 'Tag' : 'Tagen'}`}${until === null ? '' : `, bis zum ${until}`}.`,
    quote: (number) => `Bitte geben Sie bei der Zahlung ${number} an.`,
    onAccount:
      'Diese Zahlung wird Ihrem Guthaben gutgeschrieben und bezahlt spätere Rechnungen. Sie weisen die Steuern aus.',
    aboutCredit: 'Zu dieser Gutschrift',
    corrects: (number, day) => `Diese Gutschrift berichtigt die Rechnung ${number} vom ${day}.`,
    reason: (text) => `Grund: ${text}`,
    exempt: (tax) => `Von der ${tax} befreit`,
    outside: (tax) => `Nicht steuerbar (${tax}): Der Leistungsort liegt nicht im Land des Verkäufers`,
    reverseCharge: 'Steuerschuldnerschaft des Leistungsempfängers (Artikel 196 der Richtlinie 2006/112/EG)',
    eInvoice: {
      prepayment: 'Vorauszahlung ohne Leistung, nicht steuerbar',
      notRegistered: 'Nicht steuerbar: Der Verkäufer ist nicht für die Steuer registriert',
      due: (days) =>
        days === 0 ? 'Zahlbar sofort nach Erhalt.' : `Zahlbar innerhalb von ${days} ${days === 1 ? 'Tag' : 'Tagen'}.`,
      payOnline: (address) => `Online zahlen: ${address}`,
      credit: 'Nichts zu zahlen: Dies ist eine Gutschrift.',
      unit: 'Einheit',
    },
    receipt: {
      about: 'Zu diesem Beleg',
      confirms: (number) => `Dieser Beleg bestätigt eine Zahlung der Rechnung ${number}.`,
      noTaxes: 'Die Rechnung weist die Steuern aus. Dieser Beleg ist keine Rechnung.',
      invoiceTotal: 'Rechnungsbetrag',
      paidBefore: 'Vorher bezahlt oder gutgeschrieben',
      thisPayment: 'Diese Zahlung',
      thisPaymentAsDue: 'Diese Zahlung, soweit sie fällig war',
      remaining: 'Noch offen',
      overpaid: 'Zu viel bezahlt, dem Guthaben gutgeschrieben',
      methods: { card: 'Karte', bank_transfer: 'Überweisung', cash: 'Bar', other: 'Auf anderem Weg' },
      cardEndingIn: (brand, last4) => `${brand ?? 'Karte'} •••• ${last4}`,
      paidOn: (day, how) => `Bezahlt am ${day} ${how}`,
      paidWith: { card: 'mit Karte', bank_transfer: 'per Überweisung', cash: 'in bar', other: 'auf anderem Weg' },
      paidWithCard: (brand, last4) => `mit ${brand ?? 'Karte'} •••• ${last4}`,
    },
    price: {
      tiered: 'gestaffelt',
      per: (count) => `je ${count}`,
      allUnits: 'Alle Einheiten',
      over: (bound) => `Über ${bound}`,
      plusFlat: (bounds, flat) => `${bounds}, zzgl. ${flat} pauschal`,
    },
    notes: {
      time: {
        days: (part, whole) => `${part} von ${whole} Tagen`,
        hours: (part, whole) => `${part} von ${whole} Stunden`,
        seconds: (part, whole) => `${part} von ${whole} Sekunden`,
      },
      shareOf: (share, whole) => `${share} von ${whole}`,
      percentOf: (percent, whole) => `${percent} von ${whole}`,
      included: (units, charged) => `${units} inbegriffen, ${charged} berechnet`,
      includedShare: (share, allowance) => `inbegriffen: ${share} von ${allowance}`,
      flat: (share) => `Pauschalen für ${share}`,
      packages: (count, isOne, size, price) => `${count} ${isOne ? 'Paket' : 'Pakete'} zu ${size} für je ${price}`,
      least: (amount) => `mindestens ${amount}`,
      most: (amount) => `höchstens ${amount}`,
      others: (groups, more) => `Übrige: ${groups}${more > 0 ? ` und ${more} weitere` : ''}`,
      maximum: (reached, limit) => `${reached}, begrenzt auf ${limit}`,
      minimum: (limit, reached) => `Mindestbetrag ${limit} abzüglich ${reached}`,
      soFar: (total, before) => `Insgesamt ${total}, abzüglich ${before}, die schon berechnet sind`,
      carried: (all, left) => `Insgesamt ${all}, davon ${left} übertragen`,
      exactly: (amount) => `Genau ${amount}`,
      rounded: (count, exact, amount) =>
        `Die ${count} Positionen dieses Preises ergeben ${exact}, gerundet auf ${amount}`,
      part: 'Teil',
      theCharge: 'dem Betrag',
      credit: ({ share, of, number, period, before }) =>
        `${share} von ${of}, berechnet${number === null ? '' : ` mit ${number}`} für ${period}${before === null ? '' : `, abzüglich ${before}, die schon gutgeschrieben sind`}`,
      onNote: (amount, number) => `${amount} auf Gutschrift ${number}`,
      creditInAll: (all, here, notes) => `Insgesamt ${all}: ${here} hier, ${notes}`,
    },
    lineNames: {
      discount: 'Rabatt',
      grants: 'durch Kontingente gedeckt',
      minimum: 'Mindestbetrag',
      maximum: 'Höchstbetrag',
      late: 'nachgemeldete Nutzung',
      unused: 'nicht genutzt',
      credit: 'Erstattung',
      carried: 'Übertrag',
      commitment: 'Mindestumsatz',
      balance: 'Vorausbezahltes Guthaben',
      topUp: 'Guthabenaufladung',
    },
  },
  fr: {
    titles: {
      invoice: 'Facture',
      creditNote: 'Avoir',
      onAccount: 'Versement sur le compte',
      receipt: 'Reçu',
    },
    sandbox: 'Test – sans valeur fiscale',
    sandboxReceipt: 'Test – aucun paiement réel',
    template: {
      from: 'Émetteur',
      payOnline: 'Payer en ligne',
      payOnlineAt: 'Payer en ligne :',
      description: 'Désignation',
      quantity: 'Quantité',
      unitPrice: 'Prix unitaire',
      notes: 'Remarques',
    },
    tax: {
      head: { VAT: 'TVA', GST: 'GST', Tax: 'Taxe' },
      sum: { VAT: 'TVA', GST: 'GST', Tax: 'Taxe' },
      inSentence: { VAT: 'TVA', GST: 'GST', Tax: 'taxe' },
      id: { VAT: 'N° TVA', GST: 'N° GST', Tax: 'N° fiscal' },
    },
    amount: (currency) => `Montant ${currency}`,
    amountWithTax: (currency, tax) => `${currency}, ${tax} comprise`,
    pricesInclude: (tax) => `Les prix et montants des lignes s’entendent ${tax} comprise.`,
    billedTo: 'Facturé à',
    creditedTo: 'Crédité à',
    receivedFrom: 'Reçu de',
    facts: {
      invoiceNumber: 'N° de facture',
      number: 'Numéro',
      creditNote: 'Avoir',
      issued: 'Émission',
      yourReference: 'Votre réf.',
      due: 'Échéance',
      period: 'Période',
      originalInvoice: 'Facture initiale',
      invoiceIssued: 'Facture du',
      receiptNumber: 'N° de reçu',
      paidOn: 'Payé le',
      paidBy: 'Moyen',
      reference: 'Référence',
      invoice: 'Facture',
    },
    account: { holder: 'Titulaire', number: 'Compte', bank: 'Banque' },
    headline: {
      totalCredited: 'Total crédité',
      amountDue: 'Montant à payer',
      amountPaid: 'Montant payé',
      nothingToPay: 'Rien à payer',
      paidInFull: 'Entièrement payé',
      due: (day) => `À payer avant le ${day}`,
    },
    totals: {
      subtotal: 'Sous-total',
      subtotalWithout: (tax) => `Sous-total hors ${tax}`,
      taxOf: (tax, rate, base) => `${tax} ${rate} sur ${base}`,
      allTax: (tax) => `Total ${tax}`,
      total: 'Total à régler',
      fromWallet: 'Payé par le solde',
      paid: 'Payé',
    },
    payment: 'Paiement',
    terms: (days, until) =>
      `Paiement ${days === 0 ? 'à réception' : `sous ${days} ${days === 1 ? 'jour' : 'jours'}`}${until === null ? '' : `, avant le ${until}`}.`,
    quote: (number) => `Veuillez indiquer ${number} lors du paiement.`,
    onAccount: 'Ce paiement alimente votre solde et règle des factures à venir. Elles indiquent les taxes.',
    aboutCredit: 'À propos de cet avoir',
    corrects: (number, day) => `Cet avoir rectifie la facture ${number} du ${day}.`,
    reason: (text) => `Motif : ${text}`,
    exempt: (tax) => `Exonéré de ${tax}`,
    outside: (tax) => `Hors champ de la ${tax} : le lieu de la prestation n’est pas dans le pays du vendeur`,
    reverseCharge: 'Autoliquidation : TVA due par le preneur (article 196 de la directive 2006/112/CE)',
    eInvoice: {
      prepayment: 'Paiement anticipé sans livraison ni prestation, hors champ de la taxe',
      notRegistered: 'Non soumis à la taxe : le vendeur n’est pas assujetti',
      due: (days) => (days === 0 ? 'Paiement à réception.' : `Paiement sous ${days} ${days === 1 ? 'jour' : 'jours'}.`),
      payOnline: (address) => `Payer en ligne : ${address}`,
      credit: 'Rien à payer : ceci est un avoir.',
      unit: 'Unité',
    },
    receipt: {
      about: 'À propos de ce reçu',
      confirms: (number) => `Ce reçu confirme un paiement de la facture ${number}.`,
      noTaxes: 'La facture indique les taxes. Ce reçu n’est pas une facture.',
      invoiceTotal: 'Total de la facture',
      paidBefore: 'Payé ou crédité avant',
      thisPayment: 'Ce paiement',
      thisPaymentAsDue: 'Ce paiement, pour la part due',
      remaining: 'Reste à payer sur la facture',
      overpaid: 'Trop-perçu, ajouté au solde',
      methods: { card: 'Carte', bank_transfer: 'Virement', cash: 'Espèces', other: 'Autre moyen' },
      cardEndingIn: (brand, last4) => `${brand ?? 'Carte'} •••• ${last4}`,
      paidOn: (day, how) => `Payé le ${day} ${how}`,
      paidWith: { card: 'par carte', bank_transfer: 'par virement', cash: 'en espèces', other: 'par un autre moyen' },
      paidWithCard: (brand, last4) => `avec ${brand ?? 'une carte'} se terminant par ${last4}`,
    },
    price: {
      tiered: 'par paliers',
      per: (count) => `pour ${count}`,
      allUnits: 'Toutes les unités',
      over: (bound) => `Au-delà de ${bound}`,
      plusFlat: (bounds, flat) => `${bounds}, plus ${flat} de forfait`,
    },
    notes: {
      time: {
        days: (part, whole) => `${part} jours sur ${whole}`,
        hours: (part, whole) => `${part} heures sur ${whole}`,
        seconds: (part, whole) => `${part} secondes sur ${whole}`,
      },
      shareOf: (share, whole) => `${share}, de ${whole}`,
      percentOf: (percent, whole) => `${percent} de ${whole}`,
      included: (units, charged) => `${units} inclus, ${charged} facturés`,
      includedShare: (share, allowance) => `inclus : ${share}, de ${allowance}`,
      flat: (share) => `Forfaits pour ${share}`,
      packages: (count, isOne, size, price) => `${count} ${isOne ? 'lot' : 'lots'} de ${size} à ${price}`,
      least: (amount) => `au moins ${amount}`,
      most: (amount) => `au plus ${amount}`,
      others: (groups, more) => `Autres : ${groups}${more > 0 ? ` et ${more} ${more === 1 ? 'autre' : 'autres'}` : ''}`,
      maximum: (reached, limit) => `${reached}, limité à ${limit}`,
      minimum: (limit, reached) => `Minimum ${limit} moins ${reached}`,
      soFar: (total, before) => `${total} en tout, moins ${before} déjà facturés`,
      carried: (all, left) => `${all} en tout, dont ${left} reportés`,
      exactly: (amount) => `Exactement ${amount}`,
      rounded: (count, exact, amount) => `Les ${count} lignes de ce prix font ${exact}, arrondis à ${amount}`,
      part: 'Partie',
      theCharge: 'la somme',
      credit: ({ share, of, number, period, before }) =>
        `${share}, de ${of} facturés${number === null ? '' : ` par ${number}`} pour ${period}${before === null ? '' : `, moins ${before} déjà crédités`}`,
      onNote: (amount, number) => `${amount} sur l’avoir ${number}`,
      creditInAll: (all, here, notes) => `${all} en tout : ${here} ici, ${notes}`,
    },
    lineNames: {
      discount: 'remise',
      grants: 'couvert par des crédits',
      minimum: 'minimum',
      maximum: 'plafond',
      late: 'utilisation tardive',
      unused: 'non utilisé',
      credit: 'remboursement',
      carried: 'report',
      commitment: 'Engagement minimal',
      balance: 'Solde prépayé',
      topUp: 'Rechargement du solde',
    },
  },
  es: {
    titles: {
      invoice: 'Factura',
      creditNote: 'Nota de crédito',
      onAccount: 'Pago a cuenta',
      receipt: 'Recibo',
    },
    sandbox: 'Pruebas – sin validez fiscal',
    sandboxReceipt: 'Pruebas – ningún pago real',
    template: {
      from: 'Emisor',
      payOnline: 'Pagar en línea',
      payOnlineAt: 'Pagar en línea:',
      description: 'Descripción',
      quantity: 'Cantidad',
      unitPrice: 'Precio unitario',
      notes: 'Observaciones',
    },
    tax: {
      head: { VAT: 'IVA', GST: 'GST', Tax: 'Imp.' },
      sum: { VAT: 'IVA', GST: 'GST', Tax: 'Impuesto' },
      inSentence: { VAT: 'IVA', GST: 'GST', Tax: 'impuesto' },
      id: { VAT: 'NIF-IVA', GST: 'N.º GST', Tax: 'N.º fiscal' },
    },
    amount: (currency) => `Importe ${currency}`,
    amountWithTax: (currency, tax) => `${currency}, ${tax} incl.`,
    pricesInclude: (tax) => `Los precios e importes de las líneas incluyen el ${tax}.`,
    billedTo: 'Facturado a',
    creditedTo: 'Abonado a',
    receivedFrom: 'Recibido de',
    facts: {
      invoiceNumber: 'N.º de factura',
      number: 'Número',
      creditNote: 'Nota de crédito',
      issued: 'Emisión',
      yourReference: 'Su referencia',
      due: 'Vencimiento',
      period: 'Período',
      originalInvoice: 'Factura original',
      invoiceIssued: 'Factura del',
      receiptNumber: 'N.º de recibo',
      paidOn: 'Pagado el',
      paidBy: 'Medio de pago',
      reference: 'Referencia',
      invoice: 'Factura',
    },
    account: { holder: 'Titular', number: 'Cuenta', bank: 'Banco' },
    headline: {
      totalCredited: 'Importe abonado',
      amountDue: 'Importe a pagar',
      amountPaid: 'Importe pagado',
      nothingToPay: 'Nada que pagar',
      paidInFull: 'Pagada por completo',
      due: (day) => `Vence el ${day}`,
    },
    totals: {
      subtotal: 'Base',
      subtotalWithout: (tax) => `Base sin ${tax}`,
      taxOf: (tax, rate, base) => `${tax} ${rate} sobre ${base}`,
      allTax: (tax) => `${tax} en total`,
      total: 'Importe total',
      fromWallet: 'Pagado con el saldo',
      paid: 'Pagado',
    },
    payment: 'Pago',
    terms: (days, until) =>
      `El pago vence ${days === 0 ? 'a la recepción' : `en ${days} ${days === 1 ? 'día' : 'días'}`}${until === null ? '' : `, el ${until}`}.`,
    quote: (number) => `Indique ${number} con su pago.`,
    onAccount: 'Este pago se añade a su saldo y paga facturas posteriores. Ellas indican los impuestos.',
    aboutCredit: 'Acerca de esta nota de crédito',
    corrects: (number, day) => `Esta nota de crédito rectifica la factura ${number} del ${day}.`,
    reason: (text) => `Motivo: ${text}`,
    exempt: (tax) => `Exento de ${tax}`,
    outside: (tax) => `No sujeto a ${tax}: el lugar de la prestación no está en el país del vendedor`,
    reverseCharge:
      'Inversión del sujeto pasivo: el destinatario liquida el IVA (artículo 196 de la Directiva 2006/112/CE)',
    eInvoice: {
      prepayment: 'Pago anticipado sin entrega ni prestación, no sujeto al impuesto',
      notRegistered: 'No sujeto al impuesto: el vendedor no está registrado',
      due: (days) => (days === 0 ? 'Vence a la recepción.' : `Vence en ${days} ${days === 1 ? 'día' : 'días'}.`),
      payOnline: (address) => `Pagar en línea: ${address}`,
      credit: 'Nada que pagar: es una nota de crédito.',
      unit: 'Unidad',
    },
    receipt: {
      about: 'Acerca de este recibo',
      confirms: (number) => `Este recibo confirma un pago de la factura ${number}.`,
      noTaxes: 'La factura indica los impuestos. Este recibo no es una factura.',
      invoiceTotal: 'Importe de la factura',
      paidBefore: 'Pagado o abonado antes',
      thisPayment: 'Este pago',
      thisPaymentAsDue: 'Este pago, hasta lo que se debía',
      remaining: 'Pendiente en la factura',
      overpaid: 'Pagado de más, añadido al saldo',
      methods: { card: 'Tarjeta', bank_transfer: 'Transferencia', cash: 'Efectivo', other: 'Otro medio' },
      cardEndingIn: (brand, last4) => `${brand ?? 'Tarjeta'} •••• ${last4}`,
      paidOn: (day, how) => `Pagado el ${day} ${how}`,
      paidWith: {
        card: 'con tarjeta',
        bank_transfer: 'por transferencia',
        cash: 'en efectivo',
        other: 'por otro medio',
      },
      paidWithCard: (brand, last4) => `con ${brand ?? 'una tarjeta'} terminada en ${last4}`,
    },
    price: {
      tiered: 'por tramos',
      per: (count) => `por ${count}`,
      allUnits: 'Todas las unidades',
      over: (bound) => `Más de ${bound}`,
      plusFlat: (bounds, flat) => `${bounds}, más ${flat} fijos`,
    },
    notes: {
      time: {
        days: (part, whole) => `${part} de ${whole} días`,
        hours: (part, whole) => `${part} de ${whole} horas`,
        seconds: (part, whole) => `${part} de ${whole} segundos`,
      },
      shareOf: (share, whole) => `${share}, de ${whole}`,
      percentOf: (percent, whole) => `${percent} de ${whole}`,
      included: (units, charged) => `${units} incluidos, ${charged} facturados`,
      includedShare: (share, allowance) => `incluidos: ${share}, de ${allowance}`,
      flat: (share) => `Precios fijos por ${share}`,
      packages: (count, isOne, size, price) => `${count} ${isOne ? 'paquete' : 'paquetes'} de ${size} a ${price}`,
      least: (amount) => `al menos ${amount}`,
      most: (amount) => `como máximo ${amount}`,
      others: (groups, more) => `Otros: ${groups}${more > 0 ? ` y ${more} más` : ''}`,
      maximum: (reached, limit) => `${reached}, limitado a ${limit}`,
      minimum: (limit, reached) => `Mínimo ${limit} menos ${reached}`,
      soFar: (total, before) => `${total} en total, menos ${before} ya facturados`,
      carried: (all, left) => `${all} en total, de los que ${left} pasan a otra factura`,
      exactly: (amount) => `Exactamente ${amount}`,
      rounded: (count, exact, amount) => `Las ${count} líneas de este precio suman ${exact}, redondeado a ${amount}`,
      part: 'Parte',
      theCharge: 'el cargo',
      credit: ({ share, of, number, period, before }) =>
        `${share}, de ${of} facturados${number === null ? '' : ` en ${number}`} por ${period}${before === null ? '' : `, menos ${before} ya abonados`}`,
      onNote: (amount, number) => `${amount} en la nota de crédito ${number}`,
      creditInAll: (all, here, notes) => `${all} en total: ${here} aquí, ${notes}`,
    },
    lineNames: {
      discount: 'descuento',
      grants: 'cubierto por créditos',
      minimum: 'mínimo',
      maximum: 'máximo',
      late: 'uso tardío',
      unused: 'no utilizado',
      credit: 'reembolso',
      carried: 'traspaso',
      commitment: 'Compromiso mínimo',
      balance: 'Saldo prepagado',
      topUp: 'Recarga del saldo',
    },
  },
};
