import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** One request to a language model: its time, and its input and output tokens. */
export interface TracedRequest {
  time: string;
  promptTokens: number;
  generatedTokens: number;
}

const file = fileURLToPath(new URL('../../../shared/data/azure-llm-inference-2023-code.csv', import.meta.url));

/**
 * An hour of real requests if the data lies beside the project (Azure Public Dataset, CC BY 4.0). Otherwise as many
 * made-up ones of the same shape: bursts, ties, a wide spread of quantities.
 */
export function usageTrace(): { requests: TracedRequest[]; isReal: boolean } {
  if (!existsSync(file)) return { requests: generated(8819), isReal: false };
  const rows = readFileSync(file, 'utf8').trim().split(/\r?\n/).slice(1);
  const requests = rows.map((row) => {
    const [time = '', prompt, generatedTokens] = row.split(',');
    return {
      time: `${time.replace(' ', 'T')}Z`,
      promptTokens: Number(prompt),
      generatedTokens: Number(generatedTokens),
    };
  });
  return { requests, isReal: true };
}

/** The same every time: a linear congruential generator, and every seventh request in the instant of the one before. */
function generated(count: number): TracedRequest[] {
  let state = 20231116;
  const next = (below: number) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state % below;
  };
  let milliseconds = 0;
  return Array.from({ length: count }, (_, index) => {
    if (index % 7 !== 0) milliseconds += next(800);
    const time = new Date(Date.UTC(2023, 10, 16, 18, 17, 3) + milliseconds).toISOString();
    return { time, promptTokens: 1 + next(7500), generatedTokens: 1 + next(next(20) === 0 ? 1500 : 50) };
  });
}
