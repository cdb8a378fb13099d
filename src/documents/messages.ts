import type { CompileOutcome, CompileRequest } from './compile.ts';

/** From the renderer to its process. */
export type RenderRequest = CompileRequest & { job: number };

/** The answer: the document and how much memory the process holds now, or why the template failed. */
export type RenderAnswer = { job: number } & ((CompileOutcome & { memoryBytes: number }) | { failure: string });
