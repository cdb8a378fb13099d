import { describe, expect, it } from 'vitest';
import { decisiveLine, explainOutput } from './failure.ts';

const stamp = '2026-11-21 02:59:13.749 UTC [17910]  ';

describe('what PostgreSQL printed, explained', () => {
  it.each([
    [
      `postgres: /lib/libc.so.6: version \`GLIBC_2.34' not found (required by postgres)`,
      'BINARIES_DO_NOT_RUN',
      'DATABASE_URL',
    ],
    [
      'postgres: error while loading shared libraries: libicuuc.so.60: cannot open shared object file',
      'BINARIES_DO_NOT_RUN',
      'npm ci',
    ],
    [
      `${stamp}FATAL:  could not write to file "pg_wal/xlogtemp.29": No space left on device`,
      'DISK_FULL',
      'free some space',
    ],
    [`${stamp}FATAL:  could not map anonymous shared memory: Cannot allocate memory`, 'SERVER_DID_NOT_START', 'memory'],
    [`${stamp}FATAL:  database files are incompatible with server`, 'DATA_DIRECTORY_FOREIGN', 'mv /data /data.old'],
    [
      `${stamp}PANIC:  could not locate a valid checkpoint record at 0/1`,
      'DATA_DIRECTORY_DAMAGED',
      'mv /data /data.damaged',
    ],
    [`${stamp}FATAL:  required WAL directory "pg_wal" does not exist`, 'DATA_DIRECTORY_DAMAGED', 'backup'],
    [
      `but could not open file "/x/cluster/global/pg_control": No such file or directory`,
      'DATA_DIRECTORY_DAMAGED',
      'backup',
    ],
    [`${stamp}FATAL:  data directory "/data" has wrong ownership`, 'DATA_DIRECTORY_FOREIGN', 'the owner of /data'],
    [`${stamp}FATAL:  unrecognized configuration parameter "shared_bufers"`, 'SERVER_DID_NOT_START', '/data/log'],
  ])('%s', (output, code, fix) => {
    const failure = explainOutput(`${output}\n`, '/data', '/data/log');
    expect(failure.code).toBe(code);
    expect(failure.fix).toContain(fix);
  });

  it('names the last fatal line, not what the shutdown says after it', () => {
    const output = [
      `${stamp}LOG:  starting PostgreSQL 18.4`,
      `${stamp}FATAL:  required WAL directory "pg_wal" does not exist`,
      `${stamp}LOG:  startup process (PID 17910) exited with exit code 1`,
      `${stamp}LOG:  database system is shut down`,
    ].join('\n');
    expect(decisiveLine(output)).toBe('FATAL: required WAL directory "pg_wal" does not exist');
  });

  it('says so when nothing was printed', () => {
    expect(decisiveLine('')).toBe('it printed nothing');
  });
});
