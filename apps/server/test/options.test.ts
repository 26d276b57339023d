import { toProblemLine } from '@waymark/contract/declaring';
import { verifies } from '@waymark/contract/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { mostProcesses } from '../src/options/processes-of.ts';
import { resolveSettings } from '../src/options/resolve-settings.ts';

const settle = (options: object = {}, flags: object = {}) => resolveSettings({ env: {}, ...options }, flags);

/** What is odd, line for line; nothing else may be wrong. */
function warnings(options: object): readonly string[] {
  return settle(options).problems.map((problem) => {
    expect(problem.severity).toBe('warning');
    return toProblemLine(problem);
  });
}

describe('resolveSettings', () => {
  it('fills in every default of the specification', () => {
    verifies(
      'app.option.description.default',
      'app.option.version.default',
      'app.option.host.default',
      'app.option.port.default',
      'app.option.control-prefix.default',
      'app.option.request-timeout.default',
      'app.option.agent-timeout.default',
      'app.option.shutdown-timeout.default',
      'app.option.database.default',
      'app.option.templates.default',
      'session.capacity.default',
      'session.per-caller.default',
      'run.kept.bytes.default',
    );
    expect(settle()).toMatchObject({
      description: '',
      version: '0.1.0',
      host: '127.0.0.1',
      port: 8000,
      controlPrefix: '/_svc',
      requestTimeout: 30,
      agentTimeout: 600,
      shutdownTimeout: 25,
      sessions: { capacity: 1_000, perCaller: 100, ttl: 3_600, maxBytes: 16_777_216 },
      runs: {
        ...{ keepDays: 7, keepRuns: 100_000, keepBytesPerCaller: 268_435_456 },
        ...{ lease: 30, maxResumed: 256, giveUpAfter: 3_600 },
      },
      database: undefined,
      templates: undefined,
      problems: [],
    });
  });

  it('takes an option that is undefined for one that is left out', () => {
    expect(settle({ requestTimeout: undefined, version: undefined, hots: undefined })).toMatchObject({
      ...{ requestTimeout: 30, version: '0.1.0', problems: [] },
    });
  });

  it('lets a flag win over the environment, and the environment over the option', () => {
    verifies('config.order', 'config.port', 'config.host');
    const options = { port: 1, host: '127.0.0.1', env: { PORT: '2', WAYMARK_HOST: '127.0.0.2' } };
    expect(settle(options, { port: 3, host: '127.0.0.3' })).toMatchObject({ port: 3, host: '127.0.0.3' });
    expect(settle(options)).toMatchObject({ port: 2, host: '127.0.0.2' });
    expect(settle({ ...options, env: {} })).toMatchObject({ port: 1, host: '127.0.0.1' });
  });

  it('takes a variable that is set to nothing for one that is not set', () => {
    const env = {
      PORT: ' ',
      WAYMARK_HOST: '',
      HOST: '',
      LOG_LEVEL: '',
      DATABASE_URL: '',
      WAYMARK_DATABASE_URL: '',
    };
    expect(settle({ env })).toMatchObject({
      ...{ host: '127.0.0.1', port: 8000, logLevel: 'info', database: undefined },
      problems: [],
    });
  });

  it('takes the database from its variable, the option, or the variable other tools use, in this order', () => {
    const env = { WAYMARK_DATABASE_URL: 'sqlite://a', DATABASE_URL: 'sqlite://c' };
    const database = 'sqlite://b';
    expect(settle({ env, database }).database).toBe('sqlite://a');
    expect(settle({ env: { DATABASE_URL: 'sqlite://c' }, database }).database).toBe('sqlite://b');
    expect(settle({ env: { DATABASE_URL: 'sqlite://c' } }).database).toBe('sqlite://c');
  });

  it('warns about a server that is open to everybody in production', () => {
    verifies('config.log-level');
    const open = { host: '0.0.0.0', allowUnauthenticated: true };
    expect(warnings({ ...open, env: { NODE_ENV: 'production' } })).toEqual([
      'application: allowUnauthenticated is set in production; declare an apiKey or a jwt, and take allowUnauthenticated out',
    ]);
    expect(warnings(open)).toEqual([]);
  });

  it('takes HOST where it is an address, and says so where it is a machine name', () => {
    expect(settle({ env: { HOST: '0.0.0.0' } })).toMatchObject({ host: '0.0.0.0', problems: [] });
    const env = { HOST: 'build-box' };
    expect(settle({ env }).host).toBe('127.0.0.1');
    expect(warnings({ env })).toEqual([
      'environment: HOST=build-box is not an address to bind and is ignored; set WAYMARK_HOST',
    ]);
    expect(warnings({ env: { ...env, WAYMARK_HOST: '::1' } })).toEqual([]);
  });

  it('warns about a misspelt variable of ours and names the one that was meant', () => {
    verifies('config.unknown');
    expect(warnings({ env: { WAYMARK_HOTS: '::1' } })).toEqual([
      'environment: unknown variable WAYMARK_HOTS (did you mean "WAYMARK_HOST"?)',
    ]);
    expect(warnings({ env: { WAYMARK_CATALOGUE: '::1' } })).toEqual([
      'environment: unknown variable WAYMARK_CATALOGUE; take it out; there are PORT, WAYMARK_HOST, WAYMARK_DATABASE_URL, WAYMARK_WORKERS, WAYMARK_HUB_REDIS, WAYMARK_PUSH_SOURCE, LOG_LEVEL, NODE_ENV',
    ]);
  });

  it('has nothing against a variable of another command in the same .env', () => {
    expect(warnings({ env: { WAYMARK_PUSH_SOURCE: 'rtsp://camera/1' } })).toEqual([]);
  });

  it.each([
    ['WAYMARK_PROT', 'PORT'],
    ['WAYMARK_PORT', 'PORT'],
    ['WAYMARK_LOGLEVEL', 'LOG_LEVEL'],
    ['WAYMARK_HOSTS', 'WAYMARK_HOST'],
    ['WAYMARK_DATABSE_URL', 'WAYMARK_DATABASE_URL'],
  ])('takes %s for %s, which may bear the prefix or none', (name, meant) => {
    verifies('config.unknown');
    expect(warnings({ env: { [name]: '1' } })).toEqual([
      `environment: unknown variable ${name} (did you mean "${meant}"?)`,
    ]);
  });

  it('refuses a log level that does not exist, and says which there are', () => {
    verifies('config.log-level');
    const faults = (level: string): readonly string[] =>
      settle({ env: { LOG_LEVEL: level } }).problems.map(toProblemLine);
    expect(settle({ env: { LOG_LEVEL: 'verbose' } }).problems).toEqual([
      expect.not.objectContaining({ severity: 'warning' }),
    ]);
    expect(faults('verbose')).toEqual([
      'environment: LOG_LEVEL=verbose is no level; set it to one of debug, info, warn, error, fatal, silent',
    ]);
    expect(faults('wran')).toEqual([
      'environment: LOG_LEVEL=wran is no level (did you mean "warn"?); set it to one of debug, info, warn, error, fatal, silent',
    ]);
    for (const level of ['error', 'fatal'])
      expect(settle({ env: { LOG_LEVEL: level } }).logLevel).toBe(level);
  });

  it('says where the application is made, or where an option says', () => {
    const site = 'src/app.ts:3';
    const places = (options: object): readonly unknown[] =>
      resolveSettings({ env: { WAYMARK_X: '1' }, port: -1, ...options }, {}, site).problems.map(
        ({ at }) => at,
      );
    expect(places({})).toEqual([site, site]);
    expect(places({ declaredAt: 'my/wrapper.ts:7' })).toEqual(['my/wrapper.ts:7', 'my/wrapper.ts:7']);
    // Variables of the process stand in no file.
    for (const name of ['PORT', 'LOG_LEVEL', 'WAYMARK_X']) vi.stubEnv(name, 'x');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(places({ port: 8000, env: undefined })).toEqual([undefined, undefined, undefined]);
  });

  it('reports an unknown option with the one that was meant', () => {
    expect(settle({ requestTimeOut: 5 }).problems).toEqual([
      {
        code: 'unknown-option',
        declaration: 'application',
        rule: 'unknown option "requestTimeOut"',
        nearest: 'requestTimeout',
      },
    ]);
  });

  it.each([
    [{ port: -1 }, 'port -1'],
    [{ port: 65_536 }, 'port 65536'],
    [{ port: 1.5 }, 'port 1.5'],
    [{ host: '' }, 'host is empty'],
    [{ workers: 1.5 }, 'workers 1.5'],
    [{ requestTimeout: Number.POSITIVE_INFINITY }, 'requestTimeout'],
    [{ shutdownTimeout: 2_147_484 }, 'shutdownTimeout is not a positive number of seconds up to 2147483'],
    [{ workers: 0 }, 'workers 0'],
    [{ requestTimeout: 0 }, 'requestTimeout'],
    [{ agentTimeout: Number.NaN }, 'agentTimeout'],
    [{ sessions: { ttl: 0 } }, 'sessions.ttl'],
    [{ limits: { bodyValues: 0 } }, 'limits.bodyValues'],
    [{ limits: { bodyValues: 1.5 } }, 'limits.bodyValues'],
    [{ sessions: { capacity: 1.5 } }, 'sessions.capacity'],
    [{ sessions: { capacity: 0 } }, 'sessions.capacity'],
    [{ sessions: { perCaller: 0 } }, 'sessions.perCaller 0'],
    [{ sessions: { perCaller: 2.5 } }, 'sessions.perCaller 2.5'],
    [{ sessions: { maxBytes: 0 } }, 'sessions.maxBytes 0'],
    [{ runs: { keepBytesPerCaller: 0 } }, 'runs.keepBytesPerCaller 0'],
    [{ runs: { keepBytesPerCaller: Number.POSITIVE_INFINITY } }, 'runs.keepBytesPerCaller'],
    [{ runs: { keepDays: 0 } }, 'runs.keepDays 0'],
    [{ runs: { giveUpAfter: -1 } }, 'runs.giveUpAfter -1'],
    [{ runs: { giveUpAfter: Number.POSITIVE_INFINITY } }, 'runs.giveUpAfter'],
    [{ runs: { keepDays: Number.POSITIVE_INFINITY } }, 'runs.keepDays'],
    [{ runs: { keepRuns: 0 } }, 'runs.keepRuns 0'],
    [{ runs: { maxResumed: 1.5 } }, 'runs.maxResumed 1.5'],
    [{ runs: { lease: 2.9 } }, 'runs.lease 2.9 is not from 3 to 900 seconds'],
    [{ runs: { lease: 901 } }, 'runs.lease 901'],
    [{ shutdownTimeout: -1 }, 'shutdownTimeout'],
  ])('refuses %j', (options, words) => {
    expect(settle(options).problems).toEqual([
      {
        code: expect.stringMatching(/^setting-/) as string,
        declaration: 'application',
        rule: expect.stringContaining(words) as string,
        fix: expect.stringMatching(/^write /) as string,
      },
    ]);
  });

  it.each(['http', '1e3', '0x10', '99999'])('blames the variable that says it: PORT=%s', (PORT) => {
    vi.stubEnv('PORT', PORT);
    onTestFinished(() => void vi.unstubAllEnvs());
    const settings = resolveSettings({ port: 1 }, {}, 'src/app.ts:3');
    expect(settings.problems).toEqual([
      {
        code: 'setting-port',
        declaration: 'environment',
        rule: `PORT=${PORT} is not a number from 0 to 65535`,
        fix: 'set it to one such as 8000; 0 takes a free one',
      },
    ]);
    // A flag wins: nobody reads the variable then.
    expect(resolveSettings({}, { port: 1 }).problems).toEqual([]);
  });

  it.each([
    ['0', 'is not a positive number'],
    ['1.5', 'is not a positive number'],
    ['two', 'is not a positive number'],
    ['0x2', 'is not a positive number'],
    ['-1', 'is not a positive number'],
    ['999999', `is more than ${mostProcesses()}, 32 for each CPU`],
  ])('blames the variable that says it: WAYMARK_WORKERS=%s', (text, words) => {
    verifies('config.blame');
    vi.stubEnv('WAYMARK_WORKERS', text);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(resolveSettings({ workers: 1 }, {}, 'src/app.ts:3').problems).toEqual([
      {
        code: 'setting-workers',
        declaration: 'environment',
        rule: `WAYMARK_WORKERS=${text} ${words}`,
        fix: expect.stringContaining('leave it out') as string,
      },
    ]);
    // A flag wins: nobody reads the variable then.
    expect(resolveSettings({}, { workers: 1 }).problems).toEqual([]);
  });

  it('blames the variable by which several processes would have a database in memory', () => {
    verifies('config.blame');
    const memory = { WAYMARK_DATABASE_URL: ':memory:' };
    const lines = (options: object): readonly string[] => settle(options).problems.map(toProblemLine);
    const words = 'each of 2 workers would have a database in memory of its own';
    const fix = 'set WAYMARK_WORKERS=1, or name a database in a file';
    expect(lines({ database: ':memory:', env: { WAYMARK_WORKERS: ' 2 ' } })).toEqual([
      `environment: WAYMARK_WORKERS: ${words}; ${fix}`,
    ]);
    expect(lines({ workers: 2, env: memory })).toEqual([
      `environment: WAYMARK_DATABASE_URL: ${words}; ${fix}`,
    ]);
    expect(lines({ workers: 2, database: ':memory:' })).toEqual([
      `application: ${words}; write workers: 1, or a database in a file`,
    ]);
    expect(lines({ env: { ...memory, WAYMARK_WORKERS: '1' } })).toEqual([]);
  });

  it.each(['WAYMARK_HOST', 'HOST'])('takes an address of IPv6 as pages write it, from %s, too', (name) => {
    verifies('config.host');
    expect(settle({ env: { [name]: '[::1]' } })).toMatchObject({ host: '::1', variables: { host: name } });
    expect(settle({ env: { [name]: ' ::1 ' } }).host).toBe('::1');
    expect(settle({ host: '[::]' }).host).toBe('::');
    expect(settle({}, { host: '[fe80::1%eth0]' }).host).toBe('fe80::1%eth0');
    for (const host of ['[127.0.0.1]', '[::1', '::1]', '[[::1]]', '[]'])
      expect(settle({ env: { WAYMARK_HOST: host } }).host).toBe(host);
  });

  it('has options of sessions, each by itself', () => {
    const defaults = { capacity: 1_000, perCaller: 100, ttl: 3_600, maxBytes: 16_777_216 };
    expect(settle({ sessions: { perCaller: 5 } }).sessions).toEqual({ ...defaults, perCaller: 5 });
    expect(settle({ sessions: { ttl: 60 } }).sessions).toEqual({ ...defaults, ttl: 60 });
    expect(settle({ sessions: { capacity: 3 } }).sessions).toEqual({ ...defaults, capacity: 3 });
    for (const sessions of [{ size: 3 }, { ttl: '60' }, 5])
      expect(settle({ sessions })).toMatchObject({
        ...{ sessions: defaults, problems: [{ declaration: 'sessions' }] },
      });
  });

  it.each([
    [{ port: 0 }],
    [{ port: 65_535 }],
    [{ workers: 1 }],
    [{ requestTimeout: 0.1 }],
    [{ sessions: { capacity: 1, perCaller: 1, ttl: 0.1, maxBytes: 1 } }],
    [{ runs: { keepBytesPerCaller: 1 } }],
    [{ runs: { keepDays: 0.01, keepRuns: 1, lease: 3, maxResumed: 1, giveUpAfter: 0 } }],
    [{ runs: { lease: 900 } }],
    [{ shutdownTimeout: 2_147_483 }],
  ])('takes %j', (options) => {
    expect(settle(options).problems).toEqual([]);
  });
});
