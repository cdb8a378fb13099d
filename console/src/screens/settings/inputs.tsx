import { Button, MultiSelect, Select, TextInput } from '@mantine/core';
import { useRead } from '../../api/queries.ts';
import type { InputProps } from '../../shape/fields.tsx';

/** A colour: by the palette of the browser, or as `#1a2b3c`. */
export function Colour({ label, value, change, error }: InputProps) {
  const text = typeof value === 'string' ? value : '';
  return (
    <div className="row bottom">
      <TextInput
        label={label}
        description="The colour of buttons and lines, such as #1a2b3c. Empty: the usual one."
        value={text}
        onChange={({ target }) => change(target.value)}
        error={error}
      />
      <input
        type="color"
        className="colour"
        aria-label="Choose the colour"
        value={/^#[0-9A-Fa-f]{6}$/.test(text) ? text : '#1f55c4'}
        onChange={({ target }) => change(target.value)}
      />
    </div>
  );
}

/** The plans that customers may change to, by their names. */
export function Plans({ label, value, change, error }: InputProps) {
  const { data } = useRead('GET /v0/plans', { query: { limit: 100 } });
  const chosen = (value as string[] | undefined) ?? [];
  const known = data?.data.map(({ id, name }) => ({ value: id, label: name })) ?? [];
  const others = chosen.filter((id) => !known.some((each) => each.value === id));
  return (
    <MultiSelect
      label={label}
      description="Without a plan, customers cannot change theirs."
      data={[...known, ...others.map((id) => ({ value: id, label: id }))]}
      value={chosen}
      onChange={change}
      error={error}
      searchable
    />
  );
}

interface Registration {
  readonly country: string;
  readonly taxId: string;
  readonly scheme?: string;
  readonly from: string;
  readonly to?: string | null;
}

const FIELDS = [
  ['country', 'Country', 'text'],
  ['taxId', 'Tax id', 'text'],
  ['from', 'First day', 'date'],
  ['to', 'Day after the last', 'date'],
] as const;

/** Where the merchant is registered for tax, a row for each. The form has the rows as JSON. */
export function Registrations({ value, change, error }: InputProps) {
  const rows = JSON.parse(typeof value === 'string' && value !== '' ? value : '[]') as readonly Registration[];
  const put = (changed: readonly Registration[]) => change(JSON.stringify(changed));
  const set = (at: number, part: Partial<Registration>) =>
    put(rows.map((row, index) => (index === at ? { ...row, ...part } : row)));
  return (
    <div className="stack tight long">
      <p className="soft fine">
        While one holds, the place of each sale decides its tax. Keep ended registrations in the list.
      </p>
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name of their own, and keep their order
        <fieldset key={at} className="row bottom" aria-label={`Registration ${at + 1}`}>
          {FIELDS.map(([name, label, type]) => (
            <TextInput
              key={name}
              label={label}
              type={type}
              required={name !== 'to'}
              value={row[name] ?? ''}
              onChange={({ target }) => set(at, { [name]: target.value || (name === 'to' ? null : '') })}
            />
          ))}
          <Select
            label="Scheme"
            data={[
              { value: 'standard', label: 'Standard' },
              { value: 'oss', label: 'EU one-stop shop' },
            ]}
            value={row.scheme ?? 'standard'}
            onChange={(scheme) => set(at, { scheme: scheme ?? 'standard' })}
            allowDeselect={false}
          />
          <Button variant="default" onClick={() => put(rows.filter((_, index) => index !== at))}>
            Remove
          </Button>
        </fieldset>
      ))}
      {error !== undefined && (
        <p className="bad fine" role="alert">
          {error}
        </p>
      )}
      <div>
        <Button
          variant="default"
          onClick={() => put([...rows, { country: '', taxId: '', scheme: 'standard', from: '', to: null }])}
        >
          Add a registration
        </Button>
      </div>
    </div>
  );
}
