import { Button, Checkbox, CloseButton, MultiSelect, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import type { ComponentType } from 'react';
import type { Field } from '../api/document.ts';
import { wordsOf } from '../look/words.ts';
import { PICKERS } from './picker.tsx';
import { rowsOf, textOf, type Values } from './values.ts';

export interface InputProps {
  readonly field: Field;
  readonly label: string;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
  readonly error: string | undefined;
  /** What the server said about a field of a row: `0.amount`. */
  readonly errorIn?: (path: string) => string | undefined;
}

/** A field in a form by its kind; its words are those of the API's reference. */
export function Input(props: InputProps) {
  const { field, label, value, change, error } = props;
  if (field.kind === 'rows') return <Rows {...props} />;
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
      {...(field.kind === 'day' && { type: 'date' })}
      {...((field.kind === 'number' || field.kind === 'decimal') && { inputMode: 'decimal' as const })}
    />
  );
}

interface RowsProps extends InputProps {
  /** What stands in a further row at first, from the one before it. */
  readonly next?: (last: Values) => Values;
  /** Inputs of our own, by the paths of the fields. */
  readonly inputs?: Readonly<Record<string, ComponentType<InputProps>>>;
}

/** A field with rows, each with the same fields. */
export function Rows({ field, label, value, change, error, errorIn, next, inputs = {} }: RowsProps) {
  const rows = rowsOf(value);
  const set = (at: number, path: string, typed: unknown) =>
    change(rows.map((row, index) => (index === at ? { ...row, [path]: typed } : row)));
  return (
    <fieldset className="stack tight long">
      <legend>
        {label}
        {field.isRequired && ' *'}
      </legend>
      <p className="soft fine">{plainWords(field.about)}</p>
      {rows.map((row, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no name of their own, and keep their order
        <fieldset key={at} className="cells" aria-label={`${label} ${at + 1}`}>
          {field.rows.map((each) => {
            const Cell = inputs[each.path] ?? Input;
            return (
              <Cell
                key={each.path}
                field={{ ...each, about: '' }}
                label={labelOf(each)}
                value={row[each.path]}
                change={(typed) => set(at, each.path, typed)}
                error={errorIn?.(`${at}.${each.path}`)}
              />
            );
          })}
          <CloseButton
            aria-label={`Remove ${label} ${at + 1}`}
            onClick={() => change(rows.filter((_, index) => index !== at))}
          />
        </fieldset>
      ))}
      {error !== undefined && <span className="bad fine">{error}</span>}
      <div>
        <Button variant="default" onClick={() => change([...rows, next?.(rows.at(-1) ?? {}) ?? {}])}>
          Add a row
        </Button>
      </div>
    </fieldset>
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
