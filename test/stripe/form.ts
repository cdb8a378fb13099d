/** A value of a form-encoded body: `a[b][]=1` is `{a: {b: ['1']}}`. */
export type FormValue = string | FormValue[] | { [name: string]: FormValue };
export type Form = { [name: string]: FormValue };

/** Reads a body or a query in Stripe's encoding. Objects with the names 0, 1, 2 … are lists. */
export function decodeForm(text: string): Form {
  const root: Form = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const [first = '', ...rest] = name.replaceAll(']', '').split('[');
    put(root, [first, ...rest], value);
  }
  return listed(root) as Form;
}

function put(into: Form, [name = '', ...rest]: string[], value: string): void {
  const key = name === '' ? String(Object.keys(into).length) : name;
  if (rest.length === 0) {
    into[key] = value;
    return;
  }
  const inner = into[key];
  const next: Form = typeof inner === 'object' && !Array.isArray(inner) ? inner : {};
  into[key] = next;
  put(next, rest, value);
}

function listed(value: FormValue): FormValue {
  if (typeof value === 'string' || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, inner]) => [name, listed(inner)] as const);
  return entries.length > 0 && entries.every(([name], at) => name === String(at))
    ? entries.map(([, inner]) => inner)
    : Object.fromEntries(entries);
}

export const textOf = (form: Form, name: string): string | null => {
  const value = form[name];
  return typeof value === 'string' && value !== '' ? value : null;
};

export const formOf = (form: Form, name: string): Form => {
  const value = form[name];
  return typeof value === 'object' && !Array.isArray(value) ? value : {};
};

export const listOf = (form: Form, name: string): FormValue[] => {
  const value = form[name];
  return Array.isArray(value) ? value : [];
};

/** The texts of a map such as `metadata`. */
export const mapOf = (form: Form, name: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(formOf(form, name)).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
