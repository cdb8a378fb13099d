import { stripVTControlCharacters } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createOutput } from './output.ts';

afterEach(() => void vi.useRealTimers());

/** What a terminal of 80 columns shows after all of this was written. */
function screenOf(written: string): string[] {
  const lines = [''];
  for (const part of written.replaceAll('\r\u001b[2K', '\r').split(/([\n\r])/)) {
    if (part === '\n') lines.push('');
    else if (part === '\r') lines[lines.length - 1] = '';
    else lines[lines.length - 1] += stripVTControlCharacters(part);
  }
  return lines;
}

function trial(variables: Record<string, string>, isTTY: boolean) {
  let written = '';
  const out = {
    isTTY,
    columns: 80,
    write(text: string): void {
      written += text;
    },
  };
  const output = createOutput({ out, errors: out, logs: out }, variables);
  return { output, written: () => written, screen: () => screenOf(written) };
}

/** A step that runs until it is told to end. */
function runningStep(output: ReturnType<typeof createOutput>, label: string) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const step = output.step(label, () => promise);
  return {
    done() {
      resolve();
      return step;
    },
    failed() {
      reject(new Error('It failed.'));
      return step.catch(() => undefined);
    },
  };
}

describe('a step at a terminal', () => {
  it('stands there at once, moves, and becomes its result', async () => {
    vi.useFakeTimers();
    const { output, screen } = trial({}, true);
    const step = runningStep(output, 'schema');
    expect(screen()).toEqual([expect.stringMatching(/^ {2}⠋ schema +0\.0 s$/)]);
    vi.advanceTimersByTime(1_300);
    expect(screen()).toEqual([expect.stringMatching(/^ {2}⠸ schema +1\.3 s$/)]);
    await step.done();
    expect(screen()).toEqual([expect.stringMatching(/^ {2}✔ schema +1\.3 s$/), '']);
    vi.advanceTimersByTime(1_000);
    expect(screen()).toHaveLength(2);
  });

  it('stays below what is written meanwhile, and leaves nothing when it fails', async () => {
    const { output, screen } = trial({}, true);
    const step = runningStep(output, 'schema');
    output.notice('the disk is slow');
    output.log('{"level":40}\n');
    expect(screen()).toEqual(['  ! the disk is slow', '{"level":40}', expect.stringContaining('⠋ schema')]);
    await step.failed();
    output.failure('It failed.', 'repair it');
    expect(screen()).toEqual([
      '  ! the disk is slow',
      '{"level":40}',
      '',
      '  ✖ It failed.',
      '    Fix: repair it',
      '',
      '',
    ]);
  });

  it('is never wider than the terminal', () => {
    const { output, screen } = trial({}, true);
    void runningStep(output, 'x'.repeat(200));
    expect(screen()[0]?.length).toBeLessThan(80);
  });
});

it.each([
  { variables: {}, isTTY: false },
  { variables: { NO_COLOR: '1' }, isTTY: true },
])('nothing moves and nothing is coloured with $variables, at a terminal: $isTTY', async ({ variables, isTTY }) => {
  const { output, written } = trial(variables, isTTY);
  const step = runningStep(output, 'schema');
  expect(written()).toBe('');
  await step.done();
  expect(written()).toMatch(/^ {2}✔ schema +0\.0 s\n$/);
});

it.each([
  { CI: 'true', moves: false },
  { CI: '1', moves: false },
  { CI: 'false', moves: true },
  { CI: '', moves: true },
])('a step moves at a terminal with CI=$CI: $moves', ({ CI, moves }) => {
  const { output, written } = trial({ CI }, true);
  void runningStep(output, 'schema');
  expect(written() !== '').toBe(moves);
});

describe('the log of lines that stand together', () => {
  it('comes after them, errors excepted', async () => {
    const { output, screen } = trial({}, false);
    await output.together(async () => {
      output.log('{"level":30,"msg":"listening"}\n');
      output.line('one');
      output.log('{"level":50,"msg":"broken"}\n');
      output.line('two');
    });
    output.log('{"level":30,"msg":"later"}\n');
    const lines = ['  one', '{"level":50,"msg":"broken"}', '  two', '{"level":30,"msg":"listening"}'];
    expect(screen()).toEqual([...lines, '{"level":30,"msg":"later"}', '']);
  });

  it('is not lost where they end in a failure', async () => {
    const { output, written } = trial({}, false);
    const failing = output.together(async () => {
      output.log('{"level":30}\n');
      throw new Error('It failed.');
    });
    await expect(failing).rejects.toThrow('It failed.');
    expect(written()).toBe('{"level":30}\n');
  });

  it('is not lost where the process ends', () => {
    const { output, written } = trial({}, false);
    const before = process.listeners('exit');
    void output.together(async () => {
      output.log('{"level":30}\n');
      await new Promise(() => undefined);
    });
    const [atExit] = process.listeners('exit').filter((listener) => !before.includes(listener));
    atExit?.(0);
    expect(written()).toBe('{"level":30}\n');
  });
});
