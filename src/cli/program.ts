import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Command, Option } from 'commander';
import type { Reckoner } from '../../sdk/src/index.ts';
import { placeOf } from '../look/index.ts';
import type { EnvironmentName, Variables } from '../settings.ts';
import { completionScript, completions } from './completion.ts';
import { CommandFailure } from './failure.ts';
import { follow, listen } from './follow.ts';
import { callAny, changes, getOne, listSome } from './resources.ts';
import { inLine, type Screen, showMany, showOne } from './show.ts';
import { apiOf, explainCall, findTarget, readSaved, type Target, writeSaved } from './target.ts';
import { advance, trigger, triggers } from './trigger.ts';

/** What the commands work with beside their words. */
export interface Terminal {
  readonly variables: Variables;
  readonly screen: Omit<Screen, 'isJson'>;
  /** Ends what follows a list. */
  readonly stop: AbortSignal;
  /** A line that a person types; null where nobody can. `secret`: it is not shown. */
  ask(question: string, secret?: boolean): Promise<string | null>;
  /** Shows an address in a browser. */
  browse(url: string): void;
}

interface Shared {
  readonly environment: EnvironmentName;
  readonly json?: true;
  readonly yes?: true;
}

interface Use extends Terminal {
  readonly api: Reckoner;
  readonly target: Target;
  readonly screen: Screen;
  /** Before a change: in production a person says yes. */
  confirm(what: string): Promise<void>;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** The commands that work through the API, on any environment that a key opens. */
export function clientProgram(terminal: Terminal): Command {
  const program = new Command('reckoner').exitOverride().helpOption('-h, --help', 'Show the help of a command.');
  const command = (words: string, about: string) => shared(program.command(words).description(about));

  const using =
    <Taken extends unknown[]>(
      work: (use: Use, options: Shared & Record<string, string | undefined>, ...taken: Taken) => Promise<void>,
    ) =>
    async (...all: unknown[]): Promise<void> => {
      const invoked = all.at(-1) as Command;
      const options = invoked.opts() as Shared & Record<string, string | undefined>;
      const taken = all.slice(0, -2) as Taken;
      const target = findTarget(terminal.variables, options.environment);
      const screen = { ...terminal.screen, isJson: options.json === true };
      const api = apiOf(target);
      const use: Use = {
        ...terminal,
        api,
        target,
        screen,
        confirm: (what) => confirm(terminal, api, target, options, what),
      };
      try {
        await work(use, options, ...taken);
      } catch (error) {
        throw explainCall(error, target) ?? error;
      }
    };

  command('login', 'Keep the key of an environment in your own configuration.')
    .option('--url <url>', 'the address of the environment', 'http://localhost:4401')
    .option('--key <key>', 'the key; without it you are asked for it, so that no shell remembers it')
    .action(async (_, invoked: Command) => login(terminal, invoked.opts()));
  command('logout', 'Forget the key of an environment.').action(async (options: Shared) => {
    const { [options.environment]: _, ...others } = readSaved(terminal.variables);
    writeSaved(terminal.variables, others);
  });
  command('whoami', 'Show whose key is used, and where it was found.').action(
    using(async ({ api, screen, target }) => {
      const { user, organization, role, environment } = await api.getMe();
      const { url, origin } = target;
      showOne(screen, { email: user.email, organization: organization.name, role, environment, url, key: origin });
    }),
  );

  command('get <resource> <id...>', 'Read one resource: reckoner get invoices inv_…').action(
    using(async ({ api, screen }, _, resource: string, ids: string[]) =>
      showOne(screen, await getOne(api, resource, ids)),
    ),
  );
  command('list <resource> [filters...]', 'Read a list, newest first: reckoner list invoices status=ISSUED')
    .option('--limit <number>', 'how many records at most', '20')
    .option('--all', 'every record')
    .action(
      using(async ({ api, screen }, options, resource: string, filters: string[]) => {
        const most = options.all ? null : wholeNumber(options.limit ?? '');
        showMany(screen, await listSome(api, resource, pairs(filters), most));
      }),
    );
  command('call <operation> [ids...]', 'Call any operation of the API: reckoner call invoices.refund inv_… --data {}')
    .option('--data <json>', 'the body or the query, as JSON')
    .action(
      using(async ({ api, screen, confirm: sure }, { data }, name: string, ids: string[]) => {
        const body = data === undefined ? undefined : json(data, '--data');
        if (changes(name)) await sure(name);
        const answer = await callAny(api, name, ids, body);
        if (answer instanceof Uint8Array) process.stdout.write(answer);
        else if (answer !== undefined) showOne(screen, answer);
      }),
    );
  command('open <id>', 'Open a resource in the console.').action(
    using(async ({ api, target, browse, screen }, _, id: string) => {
      const place = placeOf(id);
      if (place === null) throw new CommandFailure(`The console has no page of "${id}".`, 'give the id of a resource');
      const { organization } = await api.getMe();
      const url = `${target.url}/console/${organization.id}${place}`;
      screen.write(`${url}\n`);
      if (screen.isTerminal) browse(url);
    }),
  );

  const events = group(program, 'events', 'Report usage, and watch it arrive.');
  shared(
    events.command('send <type>').description('Report an event: reckoner events send tokens.used --customer cus_…'),
  )
    .option('--customer <id>', 'the id of a customer or a subscription')
    .option('--external <id>', 'your own id of the customer')
    .option('--data <json>', 'the values of the event', '{}')
    .option('--timestamp <time>', 'when it happened')
    .action(
      using(async ({ api, screen, confirm: sure }, { customer, external, data = '{}', timestamp }, type: string) => {
        await sure(`an event of type ${type}`);
        const subject = customer === undefined ? {} : { subject: customer };
        const values = json(data, '--data') as Record<string, never>;
        const event = { type, source: 'reckoner-cli', data: values, ...subject };
        const more = { ...(external && { externalSubject: external }), ...(timestamp && { timestamp }) };
        showOne(screen, await api.events.create({ ...event, ...more }));
      }),
    );
  shared(events.command('tail').description('Show events as they arrive.'))
    .option('--type <type>', 'only events of this type')
    .option('--count <number>', 'end after so many')
    .action(
      using(async ({ api, screen, stop }, { type, count }) => {
        for await (const row of follow(
          (query) => api.events.list({ ...query, ...(type && { type }) }),
          stop,
          most(count),
        ))
          line(screen, row, [row.timestamp, row.type, row.subject ?? row.externalSubject ?? '', row.id]);
      }),
    );
  const logs = group(program, 'logs', 'Watch what is done.');
  shared(logs.command('tail').description('Show each change that somebody makes, from the audit log.'))
    .option('--count <number>', 'end after so many')
    .action(
      using(async ({ api, screen, stop }, { count }) => {
        for await (const row of follow((query) => api.auditLog.list(query), stop, most(count)))
          line(screen, row, [
            row.createdAt,
            row.operation,
            row.resourceId ?? '',
            row.userId ?? row.customerId ?? '',
            row.requestId,
          ]);
      }),
    );
  command('listen', 'Hand webhook events to a server on your machine.')
    .requiredOption('--forward-to <url>', 'the address of your server')
    .option('--events <types>', 'only these kinds, separated by commas', '')
    .option('--count <number>', 'end after so many')
    .action(
      using(async ({ api, screen, stop, variables, target }, options) => {
        const secret = signingSecret(variables, target.environment);
        screen.aside(`Webhooks of ${target.url} go to ${options.forwardTo}. The secret: ${secret}\n`);
        const kinds = (options.events ?? '').split(',').filter((each) => each !== '');
        await listen(
          api,
          screen,
          { forwardTo: options.forwardTo as string, secret, types: kinds },
          stop,
          most(options.count),
        );
      }),
    );
  command(
    'trigger <kind>',
    `Make an event happen in the sandbox, with all that belongs to it: ${triggers().join(', ')}.`,
  ).action(
    using(async ({ api, screen, target }, _, kind: string) => {
      if (await isProduction(api, target))
        throw new CommandFailure('A trigger makes customers and invoices.', 'use the sandbox: --environment sandbox');
      const made = await trigger(api, kind);
      screen.aside(`${kind} has happened.\n`);
      if (made !== undefined) showOne(screen, made);
    }),
  );
  const clock = group(program, 'clock', 'Move test clocks of the sandbox.');
  shared(
    clock
      .command('advance <by> [clock]')
      .description('Move a test clock by P1M, or to a time; by default the newest clock.'),
  ).action(
    using(async ({ api, screen }, _, by: string, id: string | undefined) => {
      const found = id === undefined ? (await api.testClocks.list({ limit: 1 })).data[0] : await api.testClocks.get(id);
      if (!found) throw new CommandFailure('There is no test clock.', 'make one: reckoner call testClocks.create');
      const show = ({ currentTime, advancingTo, progress }: typeof found) =>
        screen.isTerminal && screen.aside(`\r${currentTime} → ${advancingTo}  ${progress?.steps ?? 0} steps `);
      const moved = await advance({ api, clock: found }, DAY.test(by) ? `${by}T00:00:00Z` : by, show);
      if (screen.isTerminal) screen.aside('\n');
      showOne(screen, moved);
    }),
  );

  program
    .command('completion <shell>')
    .description('Print the script by which bash, zsh or fish complete the words: source <(reckoner completion bash)')
    .action((shell: string) => terminal.screen.write(completionScript(shell)));
  program
    .command('complete [words...]', { hidden: true })
    .allowUnknownOption()
    .action((words: string[]) =>
      terminal.screen.write(
        completions(program, words)
          .map((each) => `${each}\n`)
          .join(''),
      ),
    );
  return program;
}

const group = (program: Command, name: string, about: string): Command => program.command(name).description(about);

/** The options that every command has. */
const shared = (command: Command): Command =>
  command
    .addOption(
      new Option('-e, --environment <name>', 'which environment').choices(['production', 'sandbox']).default('sandbox'),
    )
    .option('--json', 'answer JSON; a list has a line for each record')
    .option('-y, --yes', 'change production without a question');

/** Is it production, by the word of the person or of the server? A key may be of another environment than was said. */
const isProduction = async (api: Reckoner, { environment }: Target): Promise<boolean> =>
  environment === 'production' || (await api.getMe()).environment === 'production';

async function confirm(
  terminal: Terminal,
  api: Reckoner,
  target: Target,
  { yes }: Shared,
  what: string,
): Promise<void> {
  if (yes === true || !(await isProduction(api, target))) return;
  const answer = await terminal.ask(`This changes PRODUCTION at ${target.url}: ${what}. Go on? [y/N] `);
  if (answer === null) throw new CommandFailure('Nobody is there to say yes to a change of production.', 'add --yes');
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure('Nothing was changed.', 'answer y, or add --yes');
}

async function login(
  terminal: Terminal,
  { environment, url, key: given }: Shared & { readonly url: string; readonly key?: string },
): Promise<void> {
  const key = given ?? (await terminal.ask('API key: ', true))?.trim();
  if (!key) throw new CommandFailure('No key was given.', 'give it: reckoner login --key KEY');
  const target = { url: url.replace(/\/+$/, ''), key, environment, origin: 'this command' };
  const me = await apiOf(target)
    .getMe({ retries: 0 })
    .catch((error: unknown) => {
      throw explainCall(error, target) ?? error;
    });
  if (me.environment !== environment)
    throw new CommandFailure(`The key is of the ${me.environment} environment.`, `add --environment ${me.environment}`);
  writeSaved(terminal.variables, { ...readSaved(terminal.variables), [environment]: { url: target.url, key } });
  terminal.screen.aside(`Logged in as ${me.user.email} (${me.role}) of ${me.organization.name}, ${environment}.\n`);
}

/** The secret by which `listen` signs: made once for each environment, and kept. */
function signingSecret(variables: Variables, environment: EnvironmentName): string {
  const saved = readSaved(variables) as Record<string, { secret?: string } | undefined>;
  const known = saved[`${environment}Webhooks`]?.secret;
  if (known) return known;
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  writeSaved(variables, { ...saved, [`${environment}Webhooks`]: { secret } } as never);
  return secret;
}

const line = (screen: Screen, row: unknown, cells: readonly string[]): void =>
  screen.isJson ? screen.write(`${JSON.stringify(row)}\n`) : screen.write(`${cells.map(inLine).join('  ')}\n`);

const most = (count: string | undefined): number | null => (count === undefined ? null : wholeNumber(count));

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new CommandFailure(`"${text}" is not a number of records.`, 'give one from 1 on');
  return Number(text);
}

function pairs(filters: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    filters.map((each) => {
      const [name = '', ...value] = each.split('=');
      if (value.length === 0) throw new CommandFailure(`"${each}" is no filter.`, 'write a filter as status=ISSUED');
      return [name, value.join('=')];
    }),
  );
}

function json(text: string, option: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandFailure(`${option} is not JSON: ${(error as Error).message}`, 'put it in single quotes');
  }
}

/** A question at a terminal. */
export async function askAt(question: string, secret = false): Promise<string | null> {
  if (!process.stdin.isTTY) return null;
  const muted = new Writable({ write: (_chunk, _encoding, done) => done() });
  if (secret) process.stderr.write(question);
  const lines = createInterface({ input: process.stdin, output: secret ? muted : process.stderr, terminal: true });
  try {
    return await lines.question(secret ? '' : question);
  } finally {
    lines.close();
    if (secret) process.stderr.write('\n');
  }
}

/** Opens an address with what the system has for it. A machine without a browser shows the address alone. */
export function browseTo(url: string): void {
  const opener = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open';
  spawn(opener, [url], { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
}
