import { fork } from 'node:child_process';

/** A GET as another process sends it. */
export interface Asked {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Told {
  readonly status: number;
  readonly milliseconds: number;
  readonly bytes: number;
}

/** A process that sends one GET after another: reading the answers takes no time of the server's thread. */
export function openAsker(): { ask: (asked: Asked) => Promise<Told>; close: () => void } {
  const child = fork(import.meta.filename);
  return {
    ask: (asked) =>
      new Promise((resolve, reject) => {
        const onExit = (code: number | null) => reject(new Error(`The asking process ended with ${code}.`));
        child.once('exit', onExit);
        child.once('message', (told) => {
          child.off('exit', onExit);
          resolve(told as Told);
        });
        child.send(asked);
      }),
    close: () => child.kill(),
  };
}

if (process.argv[1] === import.meta.filename)
  process.on('message', (message) => {
    const { url, headers } = message as Asked;
    const began = performance.now();
    void fetch(url, { headers, redirect: 'manual' }).then(async (answer) => {
      const { length: bytes } = await answer.bytes();
      process.send?.({ status: answer.status, milliseconds: performance.now() - began, bytes });
    });
  });
