import type { InEachLocale } from '../../kernel/locale.ts';

/** Fields of the billing details. */
export const DETAIL_FIELDS = [
  'name',
  'emails',
  'phone',
  'line1',
  'line2',
  'zipCode',
  'city',
  'state',
  'country',
  'taxId',
] as const;
export type DetailField = (typeof DETAIL_FIELDS)[number];

/** The words of the pages about cards, usage, balances and details. */
interface PageWords {
  readonly noCards: string;
  readonly takesNoCards: (seller: string) => string;
  readonly isDefault: string;
  readonly expires: (month: string) => string;
  readonly expired: (month: string) => string;
  readonly makeDefault: string;
  readonly remove: string;
  readonly addCard: string;
  readonly addCardNote: string;
  readonly failedNote: (amount: string) => string;
  readonly againOn: (day: string) => string;

  readonly noUsage: string;
  readonly periods: string;
  readonly inPeriod: string;
  readonly onDay: string;
  readonly used: string;
  readonly sumOf: Readonly<Record<'SUM' | 'COUNT' | 'AVG' | 'MIN' | 'MAX' | 'UNIQUE_COUNT' | 'LATEST', string>>;
  readonly asTable: string;
  readonly chartOf: (name: string, from: string, to: string, highest: string) => string;

  readonly noBalances: string;
  readonly left: string;
  readonly reserved: string;
  readonly overage: string;
  readonly until: (day: string) => string;
  readonly once: string;
  readonly soft: string;
  readonly included: string;
  readonly noAccess: string;
  readonly balance: string;

  readonly detailsNote: string;
  readonly fields: Readonly<Record<DetailField, string>>;
  readonly emailsHint: string;
  readonly noCountry: string;
  readonly save: string;
  readonly wrong: string;
  readonly required: string;
  readonly badEmails: string;
  readonly tooLong: (most: number) => string;
}

export const PAGE_WORDS: InEachLocale<PageWords> = {
  en: {
    noCards: 'No card is stored.',
    takesNoCards: (seller) => `${seller} does not accept cards at the moment.`,
    isDefault: 'Charged first',
    expires: (month) => `valid until ${month}`,
    expired: (month) => `has expired, ${month}`,
    makeDefault: 'Charge this card',
    remove: 'Remove',
    addCard: 'Add a card',
    addCardNote: 'A card that you add is charged from then on.',
    failedNote: (amount) => `${amount} could not be charged. Add another card, or choose one below.`,
    againOn: (day) => `The card that is charged first is tried again on ${day}.`,
    noUsage: 'No usage is measured for your plans.',
    periods: 'Periods',
    inPeriod: 'In this period',
    onDay: 'Day',
    used: 'Used',
    sumOf: {
      SUM: 'In all',
      COUNT: 'In all',
      AVG: 'On average',
      MIN: 'Lowest',
      MAX: 'Highest',
      UNIQUE_COUNT: 'Different ones in all',
      LATEST: 'At the end',
    },
    asTable: 'As a table',
    chartOf: (name, from, to, highest) => `${name} by day from ${from} to ${to}; the highest day has ${highest}.`,
    noBalances: 'There are no balances.',
    left: 'Left',
    reserved: 'Reserved',
    overage: 'Above the balance',
    until: (day) => `until ${day}`,
    once: 'does not come back',
    soft: 'can be exceeded',
    included: 'Included',
    noAccess: 'Used up',
    balance: 'Left at the end of the day',
    detailsNote: 'They appear on your next invoices.',
    fields: {
      name: 'Name',
      emails: 'E-mail addresses for invoices',
      phone: 'Telephone',
      line1: 'Street and number',
      line2: 'Addition',
      zipCode: 'Postal code',
      city: 'City',
      state: 'State or region',
      country: 'Country',
      taxId: 'Tax id',
    },
    emailsHint: 'Several are separated by commas. Links to this account are sent to them, too.',
    noCountry: 'Not given',
    save: 'Save',
    wrong: 'Please check these fields:',
    required: 'This must be filled in.',
    badEmails: 'Enter one to 20 e-mail addresses, such as name@example.com.',
    tooLong: (most) => `At most ${most} characters.`,
  },
  de: {
    noCards: 'Es ist keine Karte gespeichert.',
    takesNoCards: (seller) => `${seller} nimmt zurzeit keine Karten an.`,
    isDefault: 'Wird zuerst belastet',
    expires: (month) => `gültig bis ${month}`,
    expired: (month) => `abgelaufen, ${month}`,
    makeDefault: 'Diese Karte belasten',
    remove: 'Entfernen',
    addCard: 'Karte hinzufügen',
    addCardNote: 'Eine neue Karte wird von da an belastet.',
    failedNote: (amount) =>
      `${amount} konnten nicht abgebucht werden. Fügen Sie eine andere Karte hinzu oder wählen Sie unten eine aus.`,
    againOn: (day) => `Die Karte, die zuerst belastet wird, wird am ${day} noch einmal versucht.`,
    noUsage: 'Für Ihre Tarife wird kein Verbrauch gemessen.',
    periods: 'Zeiträume',
    inPeriod: 'In diesem Zeitraum',
    onDay: 'Tag',
    used: 'Verbraucht',
    sumOf: {
      SUM: 'Insgesamt',
      COUNT: 'Insgesamt',
      AVG: 'Im Durchschnitt',
      MIN: 'Niedrigster Wert',
      MAX: 'Höchster Wert',
      UNIQUE_COUNT: 'Verschiedene insgesamt',
      LATEST: 'Am Ende',
    },
    asTable: 'Als Tabelle',
    chartOf: (name, from, to, highest) => `${name} nach Tagen vom ${from} bis ${to}; der höchste Tag hat ${highest}.`,
    noBalances: 'Es gibt keine Guthaben.',
    left: 'Übrig',
    reserved: 'Reserviert',
    overage: 'Über das Guthaben hinaus',
    until: (day) => `bis ${day}`,
    once: 'kommt nicht wieder',
    soft: 'kann überschritten werden',
    included: 'Enthalten',
    noAccess: 'Aufgebraucht',
    balance: 'Übrig am Ende des Tages',
    detailsNote: 'Sie stehen auf Ihren nächsten Rechnungen.',
    fields: {
      name: 'Name',
      emails: 'E-Mail-Adressen für Rechnungen',
      phone: 'Telefon',
      line1: 'Straße und Hausnummer',
      line2: 'Zusatz',
      zipCode: 'Postleitzahl',
      city: 'Ort',
      state: 'Bundesland oder Region',
      country: 'Land',
      taxId: 'Steuernummer oder USt-IdNr.',
    },
    emailsHint: 'Mehrere werden durch Kommas getrennt. Auch Links zu diesem Konto gehen an sie.',
    noCountry: 'Nicht angegeben',
    save: 'Speichern',
    wrong: 'Bitte prüfen Sie diese Felder:',
    required: 'Bitte füllen Sie dieses Feld aus.',
    badEmails: 'Geben Sie eine bis 20 E-Mail-Adressen ein, zum Beispiel name@example.com.',
    tooLong: (most) => `Höchstens ${most} Zeichen.`,
  },
  fr: {
    noCards: 'Aucune carte n’est enregistrée.',
    takesNoCards: (seller) => `${seller} n’accepte pas de carte pour le moment.`,
    isDefault: 'Débitée en premier',
    expires: (month) => `valable jusqu’en ${month}`,
    expired: (month) => `expirée, ${month}`,
    makeDefault: 'Débiter cette carte',
    remove: 'Supprimer',
    addCard: 'Ajouter une carte',
    addCardNote: 'Une carte que vous ajoutez sera débitée à partir de ce moment.',
    failedNote: (amount) =>
      `${amount} n’ont pas pu être débités. Ajoutez une autre carte ou choisissez-en une ci-dessous.`,
    againOn: (day) => `La carte débitée en premier sera essayée à nouveau le ${day}.`,
    noUsage: 'Aucune consommation n’est mesurée pour vos formules.',
    periods: 'Périodes',
    inPeriod: 'Pendant cette période',
    onDay: 'Jour',
    used: 'Consommé',
    sumOf: {
      SUM: 'Au total',
      COUNT: 'Au total',
      AVG: 'En moyenne',
      MIN: 'Valeur la plus basse',
      MAX: 'Valeur la plus haute',
      UNIQUE_COUNT: 'Valeurs différentes au total',
      LATEST: 'À la fin',
    },
    asTable: 'Sous forme de tableau',
    chartOf: (name, from, to, highest) =>
      `${name} par jour du ${from} au ${to} ; le jour le plus haut atteint ${highest}.`,
    noBalances: 'Il n’y a pas de solde.',
    left: 'Restant',
    reserved: 'Réservé',
    overage: 'Au-delà du solde',
    until: (day) => `jusqu’au ${day}`,
    once: 'n’est pas renouvelé',
    soft: 'peut être dépassé',
    included: 'Inclus',
    noAccess: 'Épuisé',
    balance: 'Restant à la fin du jour',
    detailsNote: 'Elles figureront sur vos prochaines factures.',
    fields: {
      name: 'Nom',
      emails: 'Adresses e-mail pour les factures',
      phone: 'Téléphone',
      line1: 'Numéro et rue',
      line2: 'Complément',
      zipCode: 'Code postal',
      city: 'Ville',
      state: 'État ou région',
      country: 'Pays',
      taxId: 'Numéro fiscal ou de TVA',
    },
    emailsHint: 'Séparez-les par des virgules. Les liens vers ce compte leur sont aussi envoyés.',
    noCountry: 'Non indiqué',
    save: 'Enregistrer',
    wrong: 'Veuillez vérifier ces champs :',
    required: 'Ce champ doit être rempli.',
    badEmails: 'Saisissez de 1 à 20 adresses e-mail, par exemple nom@example.com.',
    tooLong: (most) => `${most} caractères au maximum.`,
  },
  es: {
    noCards: 'No hay ninguna tarjeta guardada.',
    takesNoCards: (seller) => `${seller} no acepta tarjetas en este momento.`,
    isDefault: 'Se cobra primero',
    expires: (month) => `válida hasta ${month}`,
    expired: (month) => `caducada, ${month}`,
    makeDefault: 'Cobrar en esta tarjeta',
    remove: 'Eliminar',
    addCard: 'Añadir una tarjeta',
    addCardNote: 'En la tarjeta que añada se cobrará a partir de entonces.',
    failedNote: (amount) => `No se pudieron cobrar ${amount}. Añada otra tarjeta o elija una de las siguientes.`,
    againOn: (day) => `La tarjeta que se cobra primero se intentará de nuevo el ${day}.`,
    noUsage: 'No se mide ningún consumo de sus planes.',
    periods: 'Periodos',
    inPeriod: 'En este periodo',
    onDay: 'Día',
    used: 'Consumido',
    sumOf: {
      SUM: 'En total',
      COUNT: 'En total',
      AVG: 'De media',
      MIN: 'Valor más bajo',
      MAX: 'Valor más alto',
      UNIQUE_COUNT: 'Distintos en total',
      LATEST: 'Al final',
    },
    asTable: 'Como tabla',
    chartOf: (name, from, to, highest) => `${name} por día del ${from} al ${to}; el día más alto tiene ${highest}.`,
    noBalances: 'No hay saldos.',
    left: 'Queda',
    reserved: 'Reservado',
    overage: 'Por encima del saldo',
    until: (day) => `hasta el ${day}`,
    once: 'no se renueva',
    soft: 'se puede superar',
    included: 'Incluido',
    noAccess: 'Agotado',
    balance: 'Queda al final del día',
    detailsNote: 'Aparecerán en sus próximas facturas.',
    fields: {
      name: 'Nombre',
      emails: 'Direcciones de correo para las facturas',
      phone: 'Teléfono',
      line1: 'Calle y número',
      line2: 'Información adicional',
      zipCode: 'Código postal',
      city: 'Ciudad',
      state: 'Provincia o región',
      country: 'País',
      taxId: 'Identificación fiscal',
    },
    emailsHint: 'Sepárelas con comas. Los enlaces a esta cuenta también se envían a ellas.',
    noCountry: 'Sin indicar',
    save: 'Guardar',
    wrong: 'Revise estos campos:',
    required: 'Este campo es obligatorio.',
    badEmails: 'Introduzca de 1 a 20 direcciones de correo, por ejemplo nombre@example.com.',
    tooLong: (most) => `Como máximo ${most} caracteres.`,
  },
};
