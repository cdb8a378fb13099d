import { type Customer, changeBillingDetails, publicCustomer } from '../../customers/index.ts';
import { taxNames } from '../../look/index.ts';
import { countryOptions, type Html, html } from '../../pages/index.ts';
import type { FormFields, Outcome, PortalPage, Visit } from '../frame/page.ts';
import { doneNote, keyField } from '../frame/shell.ts';
import type { PortalDependencies } from '../links/dependencies.ts';
import { DETAIL_FIELDS, type DetailField, PAGE_WORDS } from '../words/page-words.ts';
import { PORTAL_WORDS } from '../words/words.ts';
import { type DetailFault, detailsOf, faultsOf, mostOf, type TypedDetails } from './check-details.ts';

/** The names of fields for browsers. */
const AUTOCOMPLETE: Readonly<Record<DetailField, string>> = {
  name: 'organization',
  emails: 'email',
  phone: 'tel',
  line1: 'address-line1',
  line2: 'address-line2',
  zipCode: 'postal-code',
  city: 'address-level2',
  state: 'address-level1',
  country: 'country',
  taxId: 'off',
};

/** The details as the merchant has them. */
const typedOf = ({ organization, taxId }: Customer): TypedDetails => ({
  name: organization.name,
  emails: organization.billingEmails.join(', '),
  phone: organization.phone ?? '',
  line1: organization.address?.line1 ?? '',
  line2: organization.address?.line2 ?? '',
  zipCode: organization.address?.zipCode ?? '',
  city: organization.address?.city ?? '',
  state: organization.address?.state ?? '',
  country: organization.address?.country ?? '',
  taxId: taxId ?? organization.taxId ?? '',
});

/** The billing details in a form. */
export const detailsPage = async (visit: Visit): Promise<PortalPage> =>
  formPage(visit, typedOf(visit.customer), new Map());

function formPage(visit: Visit, typed: TypedDetails, faults: ReadonlyMap<DetailField, DetailFault>): PortalPage {
  const { look, base } = visit;
  const words = PAGE_WORDS[look.locale];
  const title = PORTAL_WORDS[look.locale].tabs.details;
  return {
    title,
    tab: 'details',
    ...(faults.size > 0 && { status: 400 }),
    body: html`<section><h1>${title}</h1>
${doneNote(visit)}
<p class="soft">${words.detailsNote}</p>
${
  faults.size === 0
    ? null
    : html`<div class="notice" role="alert"><strong>${words.wrong}</strong><ul>${[...faults.keys()].map((field) => html`<li><a href="#${field}">${labelOf(visit, field)}</a></li>`)}</ul></div>`
}
<form method="post" action="${base}/details" novalidate>${keyField(visit)}
${DETAIL_FIELDS.map((field) => fieldOf(visit, field, typed[field], faults.get(field) ?? null))}
<button class="small" type="submit">${words.save}</button></form>
</section>`,
  };
}

/** The name of a field; that of the tax number is the one of the customer's country. */
const labelOf = ({ look: { locale }, customer }: Visit, field: DetailField): string =>
  field === 'taxId' ? taxNames(locale, customer.organization).id : PAGE_WORDS[locale].fields[field];

function fieldOf(visit: Visit, field: DetailField, value: string, fault: DetailFault | null): Html {
  const { look } = visit;
  const words = PAGE_WORDS[look.locale];
  const text = fault === null ? null : typeof fault === 'string' ? words[fault] : words.tooLong(fault.most);
  const hint = field === 'emails' ? words.emailsHint : null;
  const described = [hint === null ? '' : `${field}-hint`, text === null ? '' : `${field}-wrong`].filter(
    (id) => id !== '',
  );
  const about = html`${described.length === 0 ? null : html` aria-describedby="${described.join(' ')}"`}${text === null ? null : html` aria-invalid="true"`}`;
  return html`<div class="field"><label for="${field}">${labelOf(visit, field)}</label>
${hint === null ? null : html`<p class="hint" id="${field}-hint">${hint}</p>`}
${text === null ? null : html`<p class="wrong" id="${field}-wrong">${text}</p>`}
${
  field === 'country'
    ? countrySelect(look.locale, value, about)
    : html`<input id="${field}" name="${field}" value="${value}" autocomplete="${AUTOCOMPLETE[field]}" maxlength="${String(mostOf(field))}"${about}>`
}</div>
`;
}

const countrySelect = (locale: Visit['look']['locale'], value: string, about: Html): Html =>
  html`<select id="country" name="country" autocomplete="country"${about}><option value="">${PAGE_WORDS[locale].noCountry}</option>${countryOptions(locale, value)}</select>`;

/** Saves the details; invoices that are issued keep theirs. */
export async function saveDetails(
  { customerHooks }: PortalDependencies,
  visit: Visit,
  form: FormFields,
): Promise<Outcome> {
  const { tx, merchantId, customerId, customer, now } = visit;
  const typed = Object.fromEntries(DETAIL_FIELDS.map((field) => [field, form[field] ?? ''])) as unknown as TypedDetails;
  const faults = faultsOf(typed);
  if (faults.size > 0) return formPage(visit, typed, faults);
  const changed = await changeBillingDetails(tx, { merchantId, id: customerId }, detailsOf(typed), now, customerHooks);
  if (!changed.ok) return null;
  await visit.audit(customerId, publicCustomer(customer), publicCustomer(changed.value));
  return { to: '/details?done=details' };
}
