import type { Standing } from '../../invoicing/index.ts';
import type { InEachLocale } from '../../kernel/locale.ts';

/** The pages that are named at the top of each. */
export const TABS = ['overview', 'invoices', 'cards', 'usage', 'balances', 'details'] as const;
export type Tab = (typeof TABS)[number];

/** The confirmations of the portal, by the word in the address. */
export const DONE = ['default', 'removed', 'details', 'changed', 'scheduled', 'cancelled', 'ending'] as const;
export type Done = (typeof DONE)[number];

/** The words of the portal's frame, its overview and its invoices. */
interface PortalWords {
  readonly pages: string;
  readonly more: string;
  readonly tabs: Readonly<Record<Tab, string>>;
  readonly leave: string;
  readonly backTo: (seller: string) => string;
  readonly newer: string;
  readonly older: string;
  readonly pageOf: (page: number, pages: number) => string;
  readonly done: Readonly<Record<Done, string>>;
  readonly standings: Readonly<Record<Standing, string>>;
  readonly toPay: string;
  readonly nothingToPay: string;
  readonly dueOn: (day: string) => string;
  readonly wasDueOn: (day: string) => string;
  readonly pay: (amount: string) => string;
  readonly forInvoice: (number: string) => string;
  readonly lastChargeFailed: string;
  readonly checkCards: string;
  readonly yourPlans: string;
  readonly noPlans: string;
  readonly nextInvoice: (day: string) => string;
  readonly estimate: string;
  readonly estimateNote: string;
  readonly noEstimate: string;
  readonly endsOn: (day: string) => string;
  readonly endedOn: (day: string) => string;
  readonly waitsForPayment: string;
  readonly see: string;
  readonly balanceOnAccount: string;
  readonly invoices: string;
  readonly noInvoices: string;
  readonly number: string;
  readonly issued: string;
  readonly period: string;
  readonly total: string;
  readonly state: string;
  readonly invoice: string;
  readonly unnumbered: string;
  readonly openInvoicePage: string;
  readonly documents: string;
  readonly pdf: string;
  readonly eInvoice: string;
  readonly creditNote: (number: string) => string;
  readonly receiptOf: (day: string) => string;
  readonly lines: string;
  readonly howCalculated: string;
  readonly quantity: string;
  readonly unitPrice: string;
  readonly amount: string;
  readonly fromTo: (from: string, to: string) => string;
  readonly tiers: string;
  readonly tierAbove: (above: string) => string;
  readonly tierUpTo: (above: string, upTo: string) => string;
  readonly flat: string;
  readonly discount: string;
  readonly tax: string;
  readonly taxOf: (rate: string) => string;
  readonly noTax: string;
  readonly withTax: string;
  readonly subtotal: string;
  readonly paid: string;
  readonly credited: string;
  readonly leftToPay: string;
  readonly moreLines: (count: number) => string;
}

export const PORTAL_WORDS: InEachLocale<PortalWords> = {
  en: {
    pages: 'Pages of your account',
    more: 'More pages',
    tabs: {
      overview: 'Overview',
      invoices: 'Invoices',
      cards: 'Payment methods',
      usage: 'Usage',
      balances: 'Balances',
      details: 'Billing details',
    },
    leave: 'Sign out',
    backTo: (seller) => `Back to ${seller}`,
    newer: 'Newer',
    older: 'Older',
    pageOf: (page, pages) => `Page ${page} of ${pages}`,
    done: {
      default: 'This card is charged from now on.',
      removed: 'The card was removed.',
      details: 'Your details were saved. Earlier invoices do not change.',
      changed: 'Your plan was changed.',
      scheduled: 'The change is planned.',
      cancelled: 'Your plan has ended.',
      ending: 'Your plan ends as shown below.',
    },
    standings: {
      asked: 'To pay',
      overdue: 'Overdue',
      onItsWay: 'Payment in progress',
      paid: 'Paid',
      nothing: 'Settled',
      refunded: 'Refunded',
      cancelled: 'Cancelled',
      expired: 'Expired',
      closed: 'Closed',
    },
    toPay: 'To pay',
    nothingToPay: 'There is nothing to pay.',
    dueOn: (day) => `Due on ${day}`,
    wasDueOn: (day) => `Was due on ${day}`,
    pay: (amount) => `Pay ${amount}`,
    forInvoice: (number) => `for invoice ${number}`,
    lastChargeFailed: 'The last payment did not work.',
    checkCards: 'Check your payment methods',
    yourPlans: 'Your plans',
    noPlans: 'You have no plan at the moment.',
    nextInvoice: (day) => `Next invoice on ${day}`,
    estimate: 'As things stand',
    estimateNote: 'With the usage so far, and tax.',
    noEstimate: 'Its amount cannot be estimated at the moment.',
    endsOn: (day) => `Ends on ${day}`,
    endedOn: (day) => `Ended on ${day}`,
    waitsForPayment: 'Waits for its first payment',
    see: 'Details',
    balanceOnAccount: 'Balance in your account',
    invoices: 'Invoices',
    noInvoices: 'There are no invoices yet.',
    number: 'Number',
    issued: 'Issued',
    period: 'Period',
    total: 'Total',
    state: 'State',
    invoice: 'Invoice',
    unnumbered: 'Offer',
    openInvoicePage: 'Open the invoice’s page',
    documents: 'Documents',
    pdf: 'Invoice (PDF)',
    eInvoice: 'E-invoice (XML)',
    creditNote: (number) => `Credit note ${number} (PDF)`,
    receiptOf: (day) => `Receipt of ${day} (PDF)`,
    lines: 'Calculation',
    howCalculated: 'How this was calculated',
    quantity: 'Quantity',
    unitPrice: 'Unit price',
    amount: 'Amount',
    fromTo: (from, to) => `${from} to ${to}`,
    tiers: 'Tier by tier',
    tierAbove: (above) => `above ${above}`,
    tierUpTo: (above, upTo) => `above ${above}, up to ${upTo}`,
    flat: 'Flat',
    discount: 'Discount',
    tax: 'Tax',
    taxOf: (rate) => `Tax (${rate} %)`,
    noTax: 'Without tax',
    withTax: 'With tax',
    subtotal: 'Before tax',
    paid: 'Paid',
    credited: 'Credited',
    leftToPay: 'Left to pay',
    moreLines: (count) => `${count} more lines are on the document.`,
  },
  de: {
    pages: 'Seiten Ihres Kontos',
    more: 'Weitere Seiten',
    tabs: {
      overview: 'Übersicht',
      invoices: 'Rechnungen',
      cards: 'Zahlungsmittel',
      usage: 'Verbrauch',
      balances: 'Guthaben',
      details: 'Rechnungsdaten',
    },
    leave: 'Abmelden',
    backTo: (seller) => `Zurück zu ${seller}`,
    newer: 'Neuere',
    older: 'Ältere',
    pageOf: (page, pages) => `Seite ${page} von ${pages}`,
    done: {
      default: 'Diese Karte wird von nun an belastet.',
      removed: 'Die Karte wurde entfernt.',
      details: 'Ihre Daten wurden gespeichert. Rechnungen, die Sie schon haben, bleiben, wie sie sind.',
      changed: 'Ihr Tarif wurde geändert.',
      scheduled: 'Die Änderung ist vorgemerkt.',
      cancelled: 'Ihr Tarif ist beendet.',
      ending: 'Ihr Tarif endet wie unten angegeben.',
    },
    standings: {
      asked: 'Zu zahlen',
      overdue: 'Überfällig',
      onItsWay: 'Zahlung unterwegs',
      paid: 'Bezahlt',
      nothing: 'Ausgeglichen',
      refunded: 'Erstattet',
      cancelled: 'Storniert',
      expired: 'Abgelaufen',
      closed: 'Abgeschlossen',
    },
    toPay: 'Zu zahlen',
    nothingToPay: 'Es ist nichts zu zahlen.',
    dueOn: (day) => `Fällig am ${day}`,
    wasDueOn: (day) => `War fällig am ${day}`,
    pay: (amount) => `${amount} zahlen`,
    forInvoice: (number) => `für Rechnung ${number}`,
    lastChargeFailed: 'Die letzte Zahlung ist fehlgeschlagen.',
    checkCards: 'Zahlungsmittel prüfen',
    yourPlans: 'Ihre Tarife',
    noPlans: 'Sie haben zurzeit keinen Tarif.',
    nextInvoice: (day) => `Nächste Rechnung am ${day}`,
    estimate: 'Nach heutigem Stand',
    estimateNote: 'Mit dem bisherigen Verbrauch und Steuer.',
    noEstimate: 'Der Betrag lässt sich zurzeit nicht schätzen.',
    endsOn: (day) => `Endet am ${day}`,
    endedOn: (day) => `Endete am ${day}`,
    waitsForPayment: 'Wartet auf die erste Zahlung',
    see: 'Einzelheiten',
    balanceOnAccount: 'Guthaben auf Ihrem Konto',
    invoices: 'Rechnungen',
    noInvoices: 'Es gibt noch keine Rechnungen.',
    number: 'Nummer',
    issued: 'Ausgestellt',
    period: 'Zeitraum',
    total: 'Betrag',
    state: 'Stand',
    invoice: 'Rechnung',
    unnumbered: 'Angebot',
    openInvoicePage: 'Seite der Rechnung öffnen',
    documents: 'Dokumente',
    pdf: 'Rechnung (PDF)',
    eInvoice: 'E-Rechnung (XML)',
    creditNote: (number) => `Gutschrift ${number} (PDF)`,
    receiptOf: (day) => `Zahlungsbeleg vom ${day} (PDF)`,
    lines: 'Woraus sie besteht',
    howCalculated: 'So wurde gerechnet',
    quantity: 'Menge',
    unitPrice: 'Einzelpreis',
    amount: 'Betrag',
    fromTo: (from, to) => `${from} bis ${to}`,
    tiers: 'Stufe für Stufe',
    tierAbove: (above) => `über ${above}`,
    tierUpTo: (above, upTo) => `über ${above} bis ${upTo}`,
    flat: 'Pauschale',
    discount: 'Nachlass',
    tax: 'Steuer',
    taxOf: (rate) => `Steuer (${rate} %)`,
    noTax: 'Ohne Steuer',
    withTax: 'Mit Steuer',
    subtotal: 'Vor Steuer',
    paid: 'Bezahlt',
    credited: 'Gutgeschrieben',
    leftToPay: 'Noch zu zahlen',
    moreLines: (count) => `${count} weitere Positionen stehen auf dem Dokument.`,
  },
  fr: {
    pages: 'Pages de votre compte',
    more: 'Autres pages',
    tabs: {
      overview: 'Aperçu',
      invoices: 'Factures',
      cards: 'Moyens de paiement',
      usage: 'Consommation',
      balances: 'Soldes',
      details: 'Coordonnées de facturation',
    },
    leave: 'Se déconnecter',
    backTo: (seller) => `Retour à ${seller}`,
    newer: 'Plus récentes',
    older: 'Plus anciennes',
    pageOf: (page, pages) => `Page ${page} sur ${pages}`,
    done: {
      default: 'Cette carte sera débitée à partir de maintenant.',
      removed: 'La carte a été supprimée.',
      details: 'Vos coordonnées ont été enregistrées. Les factures déjà émises gardent les leurs.',
      changed: 'Votre formule a été modifiée.',
      scheduled: 'La modification est programmée.',
      cancelled: 'Votre formule est terminée.',
      ending: 'Votre formule se termine comme indiqué ci-dessous.',
    },
    standings: {
      asked: 'À payer',
      overdue: 'En retard',
      onItsWay: 'Paiement en cours',
      paid: 'Payée',
      nothing: 'Soldée',
      refunded: 'Remboursée',
      cancelled: 'Annulée',
      expired: 'Expirée',
      closed: 'Clôturée',
    },
    toPay: 'À payer',
    nothingToPay: 'Il n’y a rien à payer.',
    dueOn: (day) => `À payer avant le ${day}`,
    wasDueOn: (day) => `Était à payer avant le ${day}`,
    pay: (amount) => `Payer ${amount}`,
    forInvoice: (number) => `pour la facture ${number}`,
    lastChargeFailed: 'Le dernier paiement a échoué.',
    checkCards: 'Vérifier vos moyens de paiement',
    yourPlans: 'Vos formules',
    noPlans: 'Vous n’avez pas de formule en ce moment.',
    nextInvoice: (day) => `Prochaine facture le ${day}`,
    estimate: 'À ce jour',
    estimateNote: 'Avec la consommation actuelle et les taxes.',
    noEstimate: 'Son montant ne peut pas être estimé pour le moment.',
    endsOn: (day) => `Se termine le ${day}`,
    endedOn: (day) => `Terminée le ${day}`,
    waitsForPayment: 'En attente du premier paiement',
    see: 'Détails',
    balanceOnAccount: 'Solde de votre compte',
    invoices: 'Factures',
    noInvoices: 'Il n’y a pas encore de facture.',
    number: 'Numéro',
    issued: 'Émise le',
    period: 'Période',
    total: 'Total',
    state: 'État',
    invoice: 'Facture',
    unnumbered: 'Offre',
    openInvoicePage: 'Ouvrir la page de la facture',
    documents: 'Documents',
    pdf: 'Facture (PDF)',
    eInvoice: 'Facture électronique (XML)',
    creditNote: (number) => `Avoir ${number} (PDF)`,
    receiptOf: (day) => `Reçu du ${day} (PDF)`,
    lines: 'Ce qui la compose',
    howCalculated: 'Détail du calcul',
    quantity: 'Quantité',
    unitPrice: 'Prix unitaire',
    amount: 'Montant',
    fromTo: (from, to) => `du ${from} au ${to}`,
    tiers: 'Palier par palier',
    tierAbove: (above) => `au-dessus de ${above}`,
    tierUpTo: (above, upTo) => `au-dessus de ${above}, jusqu’à ${upTo}`,
    flat: 'Forfait',
    discount: 'Remise',
    tax: 'Taxe',
    taxOf: (rate) => `Taxe (${rate} %)`,
    noTax: 'Hors taxe',
    withTax: 'Toutes taxes comprises',
    subtotal: 'Hors taxe',
    paid: 'Payé',
    credited: 'Crédité',
    leftToPay: 'Reste à payer',
    moreLines: (count) => `${count} autres lignes figurent sur le document.`,
  },
  es: {
    pages: 'Páginas de su cuenta',
    more: 'Más páginas',
    tabs: {
      overview: 'Resumen',
      invoices: 'Facturas',
      cards: 'Métodos de pago',
      usage: 'Consumo',
      balances: 'Saldos',
      details: 'Datos de facturación',
    },
    leave: 'Cerrar sesión',
    backTo: (seller) => `Volver a ${seller}`,
    newer: 'Más recientes',
    older: 'Más antiguas',
    pageOf: (page, pages) => `Página ${page} de ${pages}`,
    done: {
      default: 'A partir de ahora se cobrará en esta tarjeta.',
      removed: 'La tarjeta se ha eliminado.',
      details: 'Sus datos se han guardado. Las facturas que ya tiene conservan los suyos.',
      changed: 'Su plan se ha cambiado.',
      scheduled: 'El cambio está previsto.',
      cancelled: 'Su plan ha terminado.',
      ending: 'Su plan termina como se indica abajo.',
    },
    standings: {
      asked: 'Por pagar',
      overdue: 'Vencida',
      onItsWay: 'Pago en curso',
      paid: 'Pagada',
      nothing: 'Saldada',
      refunded: 'Reembolsada',
      cancelled: 'Anulada',
      expired: 'Caducada',
      closed: 'Cerrada',
    },
    toPay: 'Por pagar',
    nothingToPay: 'No hay nada que pagar.',
    dueOn: (day) => `Vence el ${day}`,
    wasDueOn: (day) => `Venció el ${day}`,
    pay: (amount) => `Pagar ${amount}`,
    forInvoice: (number) => `de la factura ${number}`,
    lastChargeFailed: 'El último pago no se pudo realizar.',
    checkCards: 'Revisar sus métodos de pago',
    yourPlans: 'Sus planes',
    noPlans: 'No tiene ningún plan en este momento.',
    nextInvoice: (day) => `Próxima factura el ${day}`,
    estimate: 'Hasta ahora',
    estimateNote: 'Con el consumo hasta hoy e impuestos.',
    noEstimate: 'Su importe no se puede estimar en este momento.',
    endsOn: (day) => `Termina el ${day}`,
    endedOn: (day) => `Terminó el ${day}`,
    waitsForPayment: 'A la espera del primer pago',
    see: 'Detalles',
    balanceOnAccount: 'Saldo de su cuenta',
    invoices: 'Facturas',
    noInvoices: 'Todavía no hay facturas.',
    number: 'Número',
    issued: 'Emitida',
    period: 'Periodo',
    total: 'Total',
    state: 'Estado',
    invoice: 'Factura',
    unnumbered: 'Oferta',
    openInvoicePage: 'Abrir la página de la factura',
    documents: 'Documentos',
    pdf: 'Factura (PDF)',
    eInvoice: 'Factura electrónica (XML)',
    creditNote: (number) => `Nota de crédito ${number} (PDF)`,
    receiptOf: (day) => `Recibo del ${day} (PDF)`,
    lines: 'De qué se compone',
    howCalculated: 'Cómo se ha calculado',
    quantity: 'Cantidad',
    unitPrice: 'Precio unitario',
    amount: 'Importe',
    fromTo: (from, to) => `del ${from} al ${to}`,
    tiers: 'Tramo a tramo',
    tierAbove: (above) => `por encima de ${above}`,
    tierUpTo: (above, upTo) => `por encima de ${above}, hasta ${upTo}`,
    flat: 'Tarifa fija',
    discount: 'Descuento',
    tax: 'Impuesto',
    taxOf: (rate) => `Impuesto (${rate} %)`,
    noTax: 'Sin impuesto',
    withTax: 'Con impuesto',
    subtotal: 'Antes de impuestos',
    paid: 'Pagado',
    credited: 'Abonado',
    leftToPay: 'Queda por pagar',
    moreLines: (count) => `${count} líneas más figuran en el documento.`,
  },
};
