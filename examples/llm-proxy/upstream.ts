/** What a chat completion answers, as far as a proxy looks at it. */
export interface Completion {
  readonly id: string;
  readonly model: string;
  readonly choices: readonly { readonly message: { readonly role: string; readonly content: string } }[];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly total_tokens: number };
}

export interface Question {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** Asks the model: the service at `UPSTREAM_URL` with its `UPSTREAM_KEY`, or a model that repeats what it is told. */
export async function complete(question: Question, signal: AbortSignal): Promise<Completion> {
  const { UPSTREAM_URL, UPSTREAM_KEY } = process.env;
  if (!UPSTREAM_URL) return parrot(question);
  const response = await fetch(`${UPSTREAM_URL}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${UPSTREAM_KEY}` },
    body: JSON.stringify(question),
    signal,
  });
  if (!response.ok) throw new Error(`The model answered ${response.status}.`);
  return (await response.json()) as Completion;
}

/** A word is a token. */
function parrot({ model, messages }: Question): Completion {
  const words = (text: string) => text.split(/\s+/).filter((word) => word !== '').length;
  const content = messages.at(-1)?.content ?? '';
  const prompt = messages.reduce((sum, each) => sum + words(each.content), 0);
  return {
    id: crypto.randomUUID(),
    model,
    choices: [{ message: { role: 'assistant', content } }],
    usage: { prompt_tokens: prompt, completion_tokens: words(content), total_tokens: prompt + words(content) },
  };
}
