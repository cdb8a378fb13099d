import { readFileSync } from 'node:fs';

const PAGE = 4096; // the least that Linux has; where pages are larger the answer is too small

/** How much memory another process holds, in bytes; null where there is no such process, or no /proc to ask. */
export function residentBytes(processId: number): number | null {
  try {
    const [, pages] = readFileSync(`/proc/${processId}/statm`, 'latin1').split(' ');
    return Number(pages) * PAGE;
  } catch {
    return null;
  }
}
