// JSON.rawJSON and the reviver's source text (ES proposal, stage 4): in Node 26, not yet in TypeScript's library.
interface JSON {
  rawJSON(text: string): { readonly rawJSON: string };
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
}
