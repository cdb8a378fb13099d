import { Button, TextInput } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';

const DAY = 86_400_000;
const PRESETS = [7, 30, 90];

const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

/** UTC days, both inclusive, as the address bar has them. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** The last days until today. */
const lastDays = (count: number): Days => ({ from: dayOf(Date.now() - (count - 1) * DAY), to: dayOf(Date.now()) });

/** The days in the address bar; the last 30 where it has none. */
export function useDays(): Days {
  const search = useSearch({ strict: false }) as Partial<Days>;
  const last = lastDays(30);
  return { from: search.from ?? last.from, to: search.to ?? last.to };
}

/** The instants of the days for the API: half-open. */
export const instantsOf = ({ from, to }: Days): Days => ({
  from: `${from}T00:00:00Z`,
  to: `${dayOf(Date.parse(to) + DAY)}T00:00:00Z`,
});

/** Changes the address bar, and keeps the rest of it. */
export function useSearchChange(): (change: Readonly<Record<string, string | undefined>>) => void {
  const search = useSearch({ strict: false }) as object;
  const navigate = useNavigate();
  return (change) => void navigate({ to: '.', search: { ...search, ...change } as never, replace: true });
}

/** Chooses days: the last 7, 30 or 90, or any. */
export function DaysField() {
  const days = useDays();
  const change = useSearchChange();
  return (
    <>
      <TextInput
        label="From"
        type="date"
        max={days.to}
        value={days.from}
        onChange={({ target }) => target.value && change({ from: target.value })}
      />
      <TextInput
        label="To"
        type="date"
        min={days.from}
        value={days.to}
        onChange={({ target }) => target.value && change({ to: target.value })}
      />
      <Button.Group aria-label="Days" style={{ width: 'auto' }}>
        {PRESETS.map((count) => {
          const preset = lastDays(count);
          const isChosen = preset.from === days.from && preset.to === days.to;
          return (
            <Button
              key={count}
              variant={isChosen ? 'light' : 'default'}
              aria-pressed={isChosen}
              onClick={() => change({ ...preset })}
            >
              {count} days
            </Button>
          );
        })}
      </Button.Group>
    </>
  );
}
