import { Select } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';
import { useState } from 'react';
import type { Operation } from '../api/client.ts';
import { useRead } from '../api/queries.ts';

export interface PickerProps {
  readonly label: string;
  readonly description?: ReactNode;
  readonly placeholder?: string;
  readonly error?: string | undefined;
  readonly required?: boolean;
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
}

interface Named {
  readonly id: string;
  readonly name?: string | null;
  readonly displayName?: string | null;
  readonly email?: string | null;
  readonly url?: string;
  readonly organization?: { readonly name?: string | null };
}

const nameOf = (each: Named): string =>
  each.organization?.name ?? each.name ?? each.displayName ?? each.email ?? each.url ?? each.id;

/** A field that chooses a thing by its name. Where there are many, what is typed is searched on the server. */
function pickerOf(operation: Operation, search?: string): ComponentType<PickerProps> {
  return function Picker({ value, onChange, ...rest }: PickerProps) {
    const [typed, setTyped] = useState('');
    const query = { limit: 100, ...(search && typed && { [search]: typed }) };
    const { data } = useRead(operation, { query } as never, { keeps: true });
    const found = ((data as { data?: readonly Named[] } | undefined)?.data ?? []).map((each) => ({
      value: each.id,
      label: nameOf(each),
    }));
    const shown =
      value === null || found.some((each) => each.value === value) ? found : [...found, { value, label: value }];
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
};
