import type { PlanName } from './catalog.ts';

/** The fate of a customer's invoices. */
export type Habit =
  /** Pays within days. */
  | 'pays'
  /** Pays, and got its first invoice back. */
  | 'refunded'
  /** Pays but for the latest invoice that is overdue. */
  | 'overdue'
  /** Paid nothing; the first invoice was written off. */
  | 'written off'
  /** The first invoice was cancelled before it was paid. */
  | 'cancelled'
  /** Pays by bank transfer without a recorded payment; 30 days to pay. */
  | 'transfers'
  /** Its invoices wait for an approval. */
  | 'waits for approval'
  /** Subscribed on the wall clock, some days ago: nothing is billed yet. */
  | 'new';

export interface DemoCustomer {
  /** The merchant's own name for it, which events carry. */
  readonly externalId: string;
  readonly name: string;
  readonly email: string;
  readonly address: Readonly<Record<string, string>>;
  readonly taxId?: string;
  /** Percent of the amounts. */
  readonly vat: number;
  readonly plan: PlanName;
  readonly habit: Habit;
  /** Days after the demo's beginning on which it subscribed; days before now where it is new. */
  readonly day: number;
  /** Events on a usual day. */
  readonly activity: number;
  readonly taxExempt?: boolean;
  /** The externalId of an earlier one that pays for it. */
  readonly payer?: string;
}

/** Twelve customers as a software house has them: several scripts, tax rates and habits. None of them exists. */
export const CUSTOMERS: readonly DemoCustomer[] = [
  {
    externalId: 'birchwood-clinics',
    name: 'Birchwood Clinics Inc.',
    email: 'ap@birchwood.example',
    vat: 8.875,
    plan: 'scale',
    habit: 'pays',
    day: 0,
    activity: 6,
    address: { line1: '410 Mercer Street', city: 'New York', state: 'NY', zipCode: '10012', country: 'US' },
  },
  {
    externalId: 'cista-reka',
    name: 'Čistá Řeka s.r.o.',
    email: 'fakturace@cistareka.example',
    vat: 21,
    plan: 'growth',
    habit: 'refunded',
    day: 1,
    activity: 4,
    taxId: 'CZ69852147',
    address: { line1: 'Na Příkopě 31', city: 'Praha', zipCode: '110 00', country: 'CZ' },
  },
  {
    externalId: 'elaionas',
    name: 'Ελαιώνας Λογισμικό Α.Ε.',
    email: 'logistirio@elaionas.example',
    vat: 24,
    plan: 'growth',
    habit: 'pays',
    day: 3,
    activity: 5,
    taxId: 'EL094259216',
    address: { line1: 'Οδός Ερμού 54', city: 'Αθήνα', zipCode: '105 63', country: 'GR' },
  },
  {
    externalId: 'nakheel-tech',
    name: 'شركة النخيل للتقنية',
    email: 'accounts@nakheel.example',
    vat: 5,
    plan: 'scale',
    habit: 'transfers',
    day: 0,
    activity: 4,
    address: { line1: 'شارع الشيخ زايد ١٢', city: 'دبي', country: 'AE' },
  },
  {
    externalId: 'xinghai-data',
    name: '星海数据有限公司',
    email: 'caiwu@xinghai.example',
    vat: 6,
    plan: 'growth',
    habit: 'overdue',
    day: 2,
    activity: 5,
    address: { line1: '南京西路 1266 号', city: '上海', zipCode: '200040', country: 'CN' },
  },
  {
    externalId: 'hayabusa',
    name: '株式会社はやぶさ',
    email: 'keiri@hayabusa.example',
    vat: 10,
    plan: 'team',
    habit: 'pays',
    day: 0,
    activity: 3,
    address: { line1: '梅田 3-1-3', city: '大阪市', zipCode: '530-0001', country: 'JP' },
  },
  {
    externalId: 'kesar-foods',
    name: 'केसर मार्ग फूड्स प्रा. लि.',
    email: 'billing@kesar.example',
    vat: 18,
    plan: 'growth',
    habit: 'written off',
    day: 1,
    activity: 2,
    address: { line1: 'महात्मा गांधी मार्ग 221', city: 'पुणे', zipCode: '411001', country: 'IN' },
  },
  {
    externalId: 'mueller-soehne',
    name: 'Müller & Söhne Maschinenbau GmbH',
    email: 'rechnung@mueller-soehne.example',
    vat: 19,
    plan: 'team',
    habit: 'cancelled',
    day: 4,
    activity: 3,
    payer: 'hayabusa',
    taxId: 'DE811907980',
    address: { line1: 'Werkstraße 8', city: 'Nürnberg', zipCode: '90402', country: 'DE' },
  },
  {
    externalId: 'tidewater-cu',
    name: 'Tidewater Credit Union',
    email: 'payables@tidewater.example',
    vat: 6,
    plan: 'scale',
    habit: 'pays',
    day: 5,
    activity: 4,
    taxExempt: true,
    address: { line1: '88 Granby Street', city: 'Norfolk', state: 'VA', zipCode: '23510', country: 'US' },
  },
  {
    externalId: 'medveditsa',
    name: 'ТОО «Большая Медведица»',
    email: 'buh@medveditsa.example',
    vat: 12,
    plan: 'team',
    habit: 'waits for approval',
    day: 6,
    activity: 2,
    address: { line1: 'проспект Абая 52', city: 'Алматы', zipCode: '050008', country: 'KZ' },
  },
  {
    externalId: 'lagoa-clara',
    name: 'Lagoa Clara Software Ltda.',
    email: 'financeiro@lagoaclara.example',
    vat: 0,
    plan: 'growth',
    habit: 'new',
    day: 12,
    activity: 4,
    address: {
      line1: 'Rua das Palmeiras 140',
      city: 'Florianópolis',
      state: 'SC',
      zipCode: '88015-200',
      country: 'BR',
    },
  },
  {
    externalId: 'nordlys',
    name: 'Nordlys Analyse AS',
    email: 'faktura@nordlys.example',
    vat: 25,
    plan: 'scale',
    habit: 'new',
    day: 5,
    activity: 5,
    address: { line1: 'Storgata 17', city: 'Tromsø', zipCode: '9008', country: 'NO' },
  },
];
