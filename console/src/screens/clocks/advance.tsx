import { Button, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useDeed } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import type { TestClock, TestClockUpdate } from '../../api/types.ts';
import { Moment } from '../../look/figures.tsx';
import { Status } from '../../look/status.tsx';
import { Sheet } from '../../shape/page.tsx';
import { localMinute } from '../../shape/values.ts';
import type { Happening } from './happenings.ts';

const LENGTHS = [
  ['PT1H', '1 hour'],
  ['P1D', '1 day'],
  ['P1W', '1 week'],
  ['P1M', '1 month'],
  ['P1Y', '1 year'],
] as const;

/** Whether a clock stands or moves. */
export function ClockState({ clock: { deletedAt, advancingTo } }: { readonly clock: TestClock }) {
  if (deletedAt !== null) return <span className="soft">Deleted</span>;
  return advancingTo === null ? <span className="soft">Standing</span> : <Status of="advancing" />;
}

/** The time of the clock, and ways to move it on; while it moves, how far it is. */
export function Advance({ clock, next }: { readonly clock: TestClock; readonly next: Happening | undefined }) {
  const { id, currentTime, advancingTo } = clock;
  const deed = useDeed('PATCH /v0/testClocks/{id}');
  const stop = useDeed('PATCH /v0/testClocks/{id}');
  const may = useMay('member');
  const isBusy = advancingTo !== null || deed.isPending;
  const move = (body: TestClockUpdate) => deed.mutate({ path: { id }, body });
  const problem = deed.error ?? stop.error;
  return (
    <Sheet title="Time of the clock">
      <div className="stack">
        <p className="formula">
          <Moment at={currentTime} seconds /> <span className="soft fine figure">{currentTime} (UTC)</span>
        </p>
        {problem && (
          <p className="note bad" role="alert">
            {problem.message}
          </p>
        )}
        {isBusy && (
          <Progress clock={clock} stop={() => stop.mutate({ path: { id }, body: { currentTime } })} may={may} />
        )}
        {may && !isBusy && clock.deletedAt === null && (
          <>
            <div className="row">
              <span>Advance by</span>
              {LENGTHS.map(([advanceBy, words]) => (
                <Button key={advanceBy} variant="default" onClick={() => move({ advanceBy })}>
                  {words}
                </Button>
              ))}
              {next && (
                <Button onClick={() => move({ currentTime: next.at })}>
                  To the next thing due:&nbsp;
                  <Moment at={next.at} />
                </Button>
              )}
            </div>
            <AdvanceTo key={currentTime} currentTime={currentTime} move={move} />
            <p className="soft fine">A clock never goes back: everything that falls due in between is done.</p>
          </>
        )}
      </div>
    </Sheet>
  );
}

/** To a time, or by a duration that no button has. */
function AdvanceTo({
  currentTime,
  move,
}: {
  readonly currentTime: string;
  readonly move: (body: TestClockUpdate) => void;
}) {
  const [to, setTo] = useState(localMinute(currentTime));
  const [by, setBy] = useState('');
  const submit = (event: { preventDefault: () => void }) => {
    event.preventDefault();
    move(by.trim() === '' ? { currentTime: new Date(to).toISOString() } : { advanceBy: by.trim() });
  };
  return (
    <form className="row bottom" onSubmit={submit}>
      <TextInput
        label="To a time"
        type="datetime-local"
        value={to}
        onChange={({ target }) => setTo(target.value)}
        disabled={by.trim() !== ''}
      />
      <TextInput
        label="Or by a duration"
        placeholder="P45D"
        value={by}
        onChange={({ target }) => setBy(target.value)}
      />
      <Button type="submit" variant="default">
        Advance
      </Button>
    </form>
  );
}

function Progress({
  clock,
  stop,
  may,
}: {
  readonly clock: TestClock;
  readonly stop: () => void;
  readonly may: boolean;
}) {
  const { currentTime, advancingTo, progress } = clock;
  const at = (text: string | null | undefined) => (text ? new Date(text).getTime() : 0);
  const from = at(progress?.from ?? currentTime);
  const whole = at(advancingTo) - from;
  return (
    <div className="stack tight">
      <progress
        className="wide-progress"
        aria-label="How far the clock is"
        {...(whole > 0 && { value: at(currentTime) - from, max: whole })}
      />
      <div className="row" role="status">
        <span>
          {advancingTo === null ? (
            'The clock starts to move.'
          ) : (
            <>
              On the way to <Moment at={advancingTo} />
              {progress && `, ${progress.steps} steps done`}
            </>
          )}
        </span>
        {may && advancingTo !== null && (
          <Button variant="default" onClick={stop}>
            Stop after this step
          </Button>
        )}
      </div>
    </div>
  );
}
