import { createRouteTable, type Problem } from '@waymark/contract';
import { toProblemLine } from '@waymark/contract/declaring';
import { testHost, verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import {
  type CameraOptions,
  camera,
  type DeviceDeclaration,
  type DeviceHubOptions,
  deviceHub,
  deviceRules,
  sensor,
} from '../../src/index.ts';

function problemsOf(
  declarations: readonly DeviceDeclaration[],
  options?: DeviceHubOptions,
  env: (name: string) => string | undefined = () => undefined,
): readonly Problem[] {
  const plugin = deviceHub(declarations, options);
  const { table } = testHost();
  return plugin.check?.({ table, env }) ?? [];
}

/** The lines without their places, and without a line number in the text. Each variable holds a secret. */
function linesOf(...declarations: readonly DeviceDeclaration[]): readonly string[] {
  return problemsOf(declarations, undefined, () => 'a-secret').map((problem) => {
    const { at: _, ...rest } = problem;
    return toProblemLine(rest).replace(/\S+check-devices\.test\.ts:\d+/, '<before>');
  });
}

/** What a program without types can pass. */
function untyped(value: unknown): never {
  return value as never;
}

describe('what is wrong with devices', () => {
  it('is nothing for any of their options', () => {
    const scopes = { ingestScopes: ['a'], readScopes: [], tool: false, description: 'x' };
    expect(
      linesOf(
        camera('door', { ...scopes, keep: 1, maxFps: 0.1, maxFrameBytes: 1 }),
        camera('Yard-2_b', { keep: 1_000, maxFps: 1_000, maxFrameBytes: 67_108_864 }),
        camera('c'),
        sensor('thermo', scopes),
        sensor(`s${'x'.repeat(53)}`),
      ),
    ).toEqual([]);
  });

  it.each(['', '1st', 'my door', 'door/2', 'tür', '_door', `d${'x'.repeat(54)}`])(
    'is a name like %j',
    (name) => {
      expect(linesOf(camera(name))).toEqual([
        `camera "${name}": its name cannot stand in a path and in tools; write a letter, then up to 53 letters, digits, "_" or "-"`,
      ]);
    },
  );

  it.each([untyped(7), untyped(Symbol('door'))])('is a name that is no text: %s', (name) => {
    expect(linesOf(camera(name))).toEqual([
      `camera "<${typeof name}>": its name cannot stand in a path and in tools; write a letter, then up to 53 letters, digits, "_" or "-"`,
    ]);
  });

  it('is a name that is taken, by whatever kind', () => {
    expect(linesOf(camera('door'), sensor('door'))).toEqual([
      'sensor "door": it is declared at <before> already; choose another name',
    ]);
  });

  it('is an option that nobody reads', () => {
    expect(linesOf(camera('door', untyped({ max_fps: 5, kep: 3 })))).toEqual([
      'camera "door": unknown option "max_fps" (did you mean "maxFps"?)',
      'camera "door": unknown option "kep" (did you mean "keep"?)',
    ]);
  });

  it('is an option of another type', () => {
    expect(
      linesOf(camera('door', untyped({ maxFps: '5', tool: 'false', description: 7, headers: 'a: b' }))),
    ).toEqual([
      'camera "door": maxFps is not a number; write 5, without quotes',
      'camera "door": tool is not true or false; write false, without quotes',
      'camera "door": description is not a text; write \'7\'',
      'camera "door": headers is not an object; write { … }',
      'camera "door": headers is set, and there is no source to send it to; take it out',
    ]);
  });

  it.each([
    ['keep', [0, 1.5, 1_001, Number.NaN], '1 to 1,000 frames'],
    ['maxFps', [0, -1, 1_000.1, Number.NaN], 'more than 0, at most 1,000 frames a second'],
    ['maxFrameBytes', [0, 0.5, 67_108_865, Number.POSITIVE_INFINITY], '1 to 67,108,864 bytes (64 MB)'],
  ])('is %s beyond its range', (option, values, range) => {
    for (const value of values)
      expect(linesOf(camera('door', { [option]: value }))).toEqual([
        `camera "door": ${option} is not ${range}; write ${range}, or leave it out`,
      ]);
  });

  it('is options of cameras on a sensor', () => {
    expect(linesOf(sensor('thermo', untyped({ keep: 3, source: 'http://a' })))).toEqual([
      'sensor "thermo": keep is for cameras; take it out, or declare a camera',
      'sensor "thermo": source is for cameras; take it out, or declare a camera',
    ]);
  });

  it('is scopes that are none, each by its name', () => {
    const options = untyped({ ingestScopes: 'devices:ingest', readScopes: ['a b'] });
    expect(linesOf(sensor('thermo', options))).toEqual([
      'sensor "thermo": ingestScopes are not a list of words without spaces; write ["devices:ingest"]',
      'sensor "thermo": readScopes are not a list of words without spaces; write ["a","b"]',
    ]);
  });

  it.each<[CameraOptions, string]>([
    [
      { source: 'ftp://camera.lan' },
      "its source is no http or https URL; write 'http://camera.lan/still.jpg'",
    ],
    [{ source: 'still.jpg' }, "its source is no http or https URL; write 'http://camera.lan/still.jpg'"],
    [
      { source: 'rtsp://admin:hunter2@camera.lan/1' },
      'its source is RTSP, which is read beside the camera and pushed from there; take it out, and run: waymark push --device door rtsp://…',
    ],
    ...[
      'http://169.254.169.254/',
      'http://0xa9fea9fe/',
      'http://[64:ff9b::a9fe:a9fe]/',
      'http://a:b@metadata.google.internal./',
    ].map((source): [CameraOptions, string] => [
      { source },
      "its source is an address of cloud metadata, which is never asked; write where the camera is: 'http://camera.lan/still.jpg'",
    ]),
    [
      { source: 'http://a:%zz@camera.lan' },
      'the credentials in its source are not percent-encoded; write username and passwordEnv instead',
    ],
    [{ bearerEnv: 'T' }, 'bearerEnv is set, and there is no source to send it to; take it out'],
    [{ headers: {} }, 'headers is set, and there is no source to send it to; take it out'],
    [
      { source: 'http://camera.lan', username: 'ada' },
      'username is set without passwordEnv; write passwordEnv, or take username out',
    ],
    [
      { source: 'http://camera.lan', passwordEnv: 'P' },
      'passwordEnv is set without username; write username, or take passwordEnv out',
    ],
    [
      { source: 'http://camera.lan', username: 'a:b', passwordEnv: 'P' },
      'username is empty, or holds ":" or a control character; write the name alone',
    ],
    [
      { source: 'http://b:c@camera.lan', bearerEnv: 'T' },
      'the source itself and bearerEnv say who asks; take all but one of them out',
    ],
    [
      { source: 'http://camera.lan', bearerEnv: 'T', headers: { Authorization: 'x' } },
      'the header Authorization is also what bearerEnv sends; take one of them out',
    ],
    [
      { source: 'http://camera.lan', headers: { connection: 'close' } },
      'the header connection is about the connection; take it out',
    ],
    [
      { source: 'http://camera.lan', headers: { 'x-key': 'a\nb' } },
      'the header x-key holds what cannot be sent; write a text',
    ],
  ])('is a source that cannot be pulled: %j', (options, line) => {
    verifies('hub.pull.declared');
    expect(linesOf(camera('door', options))).toEqual([`camera "door": ${line}`]);
  });

  it('is no source that can be pulled', () => {
    expect(
      linesOf(camera('door', { source: 'http://camera.lan/still.jpg', headers: { 'x-a': 'b' } })),
    ).toEqual([]);
    expect(linesOf(camera('door', { source: 'https://ada:p%40ss@camera.lan/?x=1' }))).toEqual([]);
  });

  it('is a variable with a secret that is not set', () => {
    verifies('hub.pull.declared');
    const hub = deviceHub([
      camera('door', { source: 'http://camera.lan', bearerEnv: 'DOOR_TOKEN' }),
      camera('yard', { source: 'http://camera.lan', username: 'ada', passwordEnv: 'YARD_PASSWORD' }),
      camera('hall', { source: 'http://camera.lan', bearerEnv: 'HALL_TOKEN' }),
      camera('back', { source: 'http://camera.lan', bearerEnv: 'BACK_TOKEN', keep: 0 }),
    ]);
    const env = (name: string) => (name === 'HALL_TOKEN' ? 'two words' : undefined);
    const problems = hub.check?.({ table: createRouteTable(hub.routes).freeze(), env }) ?? [];
    expect(problems.map(({ declaration, rule }) => `${declaration}: ${rule}`)).toEqual([
      'camera "back": keep is not 1 to 1,000 frames',
      'camera "door": the variable DOOR_TOKEN is not set',
      'camera "yard": the variable YARD_PASSWORD is not set',
      'camera "hall": the token in HALL_TOKEN holds a space or another character that no header can carry',
      'camera "back": the variable BACK_TOKEN is not set',
    ]);
  });

  it('is not that a hub needs to reach others that has nobody to reach', () => {
    expect(deviceHub([camera('door')]).needs).toEqual([]);
    expect(deviceHub([camera('door', { source: 'http://camera.lan' })]).needs).toEqual(['outbound']);
  });

  it('is options that are none', () => {
    for (const options of [null, 7, 'fast', ['a']])
      expect(linesOf(camera('door', untyped(options)))).toEqual([
        'camera "door": the options are not an object; write { name: value }',
      ]);
  });

  it('never shows what may be secret', () => {
    const secret = 'hunter2-hunter2';
    const options = untyped({
      source: `ftp://admin:${secret}@camera.lan/?token=${secret}`,
      headers: secret,
      bearerEnv: { secret },
    });
    const problems = problemsOf([camera('door', options), sensor('thermo', options)]);
    expect(problems.length).toBeGreaterThan(4);
    expect(JSON.stringify(problems)).not.toContain(secret);
  });

  it('is said with the place of the declaration', () => {
    const [own] = problemsOf([camera('my door')]);
    const [given] = problemsOf([sensor('my sensor', { declaredAt: 'src/app.ts:12' })]);
    expect(own?.at).toMatch(/check-devices\.test\.ts:\d+$/);
    expect(given?.at).toBe('src/app.ts:12');
  });

  it('keeps the routes of that device away, and of no other', () => {
    const { routes } = deviceHub([camera('door', { keep: 0 }), camera('yard')]);
    expect(routes.some(({ path }) => path.startsWith('/devices/door'))).toBe(false);
    expect(routes.some(({ path }) => path === '/devices/yard/frames')).toBe(true);
    expect(routes.flatMap(({ problems }) => problems)).toEqual([]);
  });
});

describe('what is wrong with the options of a hub', () => {
  it.each([
    [{ maxViewersPerDevice: 0 }, 'maxViewersPerDevice is not a positive number'],
    [{ telemetryPerSecond: Number.NaN }, 'telemetryPerSecond is not a positive number'],
    [{ memoryBytes: -1 }, 'memoryBytes is not a positive number'],
    [{ maxViewersPerPrincipal: '5' }, 'maxViewersPerPrincipal is not a number'],
    [{ maxViewer: 5 }, 'unknown option "maxViewer"'],
    [{ cameraPresence: { staleAfter: 5 } }, 'unknown option "cameraPresence.staleAfter"'],
    [
      { cameraPresence: { staleAfterMs: 60_000 } },
      'cameraPresence: stale after 60000 ms, offline after 60000 ms',
    ],
    [{ sensorPresence: { staleAfterMs: 0 } }, 'sensorPresence: stale after 0 ms, offline after 600000 ms'],
  ])('is %j', (options, rule) => {
    expect(problemsOf([], untyped(options))).toMatchObject([{ declaration: 'deviceHub', rule }]);
  });
});

describe('deviceRules', () => {
  it('have a stable word and one finished sentence each', () => {
    for (const [code, text] of Object.entries(deviceRules)) {
      expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(text).toMatch(/^[A-Z].*\.$/);
    }
  });
});
