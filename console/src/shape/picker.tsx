import { MultiSelect, Select } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';
import { useState } from 'react';
import type { Operation } from '../api/client.ts';
import { useRead } from '../api/queries.ts';

interface FieldProps {
  readonly label: string;
  readonly description?: ReactNode;
  readonly placeholder?: string;
  readonly error?: string | undefined;
  readonly required?: boolean;
}

export interface PickerProps extends FieldProps {
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}

interface Named {
  readonly id: string;
  readonly name?: string | null;
  readonly invoiceDisplayName?: string | null;
  readonly displayName?: string | null;
  readonly email?: string | null;
  readonly url?: string;
  readonly organization?: { readonly name?: string | null };
}

const nameOf = (each: Named): string =>
  each.organization?.name ??
  each.name ??
  each.invoiceDisplayName ??
  each.displayName ??
  each.email ??
  each.url ??
  each.id;

/** What a list has, by name. Where several have one name, the end of the id tells them apart. */
function useNamed(operation: Operation, query?: object) {
  const { data } = useRead(operation, { query: { limit: 100, ...query } } as never, { keeps: true });
  const found = (data as { data?: readonly Named[] } | undefined)?.data ?? [];
  const known = Map.groupBy(found, nameOf);
  return found.map((each) => {
    const name = nameOf(each);
    return { value: each.id, label: known.get(name)?.length === 1 ? name : `${name} · …${each.id.slice(-4)}` };
  });
}

/** What is chosen and not in the list stands there by its id. */
const withChosen = (found: ReturnType<typeof useNamed>, chosen: readonly string[]) => [
  ...found,
  ...chosen.filter((id) => !found.some(({ value }) => value === id)).map((id) => ({ value: id, label: id })),
];

/** A field that chooses a thing by its name. Where there are many, what is typed is searched on the server. */
export function pickerOf(operation: Operation, search?: string, fixed?: object): ComponentType<PickerProps> {
  return function Picker({ value, onChange, ...rest }: PickerProps) {
    const [typed, setTyped] = useState('');
    const found = useNamed(operation, { ...fixed, ...(search && typed && { [search]: typed }) });
    const shown = withChosen(found, value === null ? [] : [value]);
    return (
      <Select
        {...rest}
        withAsterisk={rest.required ?? false}
        searchable
        clearable={!rest.required}
        data={shown}
        value={value}
        onChange={onChange}
        {...(search && {
          onSearchChange: (text: string) => setTyped(shown.some(({ label }) => label === text) ? '' : text),
          filter: ({ options }) => options,
        })}
        nothingFoundMessage="Nothing found"
      />
    );
  };
}

export const CustomerPicker = pickerOf('GET /v0/customers', 'name');
export const MetricPicker = pickerOf('GET /v0/billableMetrics');
export const UserPicker = pickerOf('GET /v0/users');
export const FeaturePicker = pickerOf('GET /v0/features');

/** By the prefix of the ids that they choose. */
export const PICKERS: Readonly<Record<string, ComponentType<PickerProps>>> = {
  cus_: CustomerPicker,
  plan_: pickerOf('GET /v0/plans'),
  prod_: pickerOf('GET /v0/products'),
  feat_: FeaturePicker,
  bm_: MetricPicker,
  tc_: pickerOf('GET /v0/testClocks'),
  itm_: pickerOf('GET /v0/items'),
  usr_: UserPicker,
  whe_: pickerOf('GET /v0/webhookEndpoints'),
  cpn_: pickerOf('GET /v0/coupons'),
};

/** The lists of which several can be chosen, by the prefix of their ids. */
export const LISTS: Readonly<Record<string, Operation>> = {
  plan_: 'GET /v0/plans',
  price_: 'GET /v0/prices',
  bm_: 'GET /v0/billableMetrics',
  fee_: 'GET /v0/fees',
};

interface SeveralProps extends FieldProps {
  readonly of: Operation;
  readonly value: string[];
  readonly onChange: (value: string[]) => void;
}

/** A field that chooses several things by their names. */
export function Several({ of, value, ...rest }: SeveralProps) {
  return (
    <MultiSelect
      {...rest}
      value={value}
      data={withChosen(useNamed(of), value)}
      searchable
      nothingFoundMessage="Nothing found"
    />
  );
}
