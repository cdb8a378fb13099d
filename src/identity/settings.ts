import {
  Country,
  DecimalNumber,
  type FieldWords,
  Formed,
  Id,
  Nullable,
  NumberOut,
  OneOf,
  type Static,
  Strict,
  Text,
  Type,
} from '../http/index.ts';
import { type Decimal, decimalOrNull, jsonNumber } from '../kernel/decimal.ts';
import { type FieldError, fail, invalid, ok, type Result } from '../kernel/result.ts';
import { registrationProblems, type TaxRegistration } from '../tax/index.ts';
import { bicProblem, compact, ibanProblem } from './bank-account.ts';
import type { EnvironmentName } from './keys.ts';

/** A tax rate in requests: percent, 0 to 100, read exactly (8.875 is 8.875 percent). */
export const Percent = DecimalNumber({ minimum: '0', maximum: '100', fractionDigits: 9 });

const APPROVAL_KINDS = ['data_review', 'financial_review', 'push'] as const;
const DUNNING_ENDS = ['keep', 'write_off', 'terminate'] as const;
const TAX_PROVIDERS = ['internal', 'stripe_tax'] as const;
const PAYMENT_PROVIDERS = ['none', 'stripe', 'sandbox'] as const;
const TAX_SCHEMES = ['standard', 'oss'] as const;
const CHANGE_TIMES = ['now', 'periodEnd'] as const;
const CANCELLATIONS = ['none', 'period_end', 'now'] as const;
/**
 * A host as it is written in an address, with a port where that is not the usual one; nothing that a header would read
 * otherwise.
 */
const HOST = '^(?:[a-z0-9_-]{1,63}\\.){0,8}[a-z0-9-]{1,63}(?::[0-9]{1,5})?$';

const host = new RegExp(HOST);

/** Is this a host that may be sent people to, and be named in a header? In lower case. */
export const isHost = (text: string): boolean => text.length <= 253 && host.test(text);

export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

const ApprovalKinds = Type.Array(OneOf(APPROVAL_KINDS), { uniqueItems: true, maxItems: APPROVAL_KINDS.length });

const InvoicePrefix = Formed(
  '^[A-Za-z0-9][A-Za-z0-9_/-]{0,19}$',
  'must be 1 to 20 letters, digits, underscores, slashes and hyphens, such as ACME',
);

const SETTINGS_FIELDS: FieldWords = {
  defaultTaxRate: [
    'The tax rate in percent if nothing else sets one: 20 is 20 %. Default: null, which counts as 0.',
    20,
  ],
  taxProvider: '`internal`: your own rates. `stripe_tax`: Stripe calculates tax. Default: `internal`.',
  invoicePrefix: ['The beginning of invoice numbers, before a hyphen and the counter. Default: `INV`.', 'ACME'],
  requiredApprovals: 'The approvals for which an invoice or an order waits. Default: none.',
  invoice: 'The kinds of approval for which an invoice waits.',
  order: 'The kinds of approval for which an order waits.',
  dunning: 'The retries after a declined charge.',
  retryAfterDays: ['The days from each attempt to the next one, at most 10. Default: 2, 5, 7, 7.', [2, 5, 7, 7]],
  finally:
    'The action after the last retry: `keep` the invoice open, `write_off` the invoice, or `terminate` ' +
    'the subscription. Default: `keep`.',
  paymentProvider: 'The provider of payments. Default: `none` in production, `sandbox` in the sandbox.',
  lateUsageDays: ['How many days after the end of a subscription late usage is still billed. Default: 35.', 35],
  rateLimits: 'The rate limits of the organization; only operators set them. Default: null, no limits.',
  general: 'The limit of all requests but usage events.',
  events: 'The limit of requests with usage events.',
  perSecond: ['How many requests a second are allowed.', 50],
  burst: ['How many requests may come at once.', 100],
  redirectHosts: [
    'The hosts to which checkout may send people back. Default: none, which allows every host.',
    ['app.acme.example'],
  ],
  mail: 'Settings of the emails to customers.',
  branding: 'The look of pages and documents.',
  color: ['The colour of the merchant, such as `#1a2b3c`. Null: the usual one.', '#1a2b3c'],
  footer: ['The text at the foot of documents. Null: none.', 'Acme GmbH, Berlin'],
  bankTransfer: 'The account to which customers send money. It needs an `iban` or an `account`. Default: null, none.',
  holder: ['The name of the account holder.', 'Acme GmbH'],
  iban: ['The IBAN, with or without spaces.', 'DE89 3704 0044 0532 0130 00'],
  account: 'The number of an account without an IBAN.',
  bic: ['The BIC of the bank.', 'COBADEFFXXX'],
  bank: ['The name of the bank.', 'Commerzbank'],
  note: 'A note for the payer.',
  portal: 'The changes that customers can make in the customer portal. Default: none.',
  planChange: 'The plans that customers can choose. Null: they cannot change their plan.',
  plans: 'The ids of these plans.',
  effective: 'When a change takes effect: `now` or at `periodEnd`. Default: `now`.',
  cancellation: 'How customers can end a subscription: `none`, at `period_end`, or `now`. Default: `none`.',
  country: ['The country of the registration.', 'DE'],
  taxId: ['The tax id of the registration.', 'DE136695976'],
  from: ['The first day of the registration.', '2026-01-01'],
  to: 'The first day after the registration. Absent or null: it has no end.',
  invoiceNotes: 'The sentences on documents about sales without tax. Default: the common wording.',
  exempt: 'The sentence for an exempt customer.',
  reverseCharge: 'The sentence for reverse charge.',
  outside: 'The sentence for a sale outside the scope of tax.',
};

const Bucket = Strict({
  perSecond: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
  burst: Type.Integer({ minimum: 1, maximum: 10_000_000 }),
});

const Day = Formed('^[0-9]{4}-[0-9]{2}-[0-9]{2}$', 'must be a date such as 2026-01-31', { format: 'date' });

const MOST_REGISTRATIONS = 100;

const TaxRegistrationBody = Strict({
  country: Country,
  taxId: Text({ minLength: 1, maxLength: 100 }),
  scheme: Type.Optional(
    OneOf(TAX_SCHEMES, {
      description:
        '`oss`: the one-stop shop of the European Union, whose return this country takes. Default `standard`.',
    }),
  ),
  from: Day,
  to: Type.Optional(Nullable(Day)),
});

/**
 * The settings that a merchant can change (api.md, Identity). An absent field is unchanged, `null` is the default
 * again.
 */
export const SettingsInput = Strict(
  {
    defaultTaxRate: Type.Optional(Nullable(Percent)),
    taxProvider: Type.Optional(Nullable(OneOf(TAX_PROVIDERS))),
    invoicePrefix: Type.Optional(Nullable(InvoicePrefix)),
    requiredApprovals: Type.Optional(
      Nullable(Strict({ invoice: Type.Optional(ApprovalKinds), order: Type.Optional(ApprovalKinds) })),
    ),
    dunning: Type.Optional(
      Nullable(
        Strict({
          retryAfterDays: Type.Optional(Type.Array(Type.Integer({ minimum: 1, maximum: 90 }), { maxItems: 10 })),
          finally: Type.Optional(OneOf(DUNNING_ENDS)),
        }),
      ),
    ),
    paymentProvider: Type.Optional(Nullable(OneOf(PAYMENT_PROVIDERS))),
    lateUsageDays: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 400 }))),
    rateLimits: Type.Optional(Nullable(Strict({ general: Type.Optional(Bucket), events: Type.Optional(Bucket) }))),
    redirectHosts: Type.Optional(
      Nullable(
        Type.Array(Formed(HOST, 'must be a host, such as pay.example.com', { maxLength: 253 }), {
          maxItems: 50,
          uniqueItems: true,
        }),
      ),
    ),
    mail: Type.Optional(
      Nullable(
        Strict({
          attachDocuments: Type.Optional(
            Type.Boolean({ description: '`true`: emails have the PDF attached. Default: `true`.' }),
          ),
          zeroInvoices: Type.Optional(
            Type.Boolean({ description: '`true`: invoices with a total of 0 are mailed too. Default: `false`.' }),
          ),
        }),
      ),
    ),
    branding: Type.Optional(
      Nullable(
        Strict({
          color: Type.Optional(Nullable(Formed('^#[0-9A-Fa-f]{6}$', 'must be a colour such as #1a2b3c'))),
          footer: Type.Optional(Nullable(Text({ maxLength: 1000 }))),
        }),
      ),
    ),
    bankTransfer: Type.Optional(
      Nullable(
        Strict({
          holder: Type.Optional(Nullable(Text({ minLength: 1, maxLength: 140 }))),
          iban: Type.Optional(Nullable(Text({ maxLength: 50 }))),
          account: Type.Optional(Nullable(Text({ minLength: 1, maxLength: 100 }))),
          bic: Type.Optional(Nullable(Text({ maxLength: 20 }))),
          bank: Type.Optional(Nullable(Text({ minLength: 1, maxLength: 140 }))),
          note: Type.Optional(Nullable(Text({ minLength: 1, maxLength: 1000 }))),
        }),
      ),
    ),
    portal: Type.Optional(
      Nullable(
        Strict({
          planChange: Type.Optional(
            Nullable(
              Strict({
                plans: Type.Array(Id('plan'), { minItems: 1, maxItems: 50, uniqueItems: true }),
                effective: Type.Optional(OneOf(CHANGE_TIMES)),
              }),
            ),
          ),
          quantities: Type.Optional(
            Type.Boolean({ description: '`true`: customers can change quantities. Default: `false`.' }),
          ),
          cancellation: Type.Optional(OneOf(CANCELLATIONS)),
        }),
      ),
    ),
    taxRegistrations: Type.Optional(
      Nullable(
        Type.Array(TaxRegistrationBody, {
          maxItems: MOST_REGISTRATIONS,
          description:
            'Where the merchant is registered for tax, from which day on and until before which. While one holds, ' +
            'the place of each sale decides its tax (docs/taxes.md). The request replaces the whole list: send ended ' +
            'registrations, too.',
        }),
      ),
    ),
    invoiceNotes: Type.Optional(
      Nullable(
        Strict({
          exempt: Type.Optional(Nullable(Text({ minLength: 1, maxLength: 1000 }))),
          reverseCharge: Type.Optional(Nullable(Text({ minLength: 1, maxLength: 1000 }))),
          outside: Type.Optional(Nullable(Text({ minLength: 1, maxLength: 1000 }))),
        }),
      ),
    ),
  },
  {
    $id: 'SettingsInput',
    description: 'The settings of a merchant that a request changes.',
    'x-fields': SETTINGS_FIELDS,
  },
);
export type SettingsInput = Static<typeof SettingsInput>;

const BucketReply = Type.Object({ perSecond: Type.Integer(), burst: Type.Integer() });
const NullableText = Nullable(Type.String());

/** The settings of a merchant with their defaults. An organization that is no merchant has none of them. */
export const SettingsReply = Type.Object(
  {
    defaultTaxRate: Type.Optional(Nullable(NumberOut)),
    taxProvider: Type.Optional(OneOf(TAX_PROVIDERS)),
    invoicePrefix: Type.Optional(Type.String()),
    requiredApprovals: Type.Optional(
      Type.Object({ invoice: Type.Array(OneOf(APPROVAL_KINDS)), order: Type.Array(OneOf(APPROVAL_KINDS)) }),
    ),
    dunning: Type.Optional(Type.Object({ retryAfterDays: Type.Array(Type.Integer()), finally: OneOf(DUNNING_ENDS) })),
    paymentProvider: Type.Optional(OneOf(PAYMENT_PROVIDERS)),
    lateUsageDays: Type.Optional(Type.Integer()),
    rateLimits: Type.Optional(
      Nullable(Type.Object({ general: Type.Optional(BucketReply), events: Type.Optional(BucketReply) })),
    ),
    redirectHosts: Type.Optional(Type.Array(Type.String())),
    mail: Type.Optional(
      Type.Object(
        { attachDocuments: Type.Boolean(), zeroInvoices: Type.Boolean() },
        {
          'x-fields': {
            attachDocuments: '`true`: emails have the PDF attached.',
            zeroInvoices: '`true`: invoices with a total of 0 are mailed too.',
          },
        },
      ),
    ),
    branding: Type.Optional(Type.Object({ color: NullableText, footer: NullableText })),
    bankTransfer: Type.Optional(
      Nullable(
        Type.Object({
          holder: NullableText,
          iban: NullableText,
          account: NullableText,
          bic: NullableText,
          bank: NullableText,
          note: NullableText,
        }),
      ),
    ),
    portal: Type.Optional(
      Type.Object({
        planChange: Nullable(Type.Object({ plans: Type.Array(Id('plan')), effective: OneOf(CHANGE_TIMES) })),
        quantities: Type.Boolean({ description: '`true`: customers can change quantities.' }),
        cancellation: OneOf(CANCELLATIONS),
      }),
    ),
    taxRegistrations: Type.Optional(
      Type.Array(
        Type.Object({
          country: Type.String(),
          taxId: Type.String(),
          scheme: OneOf(TAX_SCHEMES, { description: '`oss`: the one-stop shop of the European Union.' }),
          from: Type.String({ format: 'date' }),
          to: Nullable(Type.String({ format: 'date' })),
        }),
        { description: 'Where the merchant is registered for tax.' },
      ),
    ),
    invoiceNotes: Type.Optional(
      Type.Object({ exempt: NullableText, reverseCharge: NullableText, outside: NullableText }),
    ),
  },
  { $id: 'Settings', description: 'The settings of a merchant, with their defaults.', 'x-fields': SETTINGS_FIELDS },
);

/** Requests per second that an operator allows, and how many may come at once. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** A merchant's settings with every default filled in (api.md, Identity). */
export interface MerchantSettings {
  /** Percent; null counts as 0 (domain.md §4, Tax). */
  readonly defaultTaxRate: Decimal | null;
  readonly taxProvider: (typeof TAX_PROVIDERS)[number];
  /** Invoice numbers are this, a hyphen, and the merchant's counter. */
  readonly invoicePrefix: string;
  /** Kinds of approval that an invoice or an order waits for. */
  readonly requiredApprovals: { readonly invoice: readonly ApprovalKind[]; readonly order: readonly ApprovalKind[] };
  /** Days to each retry of a declined charge, from the attempt before, and what happens after the last. */
  readonly dunning: { readonly retryAfterDays: readonly number[]; readonly finally: (typeof DUNNING_ENDS)[number] };
  readonly paymentProvider: (typeof PAYMENT_PROVIDERS)[number];
  /** Days after a subscription's end in which late usage is still billed. */
  readonly lateUsageDays: number;
  /** null: unlimited. */
  readonly rateLimits: { readonly general?: RateLimit; readonly events?: RateLimit } | null;
  /** Hosts that checkout may send people back to; none: any. */
  readonly redirectHosts: readonly string[];
  /** Do emails have documents as attachments, and are invoices with a total of 0 mailed? */
  readonly mail: { readonly attachDocuments: boolean; readonly zeroInvoices: boolean };
  readonly branding: { readonly color: string | null; readonly footer: string | null };
  /** The bank account on documents to pay by transfer; null: none. */
  readonly bankTransfer: BankAccount | null;
  /** The changes that customers can make in the customer portal. */
  readonly portal: PortalSettings;
  /** The tax registrations of the merchant, in the order in which they were sent; none: its own rates decide alone. */
  readonly taxRegistrations: readonly TaxRegistration[];
  /** The sentences of documents for sales without tax; null: the common wording. */
  readonly invoiceNotes: {
    readonly exempt: string | null;
    readonly reverseCharge: string | null;
    readonly outside: string | null;
  };
}

/** The changes that customers can make; without it they see, pay, and keep their cards and details. */
export interface PortalSettings {
  /** The plans among which they choose, and from when a change holds; null: they keep theirs. */
  readonly planChange: { readonly plans: readonly string[]; readonly effective: (typeof CHANGE_TIMES)[number] } | null;
  readonly quantities: boolean;
  readonly cancellation: (typeof CANCELLATIONS)[number];
}

/** The account to which customers send money. */
export interface BankAccount {
  readonly holder: string | null;
  /** Without spaces, in capitals. */
  readonly iban: string | null;
  readonly account: string | null;
  readonly bic: string | null;
  readonly bank: string | null;
  readonly note: string | null;
}

/** The settings of a merchant with defaults. The payment provider's default depends on the environment. */
export function settingsWithDefaults(stored: SettingsInput, environment: EnvironmentName): MerchantSettings {
  return {
    defaultTaxRate: decimalOrNull(stored.defaultTaxRate),
    taxProvider: stored.taxProvider ?? 'internal',
    invoicePrefix: stored.invoicePrefix ?? 'INV',
    requiredApprovals: { invoice: [], order: [], ...stored.requiredApprovals },
    dunning: { retryAfterDays: [2, 5, 7, 7], finally: 'keep', ...stored.dunning },
    paymentProvider: stored.paymentProvider ?? (environment === 'production' ? 'none' : 'sandbox'),
    lateUsageDays: stored.lateUsageDays ?? 35,
    rateLimits: stored.rateLimits ?? null,
    redirectHosts: stored.redirectHosts ?? [],
    mail: { attachDocuments: true, zeroInvoices: false, ...stored.mail },
    branding: { color: null, footer: null, ...stored.branding },
    bankTransfer: stored.bankTransfer ? toBankAccount(stored.bankTransfer) : null,
    portal: toPortalSettings(stored.portal ?? {}),
    taxRegistrations: registrationsOf(stored),
    invoiceNotes: { exempt: null, reverseCharge: null, outside: null, ...stored.invoiceNotes },
  };
}

const registrationsOf = ({ taxRegistrations }: SettingsInput): TaxRegistration[] =>
  (taxRegistrations ?? []).map((registration) => ({
    scheme: 'standard',
    ...registration,
    to: registration.to ?? null,
  }));

const toPortalSettings = ({ planChange, ...rest }: NonNullable<SettingsInput['portal']>): PortalSettings => ({
  quantities: false,
  cancellation: 'none',
  ...rest,
  planChange: planChange ? { effective: 'now', ...planChange } : null,
});

const toBankAccount = ({ iban, bic, ...rest }: NonNullable<SettingsInput['bankTransfer']>): BankAccount => ({
  ...{ holder: null, account: null, bank: null, note: null },
  ...rest,
  iban: iban == null ? null : compact(iban),
  bic: bic == null ? null : compact(bic),
});

/** Settings as an answer shows them. */
export const publicSettings = (settings: MerchantSettings): Record<string, unknown> => ({
  ...settings,
  defaultTaxRate: settings.defaultTaxRate && jsonNumber(settings.defaultTaxRate),
});

/** The stored settings after a change: absent fields stay unchanged, null ones go back to their default. */
export function changedSettings(stored: SettingsInput, change: SettingsInput): SettingsInput {
  const merged = Object.entries({ ...stored, ...change }).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(merged);
}

/** The status of a merchant at Stripe. */
export interface ProviderStanding {
  /** Is an account connected that works? */
  readonly isConnected: boolean;
  /** The reason why it cannot calculate tax; null: it can, or it was not asked. */
  readonly taxProblem: string | null;
}

/**
 * The rules that a schema cannot say: no play money in production, and no provider that is not connected: nothing would
 * be taxed, or paid.
 */
export function checkSettings(
  input: SettingsInput,
  environment: EnvironmentName,
  { isConnected, taxProblem }: ProviderStanding,
): Result<SettingsInput> {
  const errors: FieldError[] = [];
  if (input.paymentProvider === 'sandbox' && environment === 'production')
    errors.push({ field: 'settings.paymentProvider', message: 'must not be sandbox in production' });
  errors.push(...bankAccountProblems(input.bankTransfer));
  if (errors.length > 0) return invalid(errors);
  const message = 'stripe is not connected: put its keys by PUT /v0/merchantIntegrations.';
  if (input.taxProvider === 'stripe_tax' && !isConnected) return notConnected('taxProvider', message);
  if (input.taxProvider === 'stripe_tax' && taxProblem !== null)
    return fail('TAX_NOT_ENABLED', { field: 'settings.taxProvider' }, taxProblem);
  if (input.paymentProvider === 'stripe' && !isConnected) return notConnected('paymentProvider', message);
  return ok(input);
}

/** The rules of registrations for tax: countries, ids and dates that can be, and none twice at once. */
export async function checkTaxRegistrations(input: SettingsInput): Promise<Result<void>> {
  const errors = await registrationProblems(registrationsOf(input), 'settings.taxRegistrations');
  return errors.length > 0 ? invalid(errors) : ok(undefined);
}

const notConnected = (name: 'taxProvider' | 'paymentProvider', message: string) =>
  fail('PROVIDER_NOT_CONNECTED', { field: `settings.${name}` }, message);

/** An account that money can be sent to: a number of one kind at least, without a slip of the pen. */
function bankAccountProblems(account: SettingsInput['bankTransfer']): FieldError[] {
  if (account == null) return [];
  const { iban, bic } = account;
  const problems: [string, string | null][] = [
    ['iban', iban == null ? null : ibanProblem(iban)],
    ['bic', bic == null ? null : bicProblem(bic)],
  ];
  const errors = problems.flatMap(([field, message]) =>
    message === null ? [] : [{ field: `settings.bankTransfer.${field}`, message }],
  );
  return iban == null && account.account == null
    ? [{ field: 'settings.bankTransfer', message: 'needs an iban or an account' }, ...errors]
    : errors;
}
