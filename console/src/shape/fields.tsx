import { Checkbox, MultiSelect, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { Field } from '../api/document.ts';
import { wordsOf } from '../look/words.ts';
import { PICKERS } from './picker.tsx';
import { textOf } from './values.ts';

export interface InputProps {
  readonly field: Field;
  readonly label: string;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
  readonly error: string | undefined;
}

/** A field in a form by its kind; its words are those of the API's reference. */
export function Input({ field, label, value, change, error }: InputProps) {
  const text = textOf(value);
  const common = {
    label,
    description: plainWords(field.about),
    error,
    required: field.isRequired,
    withAsterisk: field.isRequired,
  };
  if (field.kind === 'flag')
    return (
      <Checkbox
        label={label}
        description={flagWords(field.about)}
        error={error}
        checked={(value ?? field.fallback) === true}
        onChange={({ target }) => change(target.checked)}
      />
    );
  if (field.kind === 'choice')
    return (
      <Select
        {...common}
        data={field.choices.map((each) => ({ value: each, label: wordsOf(each) }))}
        value={text || null}
        onChange={(each) => change(each ?? undefined)}
        clearable={!field.isRequired}
        placeholder={hint(field)}
      />
    );
  if (field.kind === 'choices')
    return (
      <MultiSelect
        {...common}
        data={field.choices.map((each) => ({ value: each, label: each.includes('.') ? each : wordsOf(each) }))}
        value={(value as string[] | undefined) ?? []}
        onChange={change}
        searchable
      />
    );
  if (field.kind === 'texts' || field.kind === 'numbers')
    return (
      <TagsInput
        {...common}
        value={(value as string[] | undefined) ?? []}
        onChange={change}
        allowDuplicates={field.kind === 'numbers'}
      />
    );
  if (field.kind === 'long' || field.kind === 'json')
    return (
      <Textarea
        {...common}
        value={text}
        onChange={({ target }) => change(target.value)}
        {...(field.kind === 'json' && { classNames: { input: 'code' } })}
      />
    );
  const Picker = field.idPrefix === null ? undefined : PICKERS[field.idPrefix];
  if (Picker) return <Picker {...common} value={text || null} onChange={(each) => change(each ?? undefined)} />;
  return (
    <TextInput
      {...common}
      value={text}
      onChange={({ target }) => change(target.value)}
      placeholder={hint(field)}
      {...(field.kind === 'moment' && { type: 'datetime-local' })}
      {...((field.kind === 'number' || field.kind === 'decimal') && { inputMode: 'decimal' as const })}
    />
  );
}

const hint = ({ fallback }: Field): string => textOf(fallback);

/** The words of the reference without its marks for code. */
const plainWords = (about: string): string | undefined =>
  about.replaceAll('`', '').replaceAll(/\s*(?:Null|Absent or null): [^.]*\./g, '') || undefined;

/** What holds where the box is ticked: `true: emails have the PDF. Default: false.` is `Emails have the PDF.` */
function flagWords(about: string): string | undefined {
  const words = (plainWords(about) ?? '').replace(/^true: | Default: \w+\.$/g, '');
  return words.charAt(0).toUpperCase() + words.slice(1) || undefined;
}

/** The label of a field: its name, and that of what it is in. */
export const labelOf = ({ path }: Field): string => {
  const names = path.split('.');
  return wordsOf(names.length > 2 ? names.slice(-2).join(' ') : names.join(' '));
};
