import { MultiSelect, TextInput } from '@mantine/core';
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
