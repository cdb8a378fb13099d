import { createCompiler } from './compile.ts';
import type { RenderAnswer, RenderRequest } from './messages.ts';

/**
 * The process that renders: one request after another, until its parent lets go of it. It gets a view and gives bytes;
 * it has no secrets in its environment, opens no connection and writes no file.
 */

const compile = createCompiler();

const answer = (message: RenderAnswer): void => {
  process.send?.(message);
};

process.on('message', ({ job, ...request }: RenderRequest) => {
  try {
    answer({ job, ...compile(request), memoryBytes: process.memoryUsage.rss() });
  } catch (error) {
    answer({ job, failure: error instanceof Error ? error.message : String(error) });
  }
});

// An interrupt from a terminal reaches the whole process group. The parent may want its last documents; it decides.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
process.on('disconnect', () => process.exit(0));
