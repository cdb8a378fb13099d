import { Button, Checkbox, CloseButton, MultiSelect, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import { type ComponentType, useState } from 'react';
import { decimal } from '../../../src/kernel/decimal.ts';
import type { Field } from '../api/document.ts';
import { durationWords, namesInWords, saysItself, UNITS, valueWords, wordsOf } from '../look/words.ts';
import { LISTS, PICKERS, type PickerProps, Several } from './picker.tsx';
import { rowsOf, textOf, type Values } from './values.ts';

export interface InputProps {
  readonly field: Field;
  readonly label: string;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
  readonly error: string | undefined;
  /** What the server said about a field of a row: `0.amount`. */
  readonly errorIn?: (path: string) => string | undefined;
  /** Chooses among other things than all with ids of this kind. */
  readonly picker?: ComponentType<PickerProps>;
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
        description={saysItself(field.path) ? undefined : common.description}
        data={field.choices.map((each) => ({ value: each, label: valueWords(field.path, each) }))}
        value={text || null}
        onChange={(each) => change(each ?? undefined)}
        clearable={!field.isRequired}
        placeholder={valueWords(field.path, hint(field))}
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
  const list = field.kind === 'texts' ? LISTS[field.idPrefix ?? ''] : undefined;
  if (list) return <Several {...common} of={list} value={(value as string[] | undefined) ?? []} onChange={change} />;
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
  if (field.kind === 'duration') return <Duration {...common} value={text} change={change} />;
  const Picker = props.picker ?? PICKERS[field.idPrefix ?? ''];
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
                field={each.kind === 'json' ? each : { ...each, about: '' }}
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

/** The words of the reference without its marks for code, and names of fields as their labels say them. */
const plainWords = (about: string): string | undefined =>
  namesInWords(
    about
      .replaceAll('`', '')
      .replaceAll(/\s*(?:(?:Null|Absent or null): [^.]*|Default: null)\./g, '')
      .replace('Null (default)', 'Empty')
      .replace(/([:,])(?: as)? an ISO 8601 duration( of)?/, (_, mark: string, of: string | undefined) =>
        of ? mark : '',
      )
      .replaceAll(/\bPT?\d[\dTHDWMY]*\b/g, durationWords),
  ) || undefined;

/** What holds where the box is ticked: `true: emails have the PDF. Default: false.` is `Emails have the PDF.` */
function flagWords(about: string): string | undefined {
  const words = (plainWords(about) ?? '').replace(/^true: | Default: \w+\.$/g, '');
  return words.charAt(0).toUpperCase() + words.slice(1) || undefined;
}

/** The label of a field: its name, and that of what it is in. */
export const labelOf = ({ path, kind, idPrefix }: Field): string => {
  const names = path.split('.');
  const words = wordsOf(names.length > 2 ? names.slice(-2).join(' ') : names.join(' '));
  const isChosen = idPrefix !== null && (kind === 'texts' ? LISTS : PICKERS)[idPrefix] !== undefined;
  return isChosen ? words.replace(/ id(s?)$/i, '$1') : words; // by its name
};

interface DurationProps {
  readonly label: string;
  readonly value: string;
  readonly change: (value: string | undefined) => void;
}

/** A length of time as a number and a unit. One with several parts is text. */
function Duration({ value, change, ...common }: DurationProps) {
  const [, before = '', many = '', after = ''] = /^P(T?)(\d+)([A-Z])$/.exec(value) ?? [];
  const [chosen, choose] = useState('M');
  const unit = before + after || chosen;
  if (value !== '' && !UNITS.has(unit))
    return <TextInput {...common} value={value} onChange={({ target }) => change(target.value)} />;
  const set = (typed: string, its: string) => {
    const digits = typed.replaceAll(/\D/g, '');
    choose(its);
    change(digits === '' ? undefined : `P${its.replace(/.$/, '')}${digits}${its.slice(-1)}`);
  };
  return (
    <div className="with-unit">
      <TextInput {...common} inputMode="numeric" value={many} onChange={({ target }) => set(target.value, unit)} />
      <Select
        aria-label={`${common.label}, unit`}
        data={[...UNITS].map(([its, name]) => ({ value: its, label: `${name}s` }))}
        value={unit}
        onChange={(its) => set(many, its ?? unit)}
        allowDeselect={false}
      />
    </div>
  );
}

/** A part that is typed in percent; the API has it as a fraction. */
export function Percent({ field, label, value, change, error }: InputProps) {
  const [text, setText] = useState(() => percentOf(textOf(value)));
  const type = (typed: string) => {
    setText(typed);
    change(/^\d+(\.\d+)?$/.test(typed.trim()) ? decimal(typed.trim()).div(100).toFixed() : typed);
  };
  const isOutside = text.trim() !== '' && !(Number(text) > 0 && Number(text) <= 100);
  return (
    <TextInput
      label={label}
      withAsterisk={field.isRequired}
      inputMode="decimal"
      rightSection="%"
      error={error && (isOutside ? 'Must be above 0, and at most 100' : error)}
      value={text}
      onChange={({ target }) => type(target.value)}
    />
  );
}

const percentOf = (fraction: string): string => (fraction === '' ? '' : decimal(fraction).times(100).toFixed());
