import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { EventStore } from './buffer.ts';

const OWNER = 'owner';
const ENDING = '.jsonl';

/**
 * Keeps the events of a buffer in a folder: a program that is killed, or that ends while the server is away, sends them
 * when it is started again. A folder belongs to one running program.
 * @throws where another running program has the folder
 */
export function fileStore(folder: string): EventStore {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  own(folder);
  const from = new Date().toISOString().replaceAll(/\D/g, '');
  let count = 0;
  let file: { readonly descriptor: number; readonly name: string } | null = null;
  const close = () => {
    if (file !== null) closeSync(file.descriptor);
    file = null;
  };
  return {
    left: () =>
      readdirSync(folder)
        .filter((name) => name.endsWith(ENDING))
        .toSorted()
        .map((name) => ({ name, events: wholeLines(readFileSync(join(folder, name), 'utf8')) })),
    add: (event) => {
      if (file === null) {
        count += 1;
        const name = `${from}-${String(count).padStart(9, '0')}${ENDING}`;
        file = { descriptor: openSync(join(folder, name), 'a', 0o600), name };
      }
      try {
        writeSync(file.descriptor, `${event}\n`);
      } catch (error) {
        close(); // half a line may stand there: the next event begins another file
        throw error;
      }
    },
    seal: () => {
      const name = file?.name ?? null;
      close();
      return name;
    },
    remove: (name) => rmSync(join(folder, name), { force: true }),
    close: () => {
      close();
      OWNED.delete(resolve(folder));
      rmSync(join(folder, OWNER), { force: true });
    },
  };
}

/** A line that was cut off, as by a full disk, belongs to an event that `track` did not take. */
const wholeLines = (text: string): string[] => text.split('\n').slice(0, -1).filter(isJson);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The folders of this process. */
const OWNED = new Set<string>();

/** Takes the folder for this process. The mark of a process that has ended does not count. */
function own(folder: string): void {
  if (OWNED.has(resolve(folder))) throw new Error(`This process keeps events in ${folder} already.`);
  const mark = join(folder, OWNER);
  for (;;)
    try {
      writeFileSync(mark, String(process.pid), { flag: 'wx', mode: 0o600 });
      OWNED.add(resolve(folder));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const pid = Number(readFileSync(mark, 'utf8'));
      if (pid !== process.pid && isRunning(pid))
        throw new Error(`The process ${pid} keeps its events in ${folder}.`, { cause: error });
      rmSync(mark, { force: true });
    }
}

function isRunning(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
