import { describe, expect, it } from 'vitest';
import { readSettings, type Settings, settingNames } from './settings.ts';

const read = (variables: Record<string, string>): Settings => {
  const result = readSettings(variables);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return result.settings;
};

const problemsOf = (variables: Record<string, string>): string[] => {
  const result = readSettings(variables);
  return result.ok ? [] : result.problems.map(({ name }) => name);
};

describe('settings', () => {
  it('has a default for everything that has one', () => {
    expect(read({})).toEqual({
      host: '127.0.0.1',
      environments: ['production', 'sandbox'],
      roles: ['api', 'ingest', 'worker'],
      production: { port: 4400, isPortChosen: false },
      sandbox: { port: 4401, isPortChosen: false },
      readMaxAgeSeconds: 10,
      viesUrl: 'https://ec.europa.eu/taxation_customs/vies/rest-api',
      trustedProxies: [],
      lostMasterKeys: [],
      dataDirectory: './.reckoner',
      demo: false,
    });
  });

  it('takes each from its variable', () => {
    expect(
      read({
        PORT: '8000',
        SANDBOX_PORT: '0',
        HOST: '0.0.0.0',
        RECKONER_ENVIRONMENT: 'sandbox',
        RECKONER_ROLES: 'worker, ingest',
        DATABASE_URL: 'postgres://a:b@db/one',
        SANDBOX_DATABASE_URL: 'postgresql://a:b@db/two',
        SANDBOX_DATABASE_READ_URL: 'postgres://a:b@db,standby/two?target_session_attrs=prefer-standby',
        READ_MAX_AGE: '30',
        CLICKHOUSE_URL: 'http://clickhouse:8123/usage',
        SMTP_URL: 'smtps://a:b@mail.example',
        MAIL_FROM: 'billing@pay.example',
        STRIPE_API_URL: 'http://stripe.internal:12111/',
        VIES_URL: 'https://vies.internal/rest-api/',
        TRUSTED_PROXIES: '10.0.0.0/8, 192.0.2.7,2001:db8::/32',
        METRICS_PORT: '9464',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/',
        OTEL_EXPORTER_OTLP_HEADERS: 'Api-Key=a%3Db, x-team=billing',
        OTEL_SERVICE_NAME: 'billing',
        OTEL_TRACES_SAMPLER_ARG: '0.25',
        DATA_DIR: '/var/lib/reckoner',
        RECKONER_PLATFORM_KEY: 'rk_live_as-it-is-with-32-characters',
        RECKONER_SANDBOX_PLATFORM_KEY: 'rk_test_as-it-is-with-32-characters',
        RECKONER_MASTER_KEY: 'a key that seals, with 32 characters',
        RECKONER_MASTER_KEY_PREVIOUS: 'the key before it, of 32 characters',
        RECKONER_SANDBOX_MASTER_KEY: 'another key, of 32 characters too',
        RECKONER_SANDBOX_NEW_MASTER_KEY: 'the key after it, of 32 characters',
        RECKONER_LOST_MASTER_KEYS: 'abcd-_89, ABCDEFGH',
        RECKONER_DEMO: 'true',
        PUBLIC_URL: 'https://pay.example/base/',
        SANDBOX_PUBLIC_URL: 'https://sandbox.example',
        LOG_LEVEL: 'debug',
      }),
    ).toEqual({
      host: '0.0.0.0',
      environments: ['sandbox'],
      roles: ['ingest', 'worker'],
      production: {
        port: 8000,
        isPortChosen: true,
        databaseUrl: 'postgres://a:b@db/one',
        publicUrl: 'https://pay.example/base',
        platformKey: 'rk_live_as-it-is-with-32-characters',
        masterKey: 'a key that seals, with 32 characters',
        previousMasterKey: 'the key before it, of 32 characters',
      },
      sandbox: {
        port: 0,
        isPortChosen: true,
        databaseUrl: 'postgresql://a:b@db/two',
        readDatabaseUrl: 'postgres://a:b@db,standby/two?target_session_attrs=prefer-standby',
        publicUrl: 'https://sandbox.example',
        platformKey: 'rk_test_as-it-is-with-32-characters',
        masterKey: 'another key, of 32 characters too',
        newMasterKey: 'the key after it, of 32 characters',
      },
      readMaxAgeSeconds: 30,
      clickhouseUrl: 'http://clickhouse:8123/usage',
      mailServer: { url: 'smtps://a:b@mail.example', from: 'billing@pay.example' },
      stripeApiUrl: 'http://stripe.internal:12111',
      viesUrl: 'https://vies.internal/rest-api',
      trustedProxies: ['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'],
      metrics: { host: '127.0.0.1', port: 9464 },
      telemetry: {
        endpoint: 'http://collector:4318',
        headers: { 'api-key': 'a=b', 'x-team': 'billing' },
        serviceName: 'billing',
        share: 0.25,
      },
      lostMasterKeys: ['abcd-_89', 'ABCDEFGH'],
      dataDirectory: '/var/lib/reckoner',
      demo: true,
      logLevel: 'debug',
    });
  });

  it('asks no register of VAT numbers where that is off', () => {
    expect(read({ VIES_URL: 'off' }).viesUrl).toBeNull();
  });

  it('takes an empty variable for one that is not set', () => {
    const empty = { PORT: '', HOST: ' ', DATABASE_URL: '', RECKONER_DEMO: '', LOG_LEVEL: '', PUBLIC_URL: '' };
    expect(read(empty)).toEqual(read({}));
  });

  it.each([
    { variables: { npm_lifecycle_event: 'start' }, demo: true },
    { variables: { npm_lifecycle_event: 'start', RECKONER_DEMO: 'false' }, demo: false },
    { variables: { npm_lifecycle_event: 'test' }, demo: false },
    { variables: { RECKONER_DEMO: '1' }, demo: true },
    { variables: { RECKONER_DEMO: 'No' }, demo: false },
  ])('seeds a demo: $demo with $variables', ({ variables, demo }) => {
    expect(read(variables as Record<string, string>).demo).toBe(demo);
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '4400.5'],
    ['PORT', '0x10'],
    ['SANDBOX_PORT', 'http'],
    ['HOST', 'http://localhost'],
    ['RECKONER_ENVIRONMENT', 'staging'],
    ['RECKONER_ROLES', 'everything'],
    ['RECKONER_ROLES', 'api,,worker'],
    ['RECKONER_ROLES', 'all,api'],
    ['DATABASE_URL', 'mysql://a@b/c'],
    ['SANDBOX_DATABASE_URL', 'localhost'],
    ['DATABASE_URL', 'postgres://u@a:5432,b:x/c'],
    ['DATABASE_URL', 'postgres://u@a,b/c?target_session_attrs=standby'],
    ['READ_MAX_AGE', '1'],
    ['READ_MAX_AGE', '3601'],
    ['READ_MAX_AGE', '10s'],
    ['CLICKHOUSE_URL', 'clickhouse'],
    ['CLICKHOUSE_URL', 'clickhouse:8123'],
    ['CLICKHOUSE_URL', 'http://user:50%@clickhouse:8123'],
    ['CLICKHOUSE_URL', 'http://user:%ff@clickhouse:8123'],
    ['CLICKHOUSE_URL', 'http://clickhouse:8123/usage/events'],
    ['CLICKHOUSE_URL', 'http://clickhouse:8123/?database=usage'],
    ['CLICKHOUSE_URL', "http://clickhouse:8123/?cluster=main' settings x"],
    ['MAIL_FROM', 'Billing <billing@pay.example>'],
    ['MAIL_FROM', 'billing@pay.example\r\nBcc: all@pay.example'],
    ['RECKONER_DEMO', 'perhaps'],
    ['PUBLIC_URL', 'ftp://pay.example'],
    ['PUBLIC_URL', 'https://pay.example/?a=b'],
    ['PUBLIC_URL', 'https://user:secret@pay.example'],
    ['RECKONER_PLATFORM_KEY', 'rk_test_for-the-sandbox'],
    ['RECKONER_SANDBOX_PLATFORM_KEY', 'rk_live_for-production'],
    ['RECKONER_PLATFORM_KEY', 'with a blank'],
    ['RECKONER_PLATFORM_KEY', 'k'.repeat(31)],
    ['RECKONER_PLATFORM_KEY', 'k'.repeat(513)],
    ['RECKONER_MASTER_KEY', 'k'.repeat(31)],
    ['RECKONER_SANDBOX_MASTER_KEY', 'k'.repeat(31)],
    ['RECKONER_NEW_MASTER_KEY', 'k'.repeat(31)],
    ['RECKONER_LOST_MASTER_KEYS', 'the-whole-key-and-not-its-name'],
    ['TRUSTED_PROXIES', 'proxy.example'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', '10.0.0.0/8/8'],
    ['TRUSTED_PROXIES', '10.0.0.1,'],
    ['TRUSTED_PROXIES', '::/0'],
    ['STRIPE_API_URL', 'stripe.internal'],
    ['STRIPE_API_URL', 'https://stripe.internal/v1'],
    ['STRIPE_API_URL', 'https://user:password@stripe.internal'],
    ['VIES_URL', 'vies.internal'],
    ['LOG_LEVEL', 'loud'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://user:password@collector:4318'],
  ])('refuses %s=%s', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([name]);
  });

  it.each([
    'http://mail.example',
    'mail.example:587',
    'smtp://',
    'smtp://mail.example/x',
    'smtp://mail.example?a=b',
    'smtp://a%:b@c',
  ])('refuses SMTP_URL=%s', (url) =>
    expect(problemsOf({ SMTP_URL: url, MAIL_FROM: 'billing@pay.example' })).toEqual(['SMTP_URL']),
  );

  it.each([
    ['OTEL_EXPORTER_OTLP_HEADERS', 'api-key'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'api key=secret'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'api-key=50%'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'api-key=a%0Ab'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
    ['OTEL_TRACES_SAMPLER_ARG', 'always'],
  ])('refuses %s=%s, if there is an address to send to', (name, value) => {
    expect(problemsOf({ [name]: value, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' })).toEqual([name]);
    expect(problemsOf({ [name]: value })).toEqual([]);
    expect(read({ [name]: value }).telemetry).toBeUndefined();
  });

  it('wants a sender for a mail server', () =>
    expect(problemsOf({ SMTP_URL: 'smtp://mail.example' })).toEqual(['MAIL_FROM']));

  it('needs the database of a standby', () => {
    const standby = { DATABASE_READ_URL: 'postgres://a:b@standby/one' };
    expect(problemsOf(standby)).toEqual(['DATABASE_URL']);
    expect(problemsOf({ ...standby, DATABASE_URL: 'postgres://a:b@db/one' })).toEqual([]);
    expect(problemsOf({ DATABASE_URL: 'postgres://a:b@db/one', DATABASE_READ_URL: 'mysql://a:b@standby/one' })).toEqual(
      ['DATABASE_READ_URL'],
    );
  });

  it('names all problems at once', () => {
    expect(problemsOf({ PORT: 'a', SANDBOX_PORT: 'b', HOST: '/', LOG_LEVEL: 'c' })).toEqual([
      'HOST',
      'PORT',
      'SANDBOX_PORT',
      'LOG_LEVEL',
    ]);
  });

  it('repeats no password and no key in a problem', () => {
    const result = readSettings({
      DATABASE_URL: 'mysql://a:secret@b/c',
      CLICKHOUSE_URL: 'http://a:secret%@b/c',
      SMTP_URL: 'http://a:secret@b',
      MAIL_FROM: 'a@b',
      RECKONER_PLATFORM_KEY: 'rk_test_secret',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:secret@b',
      OTEL_EXPORTER_OTLP_HEADERS: 'a key=secret',
    });
    expect(result).toMatchObject({ problems: [{}, {}, {}, {}, {}, {}] });
    expect(JSON.stringify(result)).not.toContain('secret');
  });

  it.each([
    ['postgres://a:b@db/one', 'postgres://a:b@db/one', true],
    ['postgres://a:b@db/one', 'postgresql://c:d@DB:5432/one?sslmode=require', true],
    ['postgres://a@localhost/one', 'postgres://a@127.0.0.1/one', true],
    ['postgres://a@x/one?host=/run/pg', 'postgres://a@y/one?host=/run/pg', true],
    ['postgres://one@db', 'postgres://b@db/one', true],
    ['postgres://a@db1,db2/one', 'postgres://b@db3,db2:5432/one', true],
    ['postgres://a@db/one', 'postgres://a@db/two', false],
    ['postgres://a@db/one', 'postgres://a@db:5433/one', false],
    ['postgres://a@db1/one', 'postgres://a@db2/one', false],
    ['postgres://a@x/one?host=/run/pg1', 'postgres://a@x/one?host=/run/pg2', false],
  ])('sees that %s and %s are one database: %s', (production, sandbox, same) => {
    expect(problemsOf({ DATABASE_URL: production, SANDBOX_DATABASE_URL: sandbox })).toEqual(
      same ? ['SANDBOX_DATABASE_URL'] : [],
    );
  });

  const sandboxAlone = {
    RECKONER_ENVIRONMENT: 'sandbox',
    SANDBOX_DATABASE_URL: 'postgres://a@db/one',
    RECKONER_SANDBOX_PLATFORM_KEY: 'key-of-32-characters-and-some-more',
    RECKONER_SANDBOX_MASTER_KEY: 'key-of-32-characters-and-still-more',
    SANDBOX_PUBLIC_URL: 'https://pay.example',
  };
  it.each([
    { roles: 'all', without: Object.keys(sandboxAlone).slice(1), missing: [] },
    { roles: 'worker,ingest,api', without: ['SANDBOX_DATABASE_URL'], missing: [] },
    { roles: 'worker', without: [], missing: [] },
    { roles: 'worker', without: ['SANDBOX_PUBLIC_URL'], missing: ['SANDBOX_PUBLIC_URL'] },
    { roles: 'api,worker', without: ['SANDBOX_PUBLIC_URL'], missing: [] },
    { roles: 'ingest', without: ['SANDBOX_PUBLIC_URL'], missing: [] },
    { roles: 'ingest', without: ['SANDBOX_DATABASE_URL'], missing: ['SANDBOX_DATABASE_URL'] },
    { roles: 'api', without: ['RECKONER_SANDBOX_PLATFORM_KEY'], missing: ['RECKONER_SANDBOX_PLATFORM_KEY'] },
    { roles: 'worker', without: ['RECKONER_SANDBOX_MASTER_KEY'], missing: ['RECKONER_SANDBOX_MASTER_KEY'] },
  ])('with the roles $roles misses $missing without $without', ({ roles, without, missing }) => {
    const given = Object.entries({ ...sandboxAlone, RECKONER_ROLES: roles }).filter(
      ([name]) => !without.includes(name),
    );
    expect(problemsOf(Object.fromEntries(given))).toEqual(missing);
  });

  it('wants a master key beside a previous one', () =>
    expect(problemsOf({ RECKONER_SANDBOX_MASTER_KEY_PREVIOUS: 'k'.repeat(32) })).toEqual([
      'RECKONER_SANDBOX_MASTER_KEY',
    ]));

  it('repeats no master key in a problem', () => {
    const given = { RECKONER_MASTER_KEY: 'too-short', RECKONER_LOST_MASTER_KEYS: 'a-whole-master-key' };
    const result = readSettings(given);
    expect(JSON.stringify(result)).not.toMatch(/too-short|a-whole-master-key/);
  });

  it('asks for what a part of the work needs in each environment that runs', () => {
    expect(problemsOf({ RECKONER_ROLES: 'ingest' })).toEqual([
      'DATABASE_URL',
      'RECKONER_PLATFORM_KEY',
      'RECKONER_MASTER_KEY',
      'SANDBOX_DATABASE_URL',
      'RECKONER_SANDBOX_PLATFORM_KEY',
      'RECKONER_SANDBOX_MASTER_KEY',
    ]);
  });

  it('refuses one port for both environments, unless it is any free one or only one runs', () => {
    expect(problemsOf({ PORT: '4500', SANDBOX_PORT: '4500' })).toEqual(['SANDBOX_PORT']);
    expect(problemsOf({ PORT: '0', SANDBOX_PORT: '0' })).toEqual([]);
    expect(problemsOf({ PORT: '4500', SANDBOX_PORT: '4500', RECKONER_ENVIRONMENT: 'sandbox' })).toEqual([]);
  });
});

/** The name that is proposed for a variable; null where it does not stop a start. */
function meant(name: string, value = 'x'): string | null {
  const result = readSettings({ [name]: value });
  const problem = result.ok ? undefined : result.problems.find((each) => each.name === name)?.problem;
  return /^is not a setting; the nearest is (\w+)$/.exec(problem ?? '')?.[1] ?? null;
}

describe('the name of a variable', () => {
  it.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASE_ULR', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['DATABSE_ULR', 'DATABASE_URL'],
    ['SANDBOX_DATABSE_URL', 'SANDBOX_DATABASE_URL'],
    ['SANBOX_PORT', 'SANDBOX_PORT'],
    ['CLICKHOSE_URL', 'CLICKHOUSE_URL'],
    ['MAIL_FORM', 'MAIL_FROM'],
    ['SMPT_URL', 'SMTP_URL'],
    ['DATA_DIRR', 'DATA_DIR'],
    ['TRUSTED_PROXYS', 'TRUSTED_PROXIES'],
    ['RECKONER_ROLE', 'RECKONER_ROLES'],
    ['RECKONER_ENVIROMENT', 'RECKONER_ENVIRONMENT'],
    ['RECKONER_MASTERKEY', 'RECKONER_MASTER_KEY'],
    ['RECKONER_SANDBOX_MASTER_KEY_OLD', 'RECKONER_SANDBOX_MASTER_KEY'],
    ['RECKONER_PORT', 'PORT'],
    ['RECKONER_DATABASE_URL', 'DATABASE_URL'],
  ])('%s is refused, and %s is proposed', (name, near) => expect(meant(name)).toBe(near));

  it.each([
    'DATABASE_URL_OLD',
    'OLD_DATABASE_URL',
    'TEST_DATABASE_URL',
    'DATABASE_HOST',
    'REDIS_URL',
    'NODE_ENV',
    'NODE_OPTIONS',
    'PGPASSWORD',
    'PGHOST',
    'PATH',
    'HOME',
    'POST',
    'SORT',
    'HOSTS',
    'HOSTNAME',
    'PORTS',
    'PWD',
    'LOGNAME',
    'LOGLEVEL',
    'DATADIR',
    'EMAIL_FROM',
    'MAIL_FROM_NAME',
    'AMQP_URL',
    'VITE_URL',
    'BASE_URL',
    'STRIPE_API_KEY',
    'STRIPE_API_BASE',
    'METRICS_PATH',
    'CLICKHOUSE_DB',
    'PUBLIC_DIR',
    'TRUST_PROXY',
    'npm_lifecycle_event',
    'npm_config_port',
    'RECKONER_RUN_AGAIN',
    'RECKONER_SERVICE_HOST',
    'RECKONER_SERVICE_PORT',
    'RECKONER_SERVICE_PORT_HTTP',
    'RECKONER_API_SERVICE_HOST',
    'RECKONER_PORT_4400_TCP',
    'RECKONER_PORT_4400_TCP_ADDR',
    'RECKONER_API_PORT_4400_TCP_PROTO',
  ])('%s is that of another program', (name) => expect(meant(name)).toBeNull());

  it('is no matter where it is the address of a service, or empty', () => {
    expect(meant('RECKONER_PORT', 'tcp://10.0.0.1:4400')).toBeNull();
    expect(meant('RECKONER_API_PORT', 'tcp://10.0.0.1:4400')).toBeNull();
    expect(meant('RECKONER_ROLE', ' ')).toBeNull();
  });

  it('is told with all other problems, and without a value', () => {
    const result = readSettings({ DATABSE_URL: 'postgres://a:secret@db/one', PORT: 'x' });
    expect(result).toMatchObject({ problems: [{ name: 'DATABSE_URL' }, { name: 'PORT' }] });
    expect(JSON.stringify(result)).not.toContain('secret');
  });

  it('of a setting is known, each of them', () => {
    for (const name of settingNames()) expect(meant(name)).toBeNull();
    expect(settingNames().size).toBeGreaterThan(25);
  });
});

describe('the archive', () => {
  const keys = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };

  it.each(['P400D', '400', 'p1000d'])('takes a retention of %s', (RETENTION) => {
    const { retentionDays, production, storeKeys } = read({ RETENTION, ARCHIVE_URL: 's3://usage', ...keys });
    expect(retentionDays).toBe(Number.parseInt(RETENTION.replace(/^p/i, ''), 10));
    expect(production.archiveUrl).toBe('s3://usage');
    expect(storeKeys).toMatchObject({ accessKeyId: 'id', secretAccessKey: 'secret' });
  });

  it.each([
    [{ RETENTION: 'P399D', ARCHIVE_URL: 'file:///a' }, ['RETENTION']],
    [{ RETENTION: 'P2Y', ARCHIVE_URL: 'file:///a' }, ['RETENTION']],
    [{ RETENTION: 'P400D' }, ['ARCHIVE_URL']],
    [{ ARCHIVE_URL: 's3://usage' }, ['ARCHIVE_URL']],
    [{ SANDBOX_ARCHIVE_URL: 's3://usage', AWS_ACCESS_KEY_ID: 'id' }, ['SANDBOX_ARCHIVE_URL']],
    [{ ARCHIVE_URL: 'file:///a', SANDBOX_ARCHIVE_URL: 'file:///a' }, ['SANDBOX_ARCHIVE_URL']],
    [{ ARCHIVE_URL: 'gs://usage' }, ['ARCHIVE_URL']],
  ])('refuses %o', (variables, names) => expect(problemsOf(variables)).toEqual(names));
});
