/** A runnable block of a page, and its printed output. */
export interface Block {
  /** The 1-based line of the page with its first line. */
  readonly line: number;
  readonly script: string;
  /** Absent: the page shows no output. */
  readonly output?: string;
}

const FENCE = /^```(\w*)\n([\s\S]*?)^```$/gm;

/** The `bash` blocks of a Markdown page, each with the `text` or `json` block right after it. */
export function blocksOf(page: string): Block[] {
  const fences = [...page.matchAll(FENCE)].map(({ 0: whole, 1: language, 2: body, index }) => ({
    language,
    body: body as string,
    start: index,
    end: index + whole.length,
  }));
  return fences.flatMap(({ language, body, start, end }, index) => {
    if (language !== 'bash') return [];
    const after = fences[index + 1];
    const isOutput =
      after !== undefined && /^(?:text|json)$/.test(after.language ?? '') && page.slice(end, after.start).trim() === '';
    return [
      { line: page.slice(0, start).split('\n').length + 1, script: body, ...(isOutput && { output: after.body }) },
    ];
  });
}

/** Does the output match the page? `…` stands for anything within a line; nothing else may differ. */
export function matches(shown: string, printed: string): boolean {
  const parts = shown
    .trim()
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[^\\n]+')}$`).test(printed.trim());
}
