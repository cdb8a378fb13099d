import { existsSync, statfsSync, statSync } from 'node:fs';
import type pg from 'pg';
import { credentialsFile, readCredentials } from '../credentials.ts';
import { connectTo } from '../db/index.ts';
import { type EnvironmentName, readSettings, type Settings, type Variables } from '../settings.ts';
import { openDatabases } from './databases.ts';
import type { LoadProgram } from './environment.ts';
import { StartFailure } from './failure.ts';
import type { Output } from './output.ts';
import { openDataDirectory, programVersion } from './start.ts';

/** What the doctor found: `fix` is one thing to do; null where nothing is wrong. */
interface Finding {
  readonly about: string;
  readonly detail: string;
  readonly fix: string | null;
}

const START = 'start it: npm start';
const LEAST_FREE_GIB = 1;
const MOST_CLOCK_SECONDS = 5;
const ONLY_OWNER = 0o077;

/** `doctor`: looks at all that an installation needs, and says one fix for each fault. @throws where there is one */
export async function doctor(
  variables: Variables,
  loadProgram: LoadProgram,
  output: Output,
  cleanup: AsyncDisposableStack,
): Promise<void> {
  let faults = 0;
  const say = ({ about, detail, fix }: Finding) => {
    if (fix !== null) faults += 1;
    output.line(`${fix === null ? '✔' : '✖'} ${about.padEnd(24)} ${detail}`);
    if (fix !== null) output.line(`    Fix: ${fix}`);
  };
  say({ about: 'program', detail: `${programVersion()}, Node ${process.versions.node}`, fix: null });
  const read = readSettings(variables);
  if (!read.ok)
    say({
      about: 'settings',
      detail: read.problems.map(({ name, problem }) => `${name} ${problem}`).join('; '),
      fix: 'npm run help lists all settings',
    });
  else await examine(read.settings, loadProgram, output, cleanup, say);
  if (faults > 0) throw new StartFailure(`The doctor found ${faults} faults.`, 'do what the lines above say');
}

async function examine(
  settings: Settings,
  loadProgram: LoadProgram,
  output: Output,
  cleanup: AsyncDisposableStack,
  say: (finding: Finding) => void,
): Promise<void> {
  const { dataDirectory } = settings;
  say({ about: 'settings', detail: `data in ${dataDirectory}`, fix: null });
  if (!existsSync(dataDirectory) && settings.environments.some((name) => settings[name].databaseUrl === undefined)) {
    say({ about: 'data', detail: 'nothing is there yet', fix: START });
    return;
  }
  if (existsSync(dataDirectory)) for (const each of lookAtFolder(dataDirectory)) say(each);
  const known = readCredentials(dataDirectory);
  const isHere = (name: EnvironmentName) => known[name] !== undefined || settings[name].databaseUrl !== undefined;
  const environments = settings.environments.filter(isHere);
  for (const name of settings.environments)
    if (!isHere(name))
      say({ about: name, detail: 'was never started here', fix: environments.length > 0 ? null : START });
  const present = { ...settings, environments };
  const databases = await openDatabases(present, openDataDirectory(settings), output, cleanup, 'join');
  const { checkVersion, secondsBehind } = await loadProgram();
  for (const environment of environments) {
    const url = databases.urlOf(environment);
    say(await schemaOf(environment, () => checkVersion(url)));
    for (const each of await lookInto(environment, databases.ownerUrlOf(environment))) say(each);
    const { readDatabaseUrl } = settings[environment];
    if (readDatabaseUrl !== undefined)
      say(await standbyOf(environment, settings, () => secondsBehind(url, readDatabaseUrl)));
    say(await serverOf(environment, known[environment]?.baseUrl));
  }
}

function lookAtFolder(dataDirectory: string): Finding[] {
  const { bavail, bsize } = statfsSync(dataDirectory);
  const free = (bavail * bsize) / 1024 ** 3;
  const file = credentialsFile(dataDirectory);
  const isOpen = process.platform !== 'win32' && existsSync(file) && (statSync(file).mode & ONLY_OWNER) !== 0;
  return [
    {
      about: 'disk',
      detail: `${free.toFixed(1)} GiB free`,
      fix: free < LEAST_FREE_GIB ? `make room: PostgreSQL stops without it; ${LEAST_FREE_GIB} GiB or more` : null,
    },
    {
      about: 'credentials',
      detail: isOpen ? 'others can read them' : 'only their owner reads them',
      fix: isOpen ? `chmod 600 ${file}` : null,
    },
  ];
}

async function schemaOf(environment: EnvironmentName, check: () => Promise<{ isNewer: boolean }>): Promise<Finding> {
  const about = `${environment}: schema`;
  try {
    const { isNewer } = await check();
    const detail = isNewer ? 'is that of a newer version, and this one works on it' : 'is that of this version';
    return { about, detail, fix: null };
  } catch (error) {
    return { about, detail: (error as Error).message, fix: 'npm run migrate' };
  }
}

/** The clock of the database, and the jobs that wait for a person. */
async function lookInto(environment: EnvironmentName, url: string): Promise<Finding[]> {
  let client: pg.Client | undefined;
  try {
    client = await connectTo(url, { connectionTimeoutMillis: 10_000 });
    const { rows } = await client.query<{ seconds: number; parked: string | null }>({
      values: [Temporal.Now.instant().toString()],
      text: `select abs(extract(epoch from now() - $1::timestamptz))::float8 as seconds, (select string_agg(kind || ' ' || count, ', ') from (
        select kind, count(*) from due_failure where parked_at is not null group by kind order by kind) p) as parked`,
    });
    const [row] = rows;
    const seconds = row?.seconds ?? 0;
    return [
      {
        about: `${environment}: clock`,
        detail: `${seconds.toFixed(1)} s between the database and this machine`,
        fix: seconds > MOST_CLOCK_SECONDS ? 'set both clocks by the network (NTP)' : null,
      },
      {
        about: `${environment}: parked jobs`,
        detail: row?.parked ?? 'none',
        fix: row?.parked == null ? null : 'see what they need in the console, Home; they try again by themselves',
      },
    ];
  } catch (error) {
    return [{ about: `${environment}: database`, detail: (error as Error).message, fix: 'see the database’s own log' }];
  } finally {
    await client?.end().catch(() => undefined);
  }
}

/** The standby of reports. Without it the primary answers them, so it is no reason to stop. */
async function standbyOf(
  environment: EnvironmentName,
  { readMaxAgeSeconds }: Settings,
  secondsBehind: () => Promise<number | null>,
): Promise<Finding> {
  const about = `${environment}: standby`;
  const setting = environment === 'sandbox' ? 'SANDBOX_DATABASE_READ_URL' : 'DATABASE_READ_URL';
  const fix = `look at its replication, or correct ${setting}; the primary answers reports meanwhile`;
  try {
    const seconds = await secondsBehind();
    if (seconds === null) return { about, detail: 'did not get a change of the primary within 5 s', fix };
    const detail = `got a change of the primary after ${seconds.toFixed(1)} s; reports may be ${readMaxAgeSeconds} s old`;
    return { about, detail, fix: null };
  } catch (error) {
    return { about, detail: (error as Error).message, fix };
  }
}

async function serverOf(environment: EnvironmentName, baseUrl: string | undefined): Promise<Finding> {
  const about = `${environment}: server`;
  if (baseUrl === undefined) return { about, detail: 'was never started', fix: START };
  try {
    const { status } = await fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(5_000) });
    return { about, detail: `${baseUrl} answers ${status}`, fix: status === 200 ? null : 'see its log' };
  } catch {
    return { about, detail: `${baseUrl} does not answer`, fix: START };
  }
}
